"""The pages that the zoo answers from: any page set of the local vendor, asked through its index."""

from __future__ import annotations

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.local.index import build
from agentcompass_websearch.tools.local.pages import SAMPLE, StoredPage, load


class Library:
    """A page set with its index.

    Args:
        pages: as in ``vendor_options.pages`` of the local vendor.
    """

    def __init__(self, pages: str = SAMPLE) -> None:
        self._index = build(load(pages))

    def search(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the best pages for a query, with their best passages."""
        return self._index.search(query, limit)

    def page(self, url: str) -> StoredPage | None:
        """Return a page by its URL."""
        return self._index.page(url)
