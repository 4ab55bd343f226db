"""Harnesses for the host: how a model is run on a task."""
