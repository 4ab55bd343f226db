"""Parallel's API: ``/v1/search`` and ``/v1/extract``, which refuse every field that they do not know."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

from agentcompass_websearch.tools.testing.face import Face, Route, in_header, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_MODES: Final = ("turbo", "fast", "basic", "advanced")
_SEARCH_FIELDS: Final = {
    "search_queries", "objective", "mode", "max_chars_total", "session_id", "client_model", "advanced_settings",
}  # fmt: skip
_SEARCH_SETTINGS: Final = {"max_results", "location", "source_policy", "fetch_policy", "excerpt_settings"}
_EXTRACT_FIELDS: Final = {
    "urls", "objective", "search_queries", "max_chars_total", "session_id", "client_model", "advanced_settings",
}  # fmt: skip
_EXTRACT_SETTINGS: Final = {"fetch_policy", "excerpt_settings", "full_content"}
_PARTS: Final = {
    "source_policy": {"include_domains", "exclude_domains", "after_date"},
    "fetch_policy": {"max_age_seconds", "timeout_seconds", "disable_cache_fallback"},
    "excerpt_settings": {"max_chars_per_result"},
    "full_content": {"max_chars_per_result"},
}
_MESSAGES: Final = {
    401: "The API key is not valid",
    402: "Insufficient credit in account",
    429: "Too many requests",
    503: "Service unavailable",
}


def _error(status: int, message: str = "", loc: list[str] | None = None) -> Reply:
    error: dict[str, Any] = {"ref_id": "ref-0", "message": message or _MESSAGES.get(status, f"Error {status}")}
    if loc:
        error["detail"] = {"errors": [{"loc": ["body", *loc], "msg": message, "type": "value_error"}]}
    return json_reply({"type": "error", "error": error}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _problem(body, _SEARCH_FIELDS, _SEARCH_SETTINGS) or _search_problem(body)
    if problem is not None:
        return problem
    settings = body.get("advanced_settings") or {}
    policy = settings.get("source_policy") or {}
    domains = policy.get("include_domains", [])
    # Domains to include win over those to exclude.
    excluded = [] if domains else policy.get("exclude_domains", [])
    hits = library.search(" ".join(body["search_queries"]), settings.get("max_results", 10), domains, excluded)
    rows = [
        {"url": hit.url, "title": hit.title, "publish_date": None, "excerpts": [hit.snippet] if hit.snippet else []}
        for hit in hits
    ]
    usage = [{"name": "sku_search", "count": 1}]
    return json_reply(
        {"search_id": "search_0", "results": rows, "warnings": None, "usage": usage, "session_id": "session_0"}
    )


def _search_problem(body: dict[str, Any]) -> Reply | None:
    queries = body.get("search_queries")
    if not is_texts(queries, 1, 5) or any(len(query) > 200 for query in queries or ()):
        return _error(422, "1 to 5 queries of at most 200 characters are required", ["search_queries"])
    if body.get("mode", "advanced") not in _MODES:
        return _error(422, "unknown mode", ["mode"])
    settings = body.get("advanced_settings") or {}
    if not is_whole(settings.get("max_results", 10), 1, 20):
        return _error(422, "max_results must be 1 to 20", ["advanced_settings", "max_results"])
    policy = settings.get("source_policy") or {}
    domains = [*policy.get("include_domains", []), *policy.get("exclude_domains", [])]
    if not is_texts(domains, 0, 200):
        return _error(422, "at most 200 domains", ["advanced_settings", "source_policy"])
    return None


def _extract(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _problem(body, _EXTRACT_FIELDS, _EXTRACT_SETTINGS)
    if problem is not None:
        return problem
    if not is_texts(body.get("urls"), 1, 20):
        return _error(422, "1 to 20 URLs are required", ["urls"])
    full = bool((body.get("advanced_settings") or {}).get("full_content"))
    results, errors = [], []
    for url in body["urls"]:
        page = library.page(url)
        if page is None:
            errors.append({"url": url, "error_type": "fetch_error", "http_status_code": 404, "content": "Not found"})
            continue
        texts = {"excerpts": [page.text[:300]], "full_content": page.text if full else None}
        results.append({"url": page.url, "title": page.title, "publish_date": None, **texts})
    usage = [{"name": "sku_extract_excerpts", "count": len(results)}]
    return json_reply(
        {"extract_id": "extract_0", "results": results, "errors": errors, "warnings": None, "usage": usage}
    )


def _problem(body: Any, fields: Set[str], settings: Set[str]) -> Reply | None:
    if not isinstance(body, dict):
        return _error(422, "the body must be an object", ["body"])
    advanced = body.get("advanced_settings") or {}
    unknown = [
        *([name] for name in body.keys() - fields),
        *(["advanced_settings", n] for n in advanced.keys() - settings),
    ]
    for name, known in _PARTS.items():
        part = advanced.get(name)
        unknown += [["advanced_settings", name, field] for field in set(part if isinstance(part, dict) else ()) - known]
    if unknown:
        return _error(422, "Extra inputs are not permitted", min(unknown))
    if len(body.get("objective") or "") > 5000:
        return _error(422, "at most 5000 characters", ["objective"])
    policy = advanced.get("fetch_policy") or {}
    if not is_whole(policy.get("max_age_seconds", 600), 600, 10**9):
        return _error(422, "max_age_seconds must be 600 or more", ["advanced_settings", "fetch_policy"])
    return None


FACE: Final = Face(
    family="parallel",
    key=in_header("x-api-key"),
    routes={("POST", "/v1/search"): Route("search", _search), ("POST", "/v1/extract"): Route("fetch", _extract)},
    error=_error,
)
