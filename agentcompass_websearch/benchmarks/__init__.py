"""Benchmarks for the host: what an agent is asked to do, and how its work is judged."""
