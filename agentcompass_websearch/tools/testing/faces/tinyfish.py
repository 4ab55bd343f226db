"""TinyFish's API: ``GET`` of the search host and ``POST`` to the fetch host, here under one address."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_MOST: Final = 10
_CODES: Final = {
    400: ("INVALID_INPUT", "Validation failed"),
    401: ("INVALID_API_KEY", "The API key is not valid"),
    402: ("INSUFFICIENT_CREDITS", "There are no credits left"),
    429: ("RATE_LIMIT_EXCEEDED", "Rate limit exceeded"),
    503: ("SERVICE_BUSY", "The service is busy"),
}


def _error(status: int, path: str = "") -> Reply:
    code, message = _CODES.get(status, ("INTERNAL_ERROR", "Something went wrong"))
    error: dict[str, Any] = {"code": code, "message": message}
    return json_reply(
        {"error": error | ({"details": [{"path": [path], "message": "not valid"}]} if path else {})}, status
    )


def _search(request: Request, library: Library) -> Reply:
    query = request.query.get("query", "")
    if not query.strip():
        return _error(400, "query")
    if len(request.query.get("purpose", "")) > 2000:
        return _error(400, "purpose")
    hits = library.search(query, _MOST, *(_domains(request, name) for name in ("include_domains", "exclude_domains")))
    rows = [
        {"position": n, "site_name": "", "title": hit.title, "snippet": hit.snippet, "url": hit.url}
        for n, hit in enumerate(hits, 1)
    ]
    return json_reply({"query": query, "results": rows, "total_results": len(rows), "page": 0})


def _domains(request: Request, name: str) -> list[str]:
    return [site for site in request.query.get(name, "").split(",") if site]


def _fetch(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not is_texts(body.get("urls"), 1, 10):
        return _error(400, "urls")
    if body.get("format", "markdown") not in ("markdown", "html", "json"):
        return _error(400, "format")
    if not is_whole(body.get("ttl", 0), 0, 10**9) or len(body.get("purpose") or "") > 2000:
        return _error(400, "ttl")
    results, errors = [], []
    for url in body["urls"]:
        page = library.page(url)
        if page is None:
            errors.append({"url": url, "error": "target returned HTTP 404"})
            continue
        found = {"url": url, "final_url": page.url, "title": page.title, "text": page.text, "format": "markdown"}
        results.append({**found, "links": [], "image_links": [], "latency_ms": 900})
    return json_reply({"results": results, "errors": errors})


FACE: Final = Face(
    family="tinyfish",
    key=in_header("x-api-key"),
    routes={("GET", "/"): Route("search", _search), ("POST", "/"): Route("fetch", _fetch)},
    error=_error,
)
