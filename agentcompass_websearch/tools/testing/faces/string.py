"""String's API: ``/v1/search`` and ``/v1/fetch``, which refuse unknown fields; a page is the body of the answer."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ENGINES: Final = ("google", "brave", "duckduckgo", "mojeek")
_SEARCH_FIELDS: Final = {"query", "engine", "country", "language", "searchCount", "page", "format"}
_FETCH_FIELDS: Final = {
    "url", "format", "markdownMode", "mainContentOnly", "executeJS", "method", "body", "headers", "countryCode",
    "solveCaptcha", "ignoreCertificateErrors",
}  # fmt: skip
_MESSAGES: Final = {401: "Unauthorized", 402: "Insufficient balance", 429: "Too many requests"}


def _error(status: int) -> Reply:
    return json_reply({"error": _MESSAGES.get(status, f"Error {status}")}, status)


def _refused(problem: str) -> Reply:
    return json_reply({"message": "Invalid request", "details": {"formErrors": [problem], "fieldErrors": {}}}, 400)


def _problem(body: Any, known: set[str], required: str) -> Reply | None:
    if not isinstance(body, dict) or not isinstance(body.get(required), str) or not body[required].strip():
        return _refused(f"{required} is required")
    unknown = sorted(body.keys() - known)
    return _refused(f"Unrecognized key: {unknown[0]}") if unknown else None


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _problem(body, _SEARCH_FIELDS, "query")
    if problem is not None:
        return problem
    if body.get("engine", "google") not in _ENGINES or not is_whole(body.get("searchCount", 10), 1, 50):
        return _refused("engine or searchCount is not valid")
    hits = library.search_with_operators(body["query"], body.get("searchCount", 10))
    rows = [
        {"position": n, "title": hit.title, "url": hit.url, "snippet": hit.snippet, "displayUrl": hit.url}
        for n, hit in enumerate(hits, 1)
    ]
    nothing = {} if rows else {"zeroResults": True}
    return json_reply({"results": rows, **nothing, "paging": {"pages": 1, "complete": True}})


def _fetch(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _problem(body, _FETCH_FIELDS, "url")
    if problem is not None:
        return problem
    page = library.page(body["url"])
    status, text = (200, page.text) if page else (404, "# Page not found\n")
    if body.get("format", "json") == "json":
        return json_reply({"statusCode": status, "headers": {"content-type": "text/html"}, "data": text})
    return Reply(200, text.encode(), {"content-type": "text/markdown; charset=utf-8", "x-status-code": str(status)})


FACE: Final = Face(
    family="string",
    key=bearer,
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/fetch"): Route("fetch", _fetch)},
    error=_error,
)
