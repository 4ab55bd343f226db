"""Makes the replies that the model sees out of what a vendor returned: capped, clean, and without secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agentcompass_websearch.harnesses.coding_agent.arm import Caps
from agentcompass_websearch.records import Fetch, Hit, Page, Search, fetch_observation, search_observation
from agentcompass_websearch.text import cut
from agentcompass_websearch.tools.results import distinct

REPLY_CHARS: Final = 64_000
"""What the snippets of one search may hold together, however many results and characters each were asked for."""

_TITLE_CHARS: Final = 300

type Tidy = Callable[[str], str]


def of_search(
    query: str, found: tuple[Hit, ...], caps: Caps, tidy: Tidy, *, left: int | None, notes: tuple[str, ...]
) -> str:
    """Return the reply to a search that succeeded.

    Hits keep their place and URL; once all snippets together reach `REPLY_CHARS`, the rest of the text goes.
    """
    hits = []
    room = REPLY_CHARS
    for hit in distinct(found, caps.max_results):
        snippet = tidy(hit.snippet)
        shown = min(len(snippet), caps.snippet_chars, room)
        room -= shown
        hits.append(Hit(tidy(hit.url), cut(tidy(hit.title), _TITLE_CHARS), cut(snippet, shown)))
    return search_observation(Search(query, tuple(hits)), left, notes)


def of_fetch(url: str, page: Page, caps: Caps, tidy: Tidy, *, left: int | None, notes: tuple[str, ...]) -> str:
    """Return the reply to a fetch that succeeded."""
    shown = Fetch(
        url=url,
        final_url=tidy(page.final_url) or None,
        title=cut(tidy(page.title), _TITLE_CHARS),
        content=cut(tidy(page.content), caps.fetch_chars),
    )
    return fetch_observation(shown, left, notes)
