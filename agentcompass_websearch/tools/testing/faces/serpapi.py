"""SerpApi's API: ``/search.json``, the key in the query; that nothing was found is an error with HTTP 200."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ENGINES: Final = ("google", "bing", "duckduckgo")
_MESSAGES: Final = {
    400: "Missing query `q` parameter.",
    401: "Invalid API key.",
    402: "Your account has run out of searches.",
    429: "Your account has made too many searches in the last hour.",
}


def _error(status: int) -> Reply:
    return json_reply({"error": _MESSAGES.get(status, f"error {status}")}, 429 if status == 402 else status)


def _search(request: Request, library: Library) -> Reply:
    query, wanted = request.query.get("q", ""), request.query.get("num", "10")
    if not query.strip() or request.query.get("engine") not in _ENGINES:
        return _error(400)
    if not wanted.isdigit() or int(wanted) > 100:
        return _error(400)
    hits = library.search_with_operators(query, int(wanted))
    answer: dict[str, Any] = {"search_metadata": {"id": "0" * 24, "status": "Success"}}
    if not hits:
        return json_reply({**answer, "error": "Google hasn't returned any results for this query."})
    rows = [
        {"position": n, "title": hit.title, "link": hit.url, "snippet": hit.snippet} for n, hit in enumerate(hits, 1)
    ]
    return json_reply({**answer, "organic_results": rows})


FACE: Final = Face(
    family="serpapi",
    key=lambda request: request.query.get("api_key"),
    routes={("GET", "/search.json"): Route("search", _search)},
    error=_error,
)
