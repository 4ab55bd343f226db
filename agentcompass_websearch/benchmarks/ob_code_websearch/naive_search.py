"""Reads the tool replies of the host's ``naive_search_agent``, which are text cut in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from agentcompass_websearch.records import Evidence, Fetch, Hit, Search, evidence_from_observations

if TYPE_CHECKING:
    from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import ToolCall

_CUT_MARK: Final = "...(truncated)..."
_PAGE_SEPARATOR: Final = "\n=======\n"
_PAGE_FAILED: Final = "The provided webpage content could not be accessed."

_TEXT = r'"((?:[^"\\]|\\.)*)"'
_HIT = re.compile(rf'(?:"title":\s*{_TEXT},\s*)?"link":\s*{_TEXT}(?:,\s*"snippet":\s*{_TEXT})?')
_PAGE = re.compile(r"The useful information in (\S+) for user goal ")


def read_naive_search(calls: Sequence[ToolCall]) -> Evidence:
    """Return the evidence of ``search`` (result pages as JSON), ``visit`` and ``browse`` (pages).

    Replies of this package's tools, plugged into that harness, are read as what they are.
    """
    searches: list[Search] = []
    fetches: list[Fetch] = []
    for call in calls:
        found = _read(call)
        searches.extend(found.searches)
        fetches.extend(found.fetches)
    return Evidence(
        tuple(Search(s.query, s.hits, s.error, s.call_id, n) for n, s in enumerate(searches, 1)),
        tuple(
            Fetch(f.url, f.final_url, f.title, f.content, f.error, f.status, f.call_id, n)
            for n, f in enumerate(fetches, 1)
        ),
        kind="text",
    )


def _read(call: ToolCall) -> Evidence:
    own = evidence_from_observations([{"tool_call_id": call.call_id, "content": call.content}])
    if own.searches or own.fetches or not isinstance(call.content, str):
        return own
    if call.name == "search":
        query = call.arguments.get("query")
        hits = tuple(_hits(call.content))
        return Evidence((Search(query if isinstance(query, str) else "", hits, call_id=call.call_id),))
    if call.name == "visit":
        return Evidence(fetches=tuple(_visited(call, call.content)))
    if call.name == "browse" and call.content.startswith('{"code": 200'):
        return Evidence(fetches=tuple(Fetch(u, content=call.content, call_id=call.call_id) for u in _requested(call)))
    return Evidence()


def _hits(content: str) -> Iterator[Hit]:
    for title, link, snippet in _HIT.findall(content):
        if _CUT_MARK not in link:
            yield Hit(_unescaped(link), _unescaped(title), _unescaped(snippet))


def _visited(call: ToolCall, content: str) -> Iterator[Fetch]:
    requested = set(_requested(call))
    for page in content.split(_PAGE_SEPARATOR):
        match = _PAGE.match(page)
        if match and match[1] in requested:
            error = _PAGE_FAILED if _PAGE_FAILED in page else None
            yield Fetch(match[1], content=page[match.end() :], error=error, call_id=call.call_id)


def _requested(call: ToolCall) -> list[str]:
    """Return the URLs that a call names: one, a list, or JSON text of a list."""
    url: Any = call.arguments.get("url")
    if isinstance(url, str) and url.strip().startswith("["):
        try:
            url = json.loads(url)
        except (ValueError, RecursionError):
            return []
    urls: Iterable[Any] = [url] if isinstance(url, str) else url if isinstance(url, list) else []
    return [item for item in urls if isinstance(item, str)]


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
