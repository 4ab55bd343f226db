"""TinyFish: ``GET`` of its search host and ``POST`` to its fetch host (https://docs.tinyfish.ai)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import option_checks, results, sites
from agentcompass_websearch.tools.contract import (
    BOTH_BOARDS,
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

_SEARCH_URL: Final = "https://api.search.tinyfish.ai"
_FETCH_URL: Final = "https://api.fetch.tinyfish.ai"
_MOST_DOMAINS: Final = 20
_MAX_PURPOSE_CHARS: Final = 2000
_SEARCH_TIMEOUT_S: Final = 30.0
_FETCH_TIMEOUT_S: Final = 150.0

_MAX_AGE: Final = "max_age_hours"
_OPTIONS: Final = {
    _MAX_AGE: "how old a stored page may be, in hours; 0 reads every page live (unset: of any age)",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """There is no parameter for how many results are wanted."""
    query, domains = sites.asked(
        request.query, settings.options, include="include_domains", exclude="exclude_domains", most=_MOST_DOMAINS
    )
    params = {"query": query, **_purpose(request.objective), **{name: ",".join(all_) for name, all_ in domains.items()}}
    return HttpRequest("GET", "/", params=params, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """The usual fields."""
    return Answer(results.hits(results.section(reply.json_object(), "results")))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown, read in a browser."""
    body: dict[str, Any] = {"urls": [request.url], "format": "markdown", **_purpose(request.objective)}
    if _MAX_AGE in settings.options:
        body["ttl"] = settings.options[_MAX_AGE] * 3600
    return HttpRequest("POST", "/", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page that could not be read arrives with HTTP 200 under ``errors``."""
    body = reply.json_object()
    row = results.first(results.section(body, "results"))
    if not row:
        raise results.unread(results.first(results.optional_section(body, "errors")).get("error"))
    return Answer(
        results.page(request.url, content=row.get("text"), final_url=row.get("final_url"), title=row.get("title"))
    )


def _purpose(objective: str | None) -> dict[str, str]:
    return {"purpose": results.shorten_query(objective, _MAX_PURPOSE_CHARS, None)} if objective else {}


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "tinyfish", least=0, unit="hours")
    sites.check(options, "tinyfish")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``tinyfish``, with the one id ``tinyfish``."""
    price = Price(0.0, 0.0, as_of="2026-11", source="free allowance on current plans, limited in rate")
    return http_vendor(
        HttpApi(
            search=Endpoint(_SEARCH_URL, build_search, parse_search),
            fetch=Endpoint(_FETCH_URL, build_fetch, parse_fetch),
            auth=Auth("x-api-key"),
        ),
        family="tinyfish",
        title="TinyFish",
        homepage="https://www.tinyfish.ai",
        # 30 searches a minute; pages may be read five times as fast.
        modes=(
            Mode(
                "", "web search, and a browser that reads pages", SEARCH_AND_FETCH, BOTH_BOARDS, price, rate_per_s=0.5
            ),
        ),
        default_mode="",
        key_vars=("TINYFISH_API_KEY", "TINYFISH_KEY"),
        facts=Facts(
            site_operator=sites.LIFTED,
            cache="stored pages of any age unless max_age_hours is set",
            objective=SEARCH_AND_FETCH,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
