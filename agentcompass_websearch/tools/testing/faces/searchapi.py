"""SearchApi's API: ``/api/v1/search``; that nothing was found is an error with HTTP 200."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ENGINES: Final = ("google", "bing")


def _error(status: int) -> Reply:
    return json_reply({"error": f"error {status}"}, status)


def _search(request: Request, library: Library) -> Reply:
    query, wanted = request.query.get("q", ""), request.query.get("num", "10")
    known = request.query.get("engine") in _ENGINES
    if not query.strip() or not known or not wanted.isdigit() or int(wanted) > 50:
        return _error(400)
    hits = library.search_with_operators(query, int(wanted))
    answer: dict[str, Any] = {"search_metadata": {"status": "Success"}}
    if not hits:
        return json_reply({**answer, "error": "Google didn't return any results."})
    rows = [
        {"position": n, "title": hit.title, "link": hit.url, "snippet": hit.snippet} for n, hit in enumerate(hits, 1)
    ]
    return json_reply({**answer, "organic_results": rows})


FACE: Final = Face(
    family="searchapi",
    key=bearer,
    routes={("GET", "/api/v1/search"): Route("search", _search)},
    error=_error,
)
