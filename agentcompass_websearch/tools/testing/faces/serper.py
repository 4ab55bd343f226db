"""Serper's API: ``/search`` and, under the root of another host, a reader of pages; both count credits."""

from __future__ import annotations

from typing import Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_MESSAGES: Final = {402: "Not enough credits", 429: "Too many requests"}


def _error(status: int) -> Reply:
    # A wrong key is refused with 403, an empty account with 400.
    real = {401: 403, 402: 400}.get(status, status)
    message = "Unauthorized." if real == 403 else _MESSAGES.get(status, f"Error {real}")
    return json_reply({"message": message, "statusCode": real}, real)


def _refused(problem: str) -> Reply:
    return json_reply({"message": problem, "statusCode": 400}, 400)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("q"), str) or not body["q"].strip():
        return _refused("Missing query parameter")
    wanted = body.get("num", 10)
    if not is_whole(wanted, 10, 100):
        return _refused("num must be between 10 and 100")
    hits = library.search_with_operators(body["q"], wanted)
    rows = [
        {"title": hit.title, "link": hit.url, "snippet": hit.snippet, "position": n} for n, hit in enumerate(hits, 1)
    ]
    found = {"organic": rows} if rows else {}
    asked = {"q": body["q"], "type": "search", "num": wanted, "engine": "google"}
    return json_reply({"searchParameters": asked, **found, "credits": 1 if wanted == 10 else 2})


def _scrape(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        return _refused("Missing url parameter")
    page = library.page(body["url"])
    if page is None:
        return json_reply({"text": "", "metadata": {}, "credits": 2})
    markdown = {"markdown": page.text} if body.get("includeMarkdown") else {}
    return json_reply({"text": page.text, **markdown, "metadata": {"title": page.title}, "credits": 2})


FACE: Final = Face(
    family="serper",
    key=in_header("x-api-key"),
    routes={("POST", "/search"): Route("search", _search), ("POST", "/"): Route("fetch", _scrape)},
    error=_error,
)
