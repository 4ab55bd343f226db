"""Valyu: ``POST /v1/search`` of the web, ``POST /v1/contents`` for pages (https://docs.valyu.ai)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import option_checks, results, sites
from agentcompass_websearch.tools.contract import (
    BOTH_BOARDS,
    SEARCH_AND_FETCH,
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    http_vendor,
)

_BASE_URL: Final = "https://api.valyu.ai"
_MOST_RESULTS: Final = 20
_MOST_DOMAINS: Final = 50
_SEARCH_TIMEOUT_S: Final = 60.0
_FETCH_TIMEOUT_S: Final = 90.0

_NOTHING: Final = re.compile(r"\bno (\w+ )?results?\b", re.IGNORECASE)
_TYPE: Final = "search_type"
_TYPES: Final = ("web", "proprietary", "all", "news")
_OPTIONS: Final = {_TYPE: "web (default), proprietary (Valyu's data sets), news, or all", **sites.OPTIONS}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Only the web is searched unless told otherwise: Valyu's own default mixes in licensed data sets."""
    query, domains = sites.asked(
        request.query,
        settings.options,
        include="included_sources",
        exclude="excluded_sources",
        most=_MOST_DOMAINS,
        paths=True,
    )
    body: dict[str, Any] = {
        "query": query,
        "search_type": settings.options.get(_TYPE, "web"),
        "max_num_results": min(request.max_results, _MOST_RESULTS),
        **domains,
    }
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """The content of structured data is an object or a list; it is shown as JSON."""
    body = _successful(reply)
    hits = results.hits(results.section(body, "results"), snippet=_snippet)
    return Answer(hits, reported_usd=results.usd(body.get("total_deduction_dollars")))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    return HttpRequest("POST", "/v1/contents", json={"urls": [request.url]}, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page that could not be read arrives with HTTP 200 and says so in its ``status``."""
    body = _successful(reply)
    cost = results.usd(body.get("total_cost_dollars"))
    row = results.first(results.section(body, "results"))
    if not row or row.get("status") not in (None, "success"):
        raise results.unread(row.get("error"), reported_usd=cost)
    page = results.page(
        request.url, content=row.get("content"), final_url=row.get("url"), title=row.get("title"), reported_usd=cost
    )
    return Answer(page, reported_usd=cost)


def _successful(reply: HttpReply) -> dict[str, Any]:
    """Return the body of a good answer. With HTTP 200, ``success: false`` is a failure, and so is an error in place of
    results, unless it says that there are none."""
    body = reply.json_object()
    said = results.words(body.get("error"))
    failed = said and not body.get("results") and not _NOTHING.search(said)
    if body.get("success") is False or failed:
        said = said or "no reason given"
        raise Fault(ErrorKind.SERVER, f"HTTP {reply.status}, but no success: {said[:200]}", status=reply.status)
    return body


def _snippet(row: Mapping[str, Any]) -> str:
    content = row.get("content")
    if isinstance(content, dict | list) and content:
        return json.dumps(content, ensure_ascii=False)
    return results.words(content) or results.words(row.get("description"))


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.one_of(options, _TYPE, "valyu", _TYPES)
    sites.check(options, "valyu")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``valyu``, with the one id ``valyu``. It is charged by result, so a search has no one list price."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            auth=Auth("x-api-key"),
        ),
        family="valyu",
        title="Valyu",
        homepage="https://www.valyu.ai",
        modes=(Mode("", "web search with the texts of pages, and a reader of pages", SEARCH_AND_FETCH, BOTH_BOARDS),),
        default_mode="",
        key_vars=("VALYU_API_KEY",),
        facts=Facts(site_operator=sites.LIFTED, cache="none known"),
        options=_OPTIONS,
        check_options=_check_options,
    )
