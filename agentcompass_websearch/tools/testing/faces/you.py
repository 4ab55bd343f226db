"""You.com's API: ``/v1/search`` and ``/v1/contents``; sections without results are left out, pages come as a list."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_MODES: Final = ("highlights", "full_page")
_LISTS: Final = ("include_domains", "exclude_domains", "boost_domains")


def _error(status: int, message: str = "") -> Reply:
    if status == 402:
        body: dict[str, Any] = {
            "error": "payment_required",
            "message": "Free credits used",
            "limit": 1000,
            "used": 1000,
        }
        return json_reply({**body, "upgrade_url": "https://you.com/platform"}, status)
    if status == 422:
        return json_reply({"detail": [{"loc": ["body"], "msg": message, "type": "value_error"}]}, status)
    headers = {"x-ratelimit-limit": "10", "x-ratelimit-remaining": "0"} if status == 429 else {}
    return json_reply({"detail": message or f"Error {status}"}, status, headers)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _search_problem(body)
    if problem:
        return _error(422, problem)
    highlights = bool(body.get("extraction"))
    hits = library.search_with_operators(body["query"], body.get("count", 10))
    results: dict[str, Any] = {"web": [_row(hit, highlights) for hit in hits]} if hits else {}
    if body.get("knowledge"):
        results["knowledge"] = [{"title": "A number", "description": "42", "attribution": ["Acme Data"]}]
    metadata = {"search_uuid": "uuid-0", "query": body["query"], "latency": 0.3}
    return json_reply({"results": results, "metadata": metadata})


def _row(hit: Hit, highlights: bool) -> dict[str, Any]:
    texts = [hit.snippet] if hit.snippet else []
    row: dict[str, Any] = {"url": hit.url, "title": hit.title, "description": "", "page_age": None, "authors": []}
    return row | ({"contents": {"highlights": texts}} if highlights else {"snippets": texts})


def _search_problem(body: Any) -> str:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return "Field required: query"
    if not is_whole(body.get("count", 10), 1, 100):
        return "Input should be less than or equal to 100"
    extraction = body.get("extraction")
    if extraction is not None and extraction.get("extraction_mode") not in _MODES:
        return "Input should be 'highlights' or 'full_page'"
    if body.get("knowledge") not in (None, "core"):
        return "Input should be 'core'"
    if "crawl_timeout" in body and extraction == {"extraction_mode": "highlights"}:
        return "crawl_timeout is not valid with highlights"
    if body.get("include_domains") and any(body.get(name) for name in _LISTS[1:]):
        return "include_domains cannot be combined with exclude_domains"
    return ""


def _contents(request: Request, library: Library) -> Reply:
    body = request.json()
    if not isinstance(body, dict) or not is_texts(body.get("urls"), 1, 100):
        return _error(422, "Field required: urls")
    if not is_whole(body.get("crawl_timeout", 10), 1, 60) or not is_whole(body.get("max_age", 0), 0, 10**9):
        return _error(422, "Input should be less than or equal to 60")
    pages = [(url, library.page(url)) for url in body["urls"]]
    markdown = "markdown" in body.get("formats", [])
    return json_reply(
        [
            {
                "url": page.url if page else url,
                "title": page.title if page else None,
                "html": None,
                "markdown": page.text if page and markdown else None,
            }
            for url, page in pages
        ]
    )


FACE: Final = Face(
    family="you",
    key=in_header("x-api-key"),
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/contents"): Route("fetch", _contents)},
    error=_error,
)
