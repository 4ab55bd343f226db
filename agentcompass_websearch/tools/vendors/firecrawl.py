"""Firecrawl: ``POST /v2/search`` and ``POST /v2/scrape`` (https://docs.firecrawl.dev)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import option_checks, results
from agentcompass_websearch.tools.contract import (
    BOTH_BOARDS,
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
from agentcompass_websearch.tools.http import (
    Answer,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)

_BASE_URL: Final = "https://api.firecrawl.dev"
_MOST_RESULTS: Final = 100
_USD_PER_CREDIT: Final = 0.0025
_SEARCH_TIMEOUT_S: Final = 60.0
_FETCH_TIMEOUT_S: Final = 90.0

_MAX_AGE: Final = "max_age_hours"
_OPTIONS: Final = {_MAX_AGE: "how old a stored page may be, in hours; 0 reads every page live (unset: Firecrawl's 48)"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Operators such as ``site:`` are part of Firecrawl's query language."""
    body = {"query": request.query, "limit": min(request.max_results, _MOST_RESULTS)}
    return HttpRequest("POST", "/v2/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Version 2 has the results under ``data.web``, a server of one's own may have them under ``data``."""
    body = reply.json_object()
    if body.get("success") is False:
        raise Fault(
            ErrorKind.SERVER, f"the search failed: {results.words(body.get('error'))[:200]}", status=reply.status
        )
    data = body.get("data")
    rows = results.optional_section(data, "web") if isinstance(data, dict) else results.section(body, "data")
    return Answer(results.hits(rows, snippet="description"), reported_usd=_cost(body))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    body: dict[str, Any] = {"url": request.url, "formats": ["markdown"]}
    if _MAX_AGE in settings.options:
        body["maxAge"] = settings.options[_MAX_AGE] * 3_600_000
    return HttpRequest("POST", "/v2/scrape", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page of an error status is a success to Firecrawl, and charged: only ``metadata.statusCode`` tells."""
    body = reply.json_object()
    if body.get("success") is False:
        raise results.unread(body.get("error"))
    results.required(body, "data")
    data = results.part(body, "data")
    metadata = results.part(data, "metadata")
    cost = _cost(metadata)
    page = results.page(
        request.url,
        content=data.get("markdown"),
        final_url=metadata.get("url"),
        title=metadata.get("title"),
        status=metadata.get("statusCode"),
        note=metadata.get("error"),
        reported_usd=cost,
    )
    return Answer(page, reported_usd=cost)


def _cost(part: Mapping[str, Any]) -> float | None:
    """Return the credits of a call at the price of a credit that the list prices assume."""
    used = results.usd(part.get("creditsUsed"))
    return None if used is None else used * _USD_PER_CREDIT


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "firecrawl", least=0, unit="hours")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``firecrawl``, with the one id ``firecrawl``."""
    source = "2 credits a search of 10 results, 1 a page; a credit costs 0.001 to 0.0046 by plan, 0.0025 assumed"
    price = Price(0.005, 0.0025, as_of="2026-11", source=source)
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            rules=(
                # The page's own failure, whatever the status: a page that is too slow is no failing vendor.
                Rule(ErrorKind.TARGET, range(400, 600), r"\bSCRAPE_[A-Z_]+\b"),
                Rule(ErrorKind.TARGET, {403}, r"\b(web)?site\b|\bURL\b", billed=False),
            ),
        ),
        family="firecrawl",
        title="Firecrawl",
        homepage="https://www.firecrawl.dev",
        # 10 calls a minute on the free plan, 100 on the smallest paid one.
        modes=(
            Mode(
                "",
                "web search with passages, and a browser that reads pages",
                SEARCH_AND_FETCH,
                BOTH_BOARDS,
                price,
                100 / 60,
            ),
        ),
        default_mode="",
        key_vars=("FIRECRAWL_API_KEY",),
        facts=Facts(
            site_operator="native",
            cache="pages up to 2 days old unless max_age_hours is set",
            max_query_chars=500,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
