"""Google's Custom Search API: key and engine in the query, and no ``items`` where nothing is found."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ENGINE: Final = "0123456789abcdef0"
_ERRORS: Final = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    401: ("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    402: ("RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'"),
    429: ("RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'"),
}
_STATUS: Final = {401: 400, 402: 429}


def _error(status: int) -> Reply:
    code, message = _ERRORS.get(status, ("UNAVAILABLE", f"error {status}"))
    real = _STATUS.get(status, status)
    return json_reply({"error": {"code": real, "message": message, "status": code}}, real)


def _search(request: Request, library: Library) -> Reply:
    query, wanted = request.query.get("q", ""), request.query.get("num", "10")
    if not query.strip() or request.query.get("cx") != _ENGINE or not wanted.isdigit() or not 1 <= int(wanted) <= 10:
        return _error(400)
    hits = library.search_with_operators(query, int(wanted))
    answer: dict[str, Any] = {
        "kind": "customsearch#search",
        "searchInformation": {"searchTime": 0.3, "totalResults": str(len(hits))},
    }
    if hits:
        answer["items"] = [
            {"kind": "customsearch#result", "title": hit.title, "link": hit.url, "snippet": hit.snippet} for hit in hits
        ]
    return json_reply(answer)


FACE: Final = Face(
    family="google_cse",
    key=lambda request: request.query.get("key"),
    routes={("GET", "/customsearch/v1"): Route("search", _search)},
    error=_error,
    options={"cx": _ENGINE},
)
