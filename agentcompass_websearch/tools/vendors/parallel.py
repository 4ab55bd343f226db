"""Parallel: ``POST /v1/search`` and ``POST /v1/extract`` (https://docs.parallel.ai)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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
from agentcompass_websearch.tools.http import Answer, Auth, Endpoint, HttpApi, HttpReply, HttpRequest, http_vendor

_BASE_URL: Final = "https://api.parallel.ai"
_MOST_RESULTS: Final = 20
_MOST_DOMAINS: Final = 200
_MAX_OBJECTIVE_CHARS: Final = 5000
_MAX_KEYWORDS_CHARS: Final = 200
_SEARCH_TIMEOUT_S: Final = {"turbo": 45.0, "fast": 45.0, "basic": 60.0, "advanced": 90.0}
_FETCH_TIMEOUT_S: Final = 90.0
_MORE_RESULTS_USD: Final = 0.001
_NO_PRICE: Final = Price()

_MAX_AGE: Final = "max_age_hours"
_OPTIONS: Final = {
    _MAX_AGE: "how old stored pages may be, in hours, 1 or more (unset: Parallel's index, of any age)",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The objective holds the whole query, or what the searcher is after; the keywords hold as much as they may."""
    query, domains = sites.asked(
        request.query,
        settings.options,
        include="include_domains",
        exclude="exclude_domains",
        most=_MOST_DOMAINS,
        paths=True,
    )
    advanced: dict[str, Any] = {"max_results": min(request.max_results, _MOST_RESULTS), **_freshness(settings.options)}
    if domains:
        advanced["source_policy"] = domains
    keywords = results.shorten_query(query, _MAX_KEYWORDS_CHARS, None)
    aims = [request.objective, None if request.objective and keywords == query else query]
    body = {
        "objective": results.shorten_query(" ".join(filter(None, aims)), _MAX_OBJECTIVE_CHARS, None),
        "search_queries": [keywords],
        "mode": settings.mode.name,
        "advanced_settings": advanced,
    }
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S[settings.mode.name])


def parse_search(reply: HttpReply, request: SearchRequest, price: Price = _NO_PRICE) -> Answer[tuple[Hit, ...]]:
    """The snippet is the excerpts of the page. URLs are often http for a page that is https."""
    body = reply.json_object()
    hits = results.hits(results.section(body, "results"), snippet="excerpts")
    return Answer(hits, reported_usd=_cost(body, price))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The whole text of one page."""
    body: dict[str, Any] = {
        "urls": [request.url],
        "advanced_settings": {"full_content": True, **_freshness(settings.options)},
    }
    if request.objective:
        body["objective"] = results.shorten_query(request.objective, _MAX_OBJECTIVE_CHARS, None)
    return HttpRequest("POST", "/v1/extract", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest, price: Price = _NO_PRICE) -> Answer[Page]:
    """A page that could not be read arrives with HTTP 200 under ``errors``."""
    body = reply.json_object()
    cost = _cost(body, price)
    row = results.first(results.section(body, "results"))
    if not row:
        error = results.first(results.optional_section(body, "errors"))
        said = error.get("content") or error.get("error_type")
        raise results.unread(said, status=error.get("http_status_code"), reported_usd=cost)
    content = results.words(row.get("full_content")) or row.get("excerpts")
    page = results.page(
        request.url, content=content, final_url=row.get("url"), title=row.get("title"), reported_usd=cost
    )
    return Answer(page, reported_usd=cost)


def _cost(body: Mapping[str, Any], price: Price) -> float | None:
    """Return the units in ``usage`` at the list prices of the mode; unknown where a unit or its price is."""
    if not isinstance(body.get("usage"), list):
        return None
    usd_of = {
        "sku_search": price.search_usd,
        "sku_search_additional_results": _MORE_RESULTS_USD,
        "sku_extract_excerpts": price.fetch_usd,
    }
    total = 0.0
    for unit in body["usage"]:
        unit = unit if isinstance(unit, dict) else {}
        usd, count = usd_of.get(str(unit.get("name"))), results.usd(unit.get("count"))
        if usd is None or count is None:
            return None
        total += count * usd
    return total


def _freshness(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"fetch_policy": {"max_age_seconds": 3600 * options[_MAX_AGE]}} if _MAX_AGE in options else {}


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "parallel", least=1, unit="hours")
    sites.check(options, "parallel", most=_MOST_DOMAINS, most_excluded=_MOST_DOMAINS)


def _mode(name: str, description: str, board: Board, search_usd: float) -> Mode:
    price = Price(
        search_usd, 0.001, as_of="2026-11", source="https://docs.parallel.ai (pricing), +0.001 a result over 10"
    )
    return Mode(name, description, SEARCH_AND_FETCH, (board,), price, rate_per_s=10.0)


def _api(mode: Mode) -> HttpApi:
    """What a call costs is told in units, whose price hangs on the mode."""
    return HttpApi(
        search=Endpoint(_BASE_URL, build_search, partial(parse_search, price=mode.price)),
        fetch=Endpoint(_BASE_URL, build_fetch, partial(parse_fetch, price=mode.price)),
        auth=Auth("x-api-key"),
    )


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``parallel``."""
    return http_vendor(
        _api,
        family="parallel",
        title="Parallel",
        homepage="https://parallel.ai",
        modes=(
            _mode("turbo", "lowest latency", "search-only", 0.001),
            _mode("fast", "quick", "search-only", 0.001),
            _mode("basic", "longer excerpts, moderate latency", "search-fetch", 0.005),
            _mode("advanced", "Parallel's default, slowest", "search-fetch", 0.005),
        ),
        default_mode="advanced",
        key_vars=("PARALLEL_API_KEY",),
        facts=Facts(
            site_operator=sites.LIFTED,
            cache="stored pages of any age unless max_age_hours is set",
            objective=SEARCH_AND_FETCH,
            max_query_chars=_MAX_OBJECTIVE_CHARS,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
