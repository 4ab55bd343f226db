"""Vendors and observers as plugins: hook specifications, manager, discovery by entry points."""
