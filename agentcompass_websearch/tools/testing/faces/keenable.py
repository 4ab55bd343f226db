"""Keenable's API: ``/v1/search`` for those who have a key, ``/v1/search/public`` for all."""

from __future__ import annotations

from typing import Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply


def _error(status: int) -> Reply:
    return json_reply({"error": f"error {status}"}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return _error(400)
    if body.get("mode", "pro") not in ("pro", "realtime"):
        return _error(400)
    most = body.get("snippet_max_length", 1000)
    if not is_whole(most, 180, 10_000):
        return _error(400)
    hits = library.search_with_operators(body["query"], 10)
    rows = [{"url": hit.url, "title": hit.title, "snippet": hit.snippet[:most], "description": ""} for hit in hits]
    return json_reply({"results": rows})


FACE: Final = Face(
    family="keenable",
    key=in_header("x-api-key"),
    routes={
        ("POST", "/v1/search"): Route("search", _search),
        ("POST", "/v1/search/public"): Route("search", _search, keyless=True),
    },
    error=_error,
)
