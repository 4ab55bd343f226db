"""Tavily: ``POST /search`` and ``POST /extract`` (https://docs.tavily.com)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Hit, Page
from agentcompass_websearch.tools import option_checks, results, sites
from agentcompass_websearch.tools.contract import (
    SEARCH_AND_FETCH,
    Facts,
    FetchRequest,
    Mode,
    Price,
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import Answer, Endpoint, HttpApi, HttpReply, HttpRequest, http_vendor

_BASE_URL: Final = "https://api.tavily.com"
_MOST_RESULTS: Final = 20
_MOST_DOMAINS: Final = 300
_MOST_EXCLUDED: Final = 150
_USD_PER_CREDIT: Final = 0.008
_SEARCH_TIMEOUT_S: Final = 45.0
_FETCH_TIMEOUT_S: Final = 90.0
_PAGE_TIMEOUT_S: Final = 60

_MAX_AGE: Final = "max_age_hours"
_CHUNKS: Final = "fetch_chunks"
_OPTIONS: Final = {
    _MAX_AGE: "how old stored page contents of a search may be, in hours (unset: Tavily's own choice)",
    _CHUNKS: "true: a fetch returns the passages that suit the objective instead of the page",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """A query of nothing but ``site:`` would be refused; it is sent as the site's name."""
    query, domains = sites.asked(
        request.query, settings.options, include="include_domains", exclude="exclude_domains", most=_MOST_DOMAINS
    )
    mode = settings.mode.name
    body: dict[str, Any] = {
        "query": query,
        "search_depth": mode.replace("_", "-"),
        "max_results": min(request.max_results, _MOST_RESULTS),
        "topic": "general",
        "include_usage": True,
        **domains,
    }
    if mode in ("fast", "advanced"):
        body["chunks_per_source"] = 3
    if _MAX_AGE in settings.options:
        body["max_age_hours"] = settings.options[_MAX_AGE]
    return HttpRequest("POST", "/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Passages of a page come joined by ``[...]`` in ``content``."""
    body = reply.json_object()
    return Answer(results.hits(results.section(body, "results"), snippet="content"), reported_usd=_cost(body))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The objective is sent only on request: with it, Tavily returns passages instead of the page."""
    body: dict[str, Any] = {
        "urls": [request.url],
        "extract_depth": "advanced" if settings.mode.name == "advanced" else "basic",
        "format": "markdown",
        "timeout": _PAGE_TIMEOUT_S,
        "include_usage": True,
    }
    if request.objective and settings.options.get(_CHUNKS):
        body["query"] = request.objective
    return HttpRequest("POST", "/extract", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page that could not be read arrives with HTTP 200 under ``failed_results``, and is free."""
    body = reply.json_object()
    cost = _cost(body)
    row = results.first(results.section(body, "results"))
    if not row:
        failed = results.first(results.optional_section(body, "failed_results"))
        raise results.unread(failed.get("error"), reported_usd=cost, billed=False)
    page = results.page(
        request.url, content=row.get("raw_content"), final_url=row.get("url"), title=row.get("title"), reported_usd=cost
    )
    return Answer(page, reported_usd=cost)


def _cost(body: Mapping[str, Any]) -> float | None:
    """Return the credits of a call at the pay-as-you-go price of a credit."""
    used = results.usd(results.part(body, "usage").get("credits"))
    return None if used is None else used * _USD_PER_CREDIT


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "tavily", least=0, unit="hours")
    option_checks.flag(options, _CHUNKS, "tavily")
    sites.check(options, "tavily", most=_MOST_DOMAINS, most_excluded=_MOST_EXCLUDED)


def _mode(name: str, description: str, board: Board, search_usd: float = 0.008, fetch_usd: float = 0.0016) -> Mode:
    price = Price(search_usd, fetch_usd, as_of="2026-11", source="https://docs.tavily.com (API credits), pay as you go")
    # 100 calls a minute with a development key, 1,000 with a production key.
    return Mode(name, description, SEARCH_AND_FETCH, (board,), price, rate_per_s=100 / 60)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``tavily``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
        ),
        family="tavily",
        title="Tavily",
        homepage="https://tavily.com",
        modes=(
            _mode("ultra_fast", "lowest latency, one summary a page", "search-only"),
            _mode("fast", "quick, the best passages of each page", "search-only"),
            _mode("basic", "Tavily's default depth", "search-fetch"),
            _mode("advanced", "deeper search and extraction, two credits", "search-fetch", 0.016, 0.0032),
        ),
        default_mode="fast",
        key_vars=("TAVILY_API_KEY",),
        facts=Facts(
            site_operator=sites.LIFTED,
            cache="unknown for fetches; searches take max_age_hours",
            max_query_chars=400,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
