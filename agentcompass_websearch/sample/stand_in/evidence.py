"""What the tools have brought back so far, page by page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Exchange

_LINK = re.compile(r"\[([^\]\n]*)\]\((https?://[^\s)]+)\)")


@dataclass(slots=True)
class Candidate:
    """A page that was seen: its title, the snippets shown of it, what links to it said, its text once fetched."""

    url: str
    title: str = ""
    snippets: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    content: str = ""
    unreadable: bool = False

    @property
    def text(self) -> str:
        """All that is known of the page's own words."""
        return self.content or "\n".join(self.snippets)


@dataclass(slots=True)
class Found:
    """All replies so far. `searches_left` and `fetches_left` are None as long as no reply has named them."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    fetched: int = 0
    searches_left: int | None = None
    fetches_left: int | None = None

    def page(self, url: str) -> Candidate:
        """Return the candidate for `url`, a new one if it was not seen before."""
        return self.candidates.setdefault(url.rstrip("/"), Candidate(url))


def gather(exchanges: Iterable[Exchange]) -> Found:
    """Return what the replies hold. A reply that is not JSON of the known form says nothing."""
    found = Found()
    for exchange in exchanges:
        try:
            reply = json.loads(exchange.reply)
        except (ValueError, RecursionError):
            reply = {}
        if not isinstance(reply, dict):
            reply = {}
        url, query = exchange.arguments.get("url"), exchange.arguments.get("query")
        if isinstance(query, str):
            found.queries.append(query)
            found.searches_left = _left(reply, "searches_left", found.searches_left)
            _add_results(found, reply.get("results"))
        elif isinstance(url, str):
            found.fetched += 1
            found.fetches_left = _left(reply, "fetches_left", found.fetches_left)
            _add_page(found, url, reply)
    return found


def _left(reply: dict[str, Any], name: str, before: int | None) -> int | None:
    value = reply.get(name)
    return value if isinstance(value, int) else before


def _add_results(found: Found, results: Any) -> None:
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict) and isinstance(result.get("url"), str):
            candidate = found.page(result["url"])
            candidate.title = candidate.title or str(result.get("title") or "")
            candidate.snippets.append(str(result.get("snippet") or ""))


def _add_page(found: Found, url: str, reply: dict[str, Any]) -> None:
    candidate = found.page(url)
    content = reply.get("content")
    if "error" in reply or not isinstance(content, str) or not content.strip():
        candidate.unreadable = True
        return
    candidate.title = str(reply.get("title") or candidate.title)
    candidate.content = content
    for line in content.splitlines():
        for name, target in _LINK.findall(line):
            found.page(target).mentions.append(f"{name} {_LINK.sub(' ', line)}")
