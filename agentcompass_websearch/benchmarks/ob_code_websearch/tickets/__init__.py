"""Tickets: where they come from, how they are read, and what is refused."""
