"""Perplexity's Search API: ``/search``, which also finds a page by its URL."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_SIZES: Final = ("low", "medium", "high")
_TYPES: Final = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


def _error(status: int) -> Reply:
    return json_reply(
        {"error": {"message": f"Error {status}.", "type": _TYPES.get(status, "error"), "code": status}}, status
    )


def _refused(field: str, message: str) -> Reply:
    return json_reply({"detail": [{"loc": ["body", field], "msg": message, "type": "value_error"}]}, 422)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _problem(body)
    if problem is not None:
        return problem
    domains = body.get("search_domain_filter", [])
    sites = [site for site in domains if not site.startswith("-")]
    without = [site[1:] for site in domains if site.startswith("-")]
    page = library.page(body["query"])
    hits = (
        (Hit(page.url, page.title, page.text),)
        if page
        else library.search(body["query"], body.get("max_results", 10), sites, without)
    )
    rows = [
        {"title": hit.title, "url": hit.url, "snippet": hit.snippet, "date": None, "last_updated": None} for hit in hits
    ]
    return json_reply({"id": "id-0", "results": rows, "server_time": None})


def _problem(body: Any) -> Reply | None:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"].strip():
        return _refused("query", "Field required")
    if not is_whole(body.get("max_results", 10), 1, 20):
        return _refused("max_results", "Input should be less than or equal to 20")
    if body.get("search_context_size", "high") not in _SIZES:
        return _refused("search_context_size", "Input should be 'low', 'medium' or 'high'")
    if body.get("search_type", "web") not in ("web", "people", "fast"):
        return _refused("search_type", "Input should be 'web', 'people' or 'fast'")
    domains = body.get("search_domain_filter", [])
    if not is_texts(domains, 0, 20) or len({domain.startswith("-") for domain in domains}) > 1:
        return _refused("search_domain_filter", "At most 20 domains, to allow or to deny")
    return None


FACE: Final = Face(
    family="perplexity", key=bearer, routes={("POST", "/search"): Route("search", _search)}, error=_error
)
