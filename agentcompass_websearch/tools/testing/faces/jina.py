"""Jina's APIs under one address: searches by GET, the reader by POST; JSON only where it is asked for."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_NAMES: Final = {
    400: ("ParamValidationError", 40001, "The parameters are not valid."),
    401: ("AuthenticationRequiredError", 40103, "This endpoint needs a key."),
    402: ("InsufficientBalanceError", 40203, "The balance of this account is too low for this query."),
    422: ("AssertionFailureError", 42206, "No search results available for query"),
    429: ("RateLimitTriggeredError", 42903, "The rate limit of this key is exceeded."),
    503: ("ServiceNodeResourceDrainError", 50302, "The service is busy."),
}


def _error(status: int) -> Reply:
    name, code, message = _NAMES.get(status, ("InternalError", status * 100, "Something went wrong."))
    said = {"message": message, "readableMessage": f"{name}: {message}"}
    return json_reply({"data": None, "code": status, "name": name, "status": code, **said}, status)


def _answer(request: Request, data: Any, tokens: int) -> Reply:
    if request.headers.get("accept") != "application/json":
        return Reply(200, repr(data).encode())
    return json_reply({"code": 200, "status": 20000, "data": data, "meta": {"usage": {"tokens": tokens}}})


def _search(request: Request, library: Library) -> Reply:
    wanted = request.query.get("num", "10")
    query = request.query.get("q", "")
    if not query.strip() or not wanted.isdigit() or int(wanted) > 20:
        return _error(400)
    hits = library.search_with_operators(query, int(wanted))
    if not hits:
        return _error(422)
    brief = request.headers.get("x-respond-with") == "no-content"
    rows: list[dict[str, Any]] = []
    for hit in hits:
        page = None if brief else library.page(hit.url)
        row = {"title": hit.title, "url": hit.url, "description": hit.snippet, "usage": {"tokens": 1000}}
        rows.append({**row, "content": page.text if page else ""})
    return _answer(request, rows, 10_000)


def _read(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        return _error(400)
    page = library.page(body["url"])
    if page is None:
        warning = "Target URL returned error 404: Not Found"
        return _answer(request, {"title": "", "url": body["url"], "content": "# Not found", "warning": warning}, 5)
    tokens = len(page.text) // 4
    data = {"title": page.title, "description": "", "url": page.url, "content": page.text, "usage": {"tokens": tokens}}
    return _answer(request, data, tokens)


FACE: Final = Face(
    family="jina",
    key=bearer,
    routes={("GET", "/"): Route("search", _search), ("POST", "/"): Route("fetch", _read)},
    error=_error,
)
