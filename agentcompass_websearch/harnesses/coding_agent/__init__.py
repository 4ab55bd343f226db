"""``coding_agent``: a turn-limited loop of a model with web search and web fetch."""
