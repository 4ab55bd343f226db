"""Decides whether a cited page came back from a search or a fetch of the attempt."""

from __future__ import annotations

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import Grounding
from agentcompass_websearch.records import Evidence
from agentcompass_websearch.urls import normalise, split_query


class Observed:
    """The pages that came back: hits of searches that succeeded, requested and final URLs of fetches that did."""

    def __init__(self, evidence: Evidence) -> None:
        self._pages: dict[str, Grounding] = {}
        # The only page with all but the query in common; None where there are several.
        self._alike: dict[str, str | None] = {}
        self._asked: dict[str, Grounding | None] = {}
        for number, search in enumerate(evidence.searches, 1):
            if search.error is None:
                for rank, hit in enumerate(search.hits, 1):
                    self._add(hit.url, Grounding(search.call_id or f"search {search.n or number}", rank))
        for number, fetch in enumerate(evidence.fetches, 1):
            if fetch.succeeded:
                for url in (fetch.url, fetch.final_url):
                    self._add(url or "", Grounding(fetch.call_id or f"fetch {fetch.n or number}", 0))

    def grounding(self, url: str) -> Grounding | None:
        """Return the call that returned the page at `url`; None if none did.

        A URL without a query also stands for the one page that differs by its query only.
        """
        if url not in self._asked:
            self._asked[url] = self._look_up(url)
        return self._asked[url]

    def _add(self, url: str, grounding: Grounding) -> None:
        page = normalise(url)
        if page is None:
            return
        self._pages.setdefault(page, grounding)
        base, _ = split_query(page)
        if self._alike.setdefault(base, page) != page:
            self._alike[base] = None

    def _look_up(self, url: str) -> Grounding | None:
        page = normalise(url)
        if page is None:
            return None
        found = self._pages.get(page)
        if found is None and not split_query(page)[1]:
            found = self._pages.get(self._alike.get(page) or "")
        return found
