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
_NOT_SITE: Final = "-site:"


class Library:
    """A page set with its index.

    Args:
        pages: as in ``vendor_options.pages`` of the local vendor.
    """

    def __init__(self, pages: str = SAMPLE) -> None:
        self._index = build(load(pages))

    def search(self, query: str, limit: int, sites: Sequence[str] = (), without: Sequence[str] = ()) -> tuple[Hit, ...]:
        """Return the best pages for a query, with their best passages.

        Only those of the domains `sites`, if any are given, and none of the domains `without`.
        """
        if not sites and not without:
            return self._index.search(query, limit)
        found = (hit for hit in self._index.search(query, _MANY) if not _any_within(hit.url, without))
        return tuple(hit for hit in found if not sites or _any_within(hit.url, sites))[:limit]

    def search_with_operators(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the best pages for a query whose ``site:`` and ``-site:`` mean what they mean to a search engine."""
        words, sites = lift(query, most=_MANY, paths=True)
        without = [word[len(_NOT_SITE) :] for word in words.split() if word.startswith(_NOT_SITE)]
        words = " ".join(word for word in words.split() if not word.startswith(_NOT_SITE))
        return self.search(words, limit, sites, without)

    def page(self, url: str) -> StoredPage | None:
        """Return a page by its URL."""
        return self._index.page(url)


class EmptyLibrary(Library):
    """A library without pages: searches find nothing, no page is there."""

    def __init__(self) -> None:
        pass

    def search(self, query: str, limit: int, sites: Sequence[str] = (), without: Sequence[str] = ()) -> tuple[Hit, ...]:
        """Find nothing."""
        return ()

    def page(self, url: str) -> StoredPage | None:
        """Have no page."""
        return None


def _any_within(url: str, sites: Sequence[str]) -> bool:
    return any(_within(url, site) for site in sites)


def _within(url: str, site: str) -> bool:
    """Whether a page is of a domain, of one below it, or under a path of it."""
    domain, _, path = site.partition("/")
    parts = urlsplit(url)
    return f".{parts.hostname}".endswith(f".{domain}") and parts.path.startswith(f"/{path}")
