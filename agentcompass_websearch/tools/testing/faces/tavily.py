"""Tavily's API: ``/search`` and ``/extract``, with its checks of parameters and its error bodies."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.tools.sites import lift
from agentcompass_websearch.tools.testing.face import Face, Route, bearer, is_texts, is_whole
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply

_ID: Final = "00000000-0000-4000-8000-000000000000"
_DEPTHS: Final = ("ultra-fast", "fast", "basic", "advanced")
_MESSAGES: Final = {
    401: "Unauthorized: the API key is missing or not valid.",
    429: "Your request has been blocked due to too many requests.",
    432: "This request exceeds the usage limit of your plan.",
    433: "This request exceeds your pay-as-you-go limit.",
}


def _error(status: int, message: str = "") -> Reply:
    # Credits that are used up have a status of their own.
    status = 432 if status == 402 else status
    return json_reply({"detail": {"error": message or _MESSAGES.get(status, f"Error {status}.")}}, status)


def _search(request: Request, library: Library) -> Reply:
    body = request.json()
    problem = _search_problem(body)
    if problem:
        return _error(400, problem)
    words, sites = lift(body["query"], most=300)
    sites += body.get("include_domains", [])
    found = library.search(words, body.get("max_results", 5), sites, body.get("exclude_domains", []))
    rows = [
        {
            "url": hit.url,
            "title": hit.title,
            "content": hit.snippet,
            "score": 0.9,
            "raw_content": None,
            "id": f"a1b2c3-{n:02}",
        }
        for n, hit in enumerate(found)
    ]
    usage = (
        {"usage": {"credits": 2 if body.get("search_depth") == "advanced" else 1}} if body.get("include_usage") else {}
    )
    answer = {"query": body["query"], "follow_up_questions": None, "answer": None, "images": [], "results": rows}
    return json_reply({**answer, "response_time": 0.4, "request_id": _ID, **usage})


def _search_problem(body: Any) -> str:
    query = body.get("query") if isinstance(body, dict) else None
    if not isinstance(query, str) or not query.strip():
        return "Query is missing."
    if len(query) > 400:
        return "Query is too long. Max query length is 400 characters."
    if all(word.lower().startswith("site:") for word in query.split()):
        return "Query must have other words than site: operators."
    if body.get("search_depth", "basic") not in _DEPTHS:
        return f"Invalid search depth. Must be one of {', '.join(_DEPTHS)}."
    if not is_whole(body.get("max_results", 5), 0, 20):
        return "Max results must be between 0 and 20."
    if not is_whole(body.get("chunks_per_source", 3), 1, 3):
        return "Chunks per source must be between 1 and 3."
    if "include_domains" in body and not is_texts(body["include_domains"], 0, 300):
        return "Max 300 domains may be included."
    if "exclude_domains" in body and not is_texts(body["exclude_domains"], 0, 150):
        return "Max 150 domains may be excluded."
    return ""


def _extract(request: Request, library: Library) -> Reply:
    body = request.json()
    urls = body.get("urls") if isinstance(body, dict) else None
    urls = [urls] if isinstance(urls, str) else urls
    if not is_texts(urls, 1, 20):
        return _error(400, "Give 1 to 20 URLs.")
    if body.get("extract_depth", "basic") not in ("basic", "advanced"):
        return _error(400, "Invalid extract depth.")
    if not is_whole(body.get("timeout", 10), 1, 60):
        return _error(400, "Timeout must be between 1 and 60 seconds.")
    results, failed = [], []
    for url in urls:
        page = library.page(url)
        if page is None:
            failed.append({"url": url, "error": "Failed to fetch url"})
        else:
            text = page.text[:500] if body.get("query") else page.text
            results.append({"url": page.url, "title": page.title, "raw_content": text, "images": []})
    usage = {"usage": {"credits": len(results) // 5}} if body.get("include_usage") else {}
    return json_reply({"results": results, "failed_results": failed, "response_time": 0.5, "request_id": _ID, **usage})


FACE: Final = Face(
    family="tavily",
    key=bearer,
    routes={("POST", "/search"): Route("search", _search), ("POST", "/extract"): Route("fetch", _extract)},
    error=_error,
)
