"""Exa's API: ``/search`` and ``/contents``, with its checks of parameters and its error bodies."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ID: Final = "00000000000000000000000000000000"
_TYPES: Final = ("auto", "lite", "deep-lite", "deep", "neural", "fast", "instant", "deep-reasoning")
_SEARCH_USD: Final = {"lite": 0.004, "deep": 0.012, "deep-reasoning": 0.015}
_CONTENT_FIELDS: Final = {
    "text", "highlights", "summary", "maxAgeHours", "livecrawlTimeout", "livecrawl", "filterEmptyResults", "subpages",
    "subpageTarget", "extras",
}  # fmt: skip
_SEARCH_FIELDS: Final = {
    "query", "type", "numResults", "includeDomains", "excludeDomains", "startPublishedDate", "endPublishedDate",
    "startCrawlDate", "endCrawlDate", "includeText", "excludeText", "category", "userLocation", "moderation",
    "additionalQueries", "systemPrompt", "outputSchema", "objective", "userIdentifier", "stream", "contents",
}  # fmt: skip
_ERRORS: Final = {
    400: ("The request body is not valid", "INVALID_REQUEST_BODY"),
    401: ("Invalid API key", "INVALID_API_KEY"),
    402: ("All credits of this account are used", "NO_MORE_CREDITS"),
    500: ("Something went wrong on our side", "INTERNAL_ERROR"),
    503: ("The service is overloaded", "SERVICE_OVERLOADED"),
    504: ("The request took too long", "REQUEST_TIMEOUT"),
}


def _error(status: int, message: str = "", tag: str = "") -> Reply:
    if status == 429:
        return json_reply({"error": "rate limit exceeded"}, 429)
    known_message, known_tag = _ERRORS.get(status, (f"error {status}", "ERROR"))
    return json_reply({"requestId": _ID, "error": message or known_message, "tag": tag or known_tag}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _search_problem(body)
    if problem is not None:
        return problem
    wanted = body.get("numResults", 10)
    contents = body.get("contents") or {}
    hits = library.search(body["query"], wanted, body.get("includeDomains") or (), body.get("excludeDomains") or ())
    reply = {
        "requestId": _ID,
        "resolvedSearchType": "",
        "results": [_hit(hit.url, hit.title, hit.snippet, contents, library) for hit in hits],
        "searchTime": 12.5,
        "costDollars": {"total": _SEARCH_USD.get(body.get("type", "auto"), 0.007) + 0.001 * max(0, wanted - 10)},
    }
    ignored = sorted({"text", "highlights", "summary"} & body.keys())
    if ignored:
        reply["warnings"] = [{"code": "IGNORED_FIELD", "path": f"/{name}"} for name in ignored]
    return json_reply(reply)


def _hit(url: str, title: str, snippet: str, contents: dict[str, Any], library: Library) -> dict[str, Any]:
    """A hit bears texts only where they were asked for under ``contents``."""
    row: dict[str, Any] = {"id": url, "url": url, "title": title or None}
    if contents.get("highlights"):
        row["highlights"] = [snippet] if snippet else []
    if contents.get("text"):
        page = library.page(url)
        row["text"] = page.text if page else ""
    return row


def _search_problem(body: Any) -> Reply | None:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return _error(400, "query must be a string that is not empty")
    kind = body.get("type", "auto")
    if kind not in _TYPES:
        return _error(400, f"type must be one of {', '.join(_TYPES)}")
    unknown = sorted(body.keys() - _SEARCH_FIELDS)
    if kind == "lite" and unknown:
        return _error(400, f"field {unknown[0]} is not supported for type lite", "INVALID_REQUEST")
    contents = body.get("contents", {})
    if not isinstance(contents, dict) or contents.keys() - _CONTENT_FIELDS:
        return _error(400, "contents has an unknown field")
    wanted = body.get("numResults", 10)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        return _error(400, "numResults must be a whole number of 1 or more", "INVALID_NUM_RESULTS")
    if wanted > 100:
        return _error(400, "numResults must be at most 100", "INVALID_NUM_RESULTS")
    if body.get("includeDomains") and body.get("excludeDomains"):
        return _error(400, "includeDomains and excludeDomains exclude each other", "INVALID_REQUEST")
    return None


def _contents(request: Request, library: Library) -> Reply:
    body = request.json()
    urls = (body.get("urls") or body.get("ids")) if isinstance(body, dict) else None
    if not isinstance(urls, list) or not urls or not all(isinstance(url, str) for url in urls):
        return _error(400, "urls must be a list of URLs", "INVALID_URLS")
    if body.keys() - _CONTENT_FIELDS - {"urls", "ids"}:
        return _error(400, "the body has an unknown field")
    results, statuses = [], []
    for url in urls:
        page = library.page(url)
        if page is None:
            reason = {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}
            statuses.append({"id": url, "status": "error", "error": reason})
            continue
        text = {"text": page.text} if body.get("text") else {}
        results.append({"id": page.url, "url": page.url, "title": page.title, "author": None, **text})
        statuses.append({"id": url, "status": "success", "source": "cached"})
    cost = {"total": 0.001 * len(results)}
    return json_reply({"requestId": _ID, "results": results, "statuses": statuses, "costDollars": cost})


def _key(request: Request) -> str | None:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.headers.get("x-api-key") or bearer or None


FACE: Final = Face(
    family="exa",
    key=_key,
    routes={("POST", "/search"): Route("search", _search), ("POST", "/contents"): Route("fetch", _contents)},
    error=_error,
)
