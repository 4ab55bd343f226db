"""Linkup: ``POST /v1/search`` and ``POST /v1/fetch`` (https://docs.linkup.so)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Hit, Page
from agentcompass_websearch.tools import option_checks, results, sites
from agentcompass_websearch.tools.contract import (
    SEARCH_AND_FETCH,
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    Price,
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import Answer, Endpoint, HttpApi, HttpReply, HttpRequest, Rule, http_vendor

_BASE_URL: Final = "https://api.linkup.so"
_MOST_DOMAINS: Final = 100
_SEARCH_TIMEOUT_S: Final = 30.0
_FETCH_TIMEOUT_S: Final = 90.0

_RENDER: Final = "render_js"
_OPTIONS: Final = {
    _RENDER: "false: fetch pages without running their JavaScript, for 0.001 instead of 0.005 (default true)",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Results only: no answer, no images."""
    query, domains = sites.asked(
        request.query, settings.options, include="includeDomains", exclude="excludeDomains", most=_MOST_DOMAINS
    )
    body = {
        "q": query,
        "depth": settings.mode.name,
        "outputType": "searchResults",
        "maxResults": request.max_results,
        **domains,
    }
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Images may stand among the results; they are no pages."""
    rows = results.section(reply.json_object(), "results")
    pages = [row for row in rows if isinstance(row, dict) and row.get("type") != "image"]
    return Answer(results.hits(pages, title="name", snippet="content"))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    body = {"url": request.url, "mode": "standard", "renderJs": settings.options.get(_RENDER, True)}
    return HttpRequest("POST", "/v1/fetch", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """Linkup tells neither the title nor the URL where redirects ended."""
    return Answer(results.page(request.url, content=results.required(reply.json_object(), "markdown")))


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.flag(options, _RENDER, "linkup")
    sites.check(options, "linkup", most=_MOST_DOMAINS)


def _mode(name: str, description: str, board: Board) -> Mode:
    price = Price(0.005, 0.005, as_of="2026-11", source="https://docs.linkup.so (pricing); fetch with JavaScript")
    return Mode(name, description, SEARCH_AND_FETCH, (board,), price, rate_per_s=10.0)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``linkup``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            rules=(
                Rule("empty", {400}, r"\bSEARCH_QUERY_NO_RESULT\b"),
                Rule(ErrorKind.TARGET, {400}, r"\bFETCH_[A-Z_]+\b", billed=False),
                # Failures are not charged.
                Rule(ErrorKind.BAD_REQUEST, {400, 404, 422}, billed=False),
                Rule(ErrorKind.SERVER, {500, 502, 503}, billed=False),
            ),
        ),
        family="linkup",
        title="Linkup",
        homepage="https://www.linkup.so",
        modes=(
            _mode("flash", "lowest latency, the query as it is", "search-only"),
            _mode("fast", "quick, the query as it is", "search-only"),
            _mode("standard", "the query rewritten by a model", "search-fetch"),
        ),
        default_mode="fast",
        key_vars=("LINKUP_API_KEY",),
        facts=Facts(site_operator=sites.LIFTED),
        options=_OPTIONS,
        check_options=_check_options,
    )
