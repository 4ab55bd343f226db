"""``ob-code-websearch``: tickets that only the vendor's current documentation can answer."""
