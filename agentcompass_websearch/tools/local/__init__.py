"""A search vendor without a network: page sets, their full-text index, and the client that asks it."""

from typing import Literal

type Scope = Literal["page", "title"]
"""What a search looks at: whole pages, or titles and headings only."""
