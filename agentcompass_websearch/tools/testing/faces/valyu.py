"""Valyu's API: ``/v1/search`` and ``/v1/contents``, which tell what they cost."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_USD_PER_RESULT: Final = 0.0015
_USD_PER_PAGE: Final = 0.001
_TYPES: Final = ("web", "proprietary", "all", "news")
_MESSAGES: Final = {401: "Invalid API key", 402: "Insufficient credits", 429: "Too many requests"}


def _error(status: int) -> Reply:
    return _refused(_MESSAGES.get(status, f"error {status}"), status)


def _refused(problem: str, status: int = 400) -> Reply:
    return json_reply({"success": False, "error": problem}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return _refused("query is required")
    if body.get("search_type", "all") not in _TYPES or not is_whole(body.get("max_num_results", 10), 1, 20):
        return _refused("search_type or max_num_results is not valid")
    if not all(is_texts(body.get(name, []), 0, 100) for name in ("included_sources", "excluded_sources")):
        return _refused("sources must be a list of domains")
    wanted, not_wanted = body.get("included_sources", ()), body.get("excluded_sources", ())
    hits = library.search(body["query"], body.get("max_num_results", 10), wanted, not_wanted)
    rows = [
        {"title": hit.title, "url": hit.url, "content": hit.snippet, "source": "web", "price": _USD_PER_RESULT}
        for hit in hits
    ]
    answer: dict[str, Any] = {"success": True, "error": "", "tx_id": "tx_0000", "query": body["query"]}
    if not rows:
        answer["error"] = "No results found for this query"
    return json_reply({**answer, "results": rows, "total_deduction_dollars": _USD_PER_RESULT * len(rows)})


def _contents(request: Request, library: Library) -> Reply:
    body = request.json()
    urls = body.get("urls") if isinstance(body, dict) else None
    if not is_texts(urls, 1, 10):
        return _refused("urls must be a list of 1 to 10 URLs")
    rows: list[dict[str, Any]] = []
    for url in urls:
        page = library.page(url)
        if page is None:
            rows.append({"url": url, "status": "failed", "error": "Page not found"})
        else:
            rows.append({"url": page.url, "status": "success", "title": page.title, "content": page.text})
    read = sum(row["status"] == "success" for row in rows)
    answer = {"success": True, "error": None, "tx_id": "tx_0000", "urls_requested": len(urls), "urls_processed": read}
    return json_reply({**answer, "results": rows, "total_cost_dollars": _USD_PER_PAGE * read})


FACE: Final = Face(
    family="valyu",
    key=in_header("x-api-key"),
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/contents"): Route("fetch", _contents)},
    error=_error,
)
