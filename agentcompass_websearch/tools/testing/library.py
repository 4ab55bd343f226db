"""The pages that the zoo answers from: any page set of the local vendor, asked through its index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.local.index import build
from agentcompass_websearch.tools.local.pages import SAMPLE, StoredPage, load
from agentcompass_websearch.tools.sites import lift

_MANY: Final = 200


class Library:
    """A page set with its index.

    Args:
        pages: as in ``vendor_options.pages`` of the local vendor.
    """

    def __init__(self, pages: str = SAMPLE) -> None:
        self._index = build(load(pages))

    def search(self, query: str, limit: int, sites: Sequence[str] = ()) -> tuple[Hit, ...]:
        """Return the best pages for a query, with their best passages; only of these domains, if any are given."""
        if not sites:
            return self._index.search(query, limit)
        found = self._index.search(query, _MANY)
        return tuple(hit for hit in found if any(_within(hit.url, site) for site in sites))[:limit]

    def search_with_operators(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the best pages for a query whose ``site:`` means what it means to a search engine."""
        words, sites = lift(query, most=_MANY, paths=True)
        return self.search(words, limit, sites)

    def page(self, url: str) -> StoredPage | None:
        """Return a page by its URL."""
        return self._index.page(url)


def _within(url: str, site: str) -> bool:
    """Whether a page is of a domain, of one below it, or under a path of it."""
    domain, _, path = site.partition("/")
    parts = urlsplit(url)
    return f".{parts.hostname}".endswith(f".{domain}") and parts.path.startswith(f"/{path}")
