"""SearXNG's API: ``/search`` without a key; refusals are web pages."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, html_reply, json_reply


def _error(status: int) -> Reply:
    title = f"{status} {HTTPStatus(status).phrase}"
    return html_reply(f"<!doctype html>\n<html lang=en>\n<title>{title}</title>\n<h1>{title}</h1>\n", status)


def _search(request: Request, library: Library) -> Reply:
    query = request.query.get("q", "")
    if not query.strip():
        return _error(400)
    if request.query.get("format") != "json":
        return html_reply("<!doctype html><title>SearXNG</title>")
    hits = library.search_with_operators(query, 30)
    rows = [_row(place, hit.url, hit.title, hit.snippet) for place, hit in enumerate(hits, 1)]
    rest: dict[str, list[Any]] = {"answers": [], "corrections": [], "infoboxes": [], "suggestions": []}
    return json_reply({"query": query, "results": rows, **rest, "unresponsive_engines": []})


def _row(place: int, url: str, title: str, passage: str) -> dict[str, Any]:
    found = {"engine": "duckduckgo", "engines": ["duckduckgo"], "positions": [place], "score": 1 / place}
    return {"url": url, "title": title, "content": passage, **found, "category": "general", "publishedDate": None}


FACE: Final = Face(family="searxng", key=None, routes={("GET", "/search"): Route("search", _search)}, error=_error)
