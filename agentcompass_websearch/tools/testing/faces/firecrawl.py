"""Firecrawl's API: ``/v2/search`` and ``/v2/scrape``, which refuse unknown fields; a page not found is a success."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_SEARCH_FIELDS: Final = {
    "query", "limit", "sources", "categories", "includeDomains", "excludeDomains", "tbs", "location", "country", "safe",
    "timeout", "ignoreInvalidURLs", "highlights", "scrapeOptions",
}  # fmt: skip
_SCRAPE_FIELDS: Final = {
    "url", "formats", "onlyMainContent", "includeTags", "excludeTags", "maxAge", "waitFor", "mobile",
    "skipTlsVerification", "timeout", "parsers", "actions", "location", "removeBase64Images", "blockAds", "proxy",
    "storeInCache", "lockdown", "headers",
}  # fmt: skip
_MESSAGES: Final = {
    400: "Bad Request",
    401: "Unauthorized: Invalid token",
    402: "Insufficient credits to perform this request.",
    429: "Rate limit exceeded.",
}


def _error(status: int, details: list[dict[str, Any]] | None = None) -> Reply:
    body: dict[str, Any] = {"success": False, "error": _MESSAGES.get(status, f"Error {status}")}
    return json_reply(body | ({"details": details} if details else {}), status)


def _unknown(body: Any, known: set[str]) -> Reply | None:
    if not isinstance(body, dict):
        return _error(400)
    keys = sorted(body.keys() - known)
    return (
        _error(400, [{"code": "unrecognized_keys", "keys": keys, "message": "Unrecognized key in body"}])
        if keys
        else None
    )


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _unknown(body, _SEARCH_FIELDS)
    if problem is not None:
        return problem
    query, limit = body.get("query"), body.get("limit", 10)
    if not isinstance(query, str) or not 0 < len(query) <= 500 or not is_whole(limit, 1, 100):
        return _error(400, [{"code": "invalid_value", "message": "query or limit is not valid"}])
    hits = library.search_with_operators(query, limit)
    rows = [
        {"url": hit.url, "title": hit.title, "position": n, **({"description": hit.snippet} if hit.snippet else {})}
        for n, hit in enumerate(hits, 1)
    ]
    advice = ["Scrape the first result next."]
    credits_used = 2 * -(-limit // 10)
    return json_reply(
        {"success": True, "data": {"web": rows}, "creditsUsed": credits_used, "id": "id-0", "agent_hints": advice}
    )


def _scrape(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _unknown(body, _SCRAPE_FIELDS)
    if problem is not None:
        return problem
    if not isinstance(body.get("url"), str) or not is_whole(body.get("maxAge", 0), 0, 10**12):
        return _error(400, [{"code": "invalid_value", "message": "url or maxAge is not valid"}])
    page = library.page(body["url"])
    metadata = {"sourceURL": body["url"], "url": page.url if page else body["url"], "creditsUsed": 1}
    if page is None:
        metadata |= {"title": "404", "statusCode": 404, "error": "Not Found"}
        return json_reply({"success": True, "data": {"markdown": "# Page not found", "metadata": metadata}})
    metadata |= {"title": page.title, "statusCode": 200, "contentType": "text/html", "cacheState": "miss"}
    return json_reply({"success": True, "data": {"markdown": page.text, "metadata": metadata}})


FACE: Final = Face(
    family="firecrawl",
    key=bearer,
    routes={("POST", "/v2/search"): Route("search", _search), ("POST", "/v2/scrape"): Route("fetch", _scrape)},
    error=_error,
)
