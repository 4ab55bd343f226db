"""Brave's API: LLM Context and Web Search, with its limits of queries and its error bodies."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_CODES: Final = {
    422: ("VALIDATION", "Unable to validate request parameter(s)"),
    401: ("SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."),
    429: ("RATE_LIMITED", "Request rate limit exceeded for plan."),
}
_WINDOWS: Final = {
    "x-ratelimit-limit": "1, 15000",
    "x-ratelimit-policy": "1;w=1, 15000;w=2592000",
    "x-ratelimit-remaining": "0, 14987",
    "x-ratelimit-reset": "1, 1412346",
}


def _error(status: int, meta: Mapping[str, Any] | None = None) -> Reply:
    """Refuse; a wrong key is refused with 422 too, and the end of the month's quota with 429, told by numbers only."""
    sent = {401: 422, 402: 429}.get(status, status)
    code, detail = _CODES.get(429 if status == 402 else status, ("INTERNAL", "Something went wrong."))
    error = {"id": "error-0", "status": sent, "code": code, "detail": detail, "meta": meta or {}}
    windows = _WINDOWS | ({"x-ratelimit-remaining": "0, 0"} if status == 402 else {})
    return json_reply({"type": "ErrorResponse", "error": error}, sent, windows if sent == 429 else {})


def _is_good_query(query: Any) -> bool:
    return isinstance(query, str) and len(query.strip()) > 0 and len(query) <= 400 and len(query.split()) <= 50


def _context(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not _is_good_query(body.get("q")):
        return _error(422)
    limits = [body.get("count", 20), body.get("maximum_number_of_urls", 20)]
    if not all(is_whole(limit, 1, 50) for limit in limits):
        return _error(422)
    hits = library.search_with_operators(body["q"], min(limits))
    rows = [{"url": hit.url, "title": hit.title, "snippets": [hit.snippet] if hit.snippet else []} for hit in hits]
    sources = {hit.url: {"title": hit.title, "hostname": "", "age": None} for hit in hits}
    return json_reply({"grounding": {"generic": rows, "poi": None, "map": []}, "sources": sources})


def _web(request: Request, library: Library) -> Reply:
    count = request.query.get("count", "20")
    if not _is_good_query(request.query.get("q")) or not count.isdigit() or not 1 <= int(count) <= 20:
        return _error(422)
    hits = library.search_with_operators(request.query["q"], int(count))
    rows = [
        {"url": hit.url, "title": html.escape(hit.title), "description": f"<strong>{html.escape(hit.snippet)}</strong>"}
        for hit in hits
    ]
    web = {"web": {"type": "search", "results": rows}} if rows else {}
    return json_reply({"type": "search", "query": {"original": request.query["q"]}, **web})


FACE: Final = Face(
    family="brave",
    key=in_header("x-subscription-token"),
    routes={
        ("POST", "/res/v1/llm/context"): Route("search", _context),
        ("GET", "/res/v1/web/search"): Route("search", _web),
    },
    error=_error,
)
