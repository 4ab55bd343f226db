"""Nimble's API: ``/v1/search`` and ``/v1/extract``, which gives a page in the formats that were asked for."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ID: Final = "00000000-0000-4000-8000-000000000080"
_FORMATS: Final = {"html", "markdown", "screenshot", "headers", "links"}
_MESSAGES: Final = {401: "Unauthorized", 402: "Payment required", 429: "Too many requests"}


def _error(status: int) -> Reply:
    return json_reply({"error": _MESSAGES.get(status, f"error {status}")}, status)


def _refused(problem: str) -> Reply:
    return json_reply({"error": problem}, 422)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return _refused("query must be a text that is not blank")
    depth = body.get("search_depth", "standard")
    if depth not in ("lite", "standard") or not is_whole(body.get("max_results", 10), 1, 100):
        return _refused("search_depth or max_results is not valid")
    if not all(is_texts(body.get(name, []), 0, 50) for name in ("include_domains", "exclude_domains")):
        return _refused("at most 50 domains")
    wanted, not_wanted = body.get("include_domains", ()), body.get("exclude_domains", ())
    hits = library.search(body["query"], body.get("max_results", 10), wanted, not_wanted)
    rows = [_row(place, hit.url, hit.title, hit.snippet, depth) for place, hit in enumerate(hits, 1)]
    return json_reply({"request_id": _ID, "total_results": len(rows), "results": rows})


def _row(place: int, url: str, title: str, passage: str, depth: str) -> dict[str, Any]:
    return {
        "title": title,
        "description": passage[:160],
        "url": url,
        "content": passage if depth == "standard" else "",
        "metadata": {"country": "US", "entity_type": "OrganicResult", "locale": "en", "position": place},
    }


def _extract(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        return _refused("url is required")
    formats = body.get("formats", ["html"])
    if not is_texts(formats, 1, 5) or not set(formats) <= _FORMATS:
        return _refused("formats is not valid")
    answer = {"url": body["url"], "task_id": _ID, "metadata": {"driver": "vx6"}}
    page = library.page(body["url"])
    if page is None:
        html = "<html><body><h1>Not found</h1></body></html>"
        return json_reply({**answer, "status": "success", "status_code": 404, "data": {"html": html}})
    texts = {"html": f"<html><body><pre>{page.text}</pre></body></html>", "markdown": page.text}
    data = {name: text for name, text in texts.items() if name in formats}
    return json_reply({**answer, "url": page.url, "status": "success", "status_code": 200, "data": data})


FACE: Final = Face(
    family="nimble",
    key=bearer,
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/extract"): Route("fetch", _extract)},
    error=_error,
)
