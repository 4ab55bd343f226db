"""The Messages protocol of Anthropic, and of other servers that speak it."""
