"""Linkup's API: ``/v1/search`` and ``/v1/fetch``; nothing found and a page not found are both a 400."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_texts
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_DEPTHS: Final = ("flash", "fast", "standard", "deep")
_CODES: Final = {
    400: ("VALIDATION_ERROR", "Validation failed"),
    401: ("UNAUTHORIZED", "The API key is not valid"),
    402: ("INSUFFICIENT_FUNDS_CREDITS", "You do not have enough credits"),
    429: ("TOO_MANY_REQUESTS", "Too many requests"),
    504: ("REQUEST_DEADLINE_EXCEEDED", "The request took too long"),
}


def _error(status: int, code: str = "", message: str = "", field: str = "") -> Reply:
    known_code, known_message = _CODES.get(status, ("INTERNAL_SERVER_ERROR", "Something went wrong"))
    status = 429 if status == 402 else status
    details = [{"field": field, "message": message}] if field else []
    error = {"code": code or known_code, "message": message or known_message, "details": details}
    return json_reply({"statusCode": status, "error": error}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    field = _wrong_field(body)
    if field:
        return _error(400, message=f"{field} is not valid", field=field)
    wanted, not_wanted = body.get("includeDomains", []), body.get("excludeDomains", [])
    hits = library.search(body["q"], body.get("maxResults", 10), wanted, not_wanted)
    if not hits:
        return _error(400, "SEARCH_QUERY_NO_RESULT", "The query did not yield any result")
    rows: list[dict[str, Any]] = [
        {"type": "text", "name": hit.title, "url": hit.url, "content": hit.snippet, "favicon": ""} for hit in hits
    ]
    return json_reply({"results": rows})


def _wrong_field(body: Any) -> str:
    if not isinstance(body, dict) or not isinstance(body.get("q"), str) or not body["q"].strip():
        return "q"
    if body.get("depth") not in _DEPTHS:
        return "depth"
    if body.get("outputType") != "searchResults":
        return "outputType"
    for name in ("includeDomains", "excludeDomains"):
        if name in body and not is_texts(body[name], 0, 100):
            return name
    return ""


def _fetch(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        return _error(400, message="url is not valid", field="url")
    if not isinstance(body.get("renderJs", False), bool):
        return _error(400, message="renderJs is not valid", field="renderJs")
    page = library.page(body["url"])
    if page is None:
        return _error(400, "FETCH_TARGET_NOT_FOUND", "The target page could not be found")
    return json_reply({"markdown": page.text, "favicon": ""})


FACE: Final = Face(
    family="linkup",
    key=bearer,
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/fetch"): Route("fetch", _fetch)},
    error=_error,
)
