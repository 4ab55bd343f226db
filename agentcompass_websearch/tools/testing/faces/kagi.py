"""Kagi's API: ``/api/v1/search``, which puts related searches among its results."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_META: Final = {"id": "00000000-0000-4000-8000-000000000070", "node": "eu-west", "ms": 12}
_MESSAGES: Final = {401: "Unauthorized", 402: "Insufficient credit", 429: "Too many requests"}


def _key(request: Request) -> str | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key if scheme == "Bot" and key else None


def _error(status: int) -> Reply:
    error = {"code": 1, "msg": _MESSAGES.get(status, f"error {status}"), "ref": None}
    return json_reply({"meta": _META, "data": None, "error": [error]}, status)


def _search(request: Request, library: Library) -> Reply:
    query = request.query.get("q", "")
    if not query.strip():
        return _error(400)
    rows: list[dict[str, Any]] = [
        {"t": 0, "rank": n, "url": hit.url, "title": hit.title, "snippet": hit.snippet}
        for n, hit in enumerate(library.search_with_operators(query, 20), 1)
    ]
    return json_reply({"meta": {**_META, "api_balance": 9.988}, "data": [*rows, {"t": 1, "list": ["another search"]}]})


FACE: Final = Face(family="kagi", key=_key, routes={("GET", "/api/v1/search"): Route("search", _search)}, error=_error)
