"""Exa: ``POST /search`` with highlights, ``POST /contents`` for pages (https://exa.ai/docs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Hit, Page
from agentcompass_websearch.tools import option_checks, results, sites
from agentcompass_websearch.tools.contract import (
    SEARCH,
    SEARCH_AND_FETCH,
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
    Auth,
    Endpoint,
    HttpApi,
    HttpReply,
    HttpRequest,
    http_vendor,
)

_BASE_URL: Final = "https://api.exa.ai"
_MOST_RESULTS: Final = 100
_MOST_DOMAINS: Final = 100
_MAX_OBJECTIVE_CHARS: Final = 4096
_NO_OBJECTIVE: Final = frozenset({"lite"})
_SEARCH_TIMEOUT_S: Final = {"instant": 30.0, "fast": 30.0, "lite": 30.0, "auto": 45.0, "deep": 120.0}
_FETCH_TIMEOUT_S: Final = 90.0

_MAX_AGE: Final = "max_age_hours"
_OPTIONS: Final = {
    _MAX_AGE: "how old stored page contents may be, in hours; 0 reads every page live, -1 never (unset: Exa's)",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Highlights are asked for under ``contents``; at the top level of a search Exa ignores them."""
    query, domains = sites.asked(
        request.query,
        settings.options,
        include="includeDomains",
        exclude="excludeDomains",
        most=_MOST_DOMAINS,
        paths=True,
    )
    body: dict[str, Any] = {
        "query": query,
        "type": settings.mode.name,
        "numResults": min(request.max_results, _MOST_RESULTS),
        "contents": {"highlights": True, **_age(settings.options)},
        **domains,
    }
    if request.objective and settings.mode.name not in _NO_OBJECTIVE:
        body["objective"] = results.shorten_query(request.objective, _MAX_OBJECTIVE_CHARS, None)
    return HttpRequest("POST", "/search", json=body, timeout_s=_SEARCH_TIMEOUT_S[settings.mode.name])


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Notices and warnings of the answer are Exa's words to a developer, not to the model: they are left out."""
    body = reply.json_object()
    hits = results.hits(results.section(body, "results"), snippet=_snippet)
    return Answer(hits, reported_usd=_cost(body))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The whole text of one page."""
    body = {"urls": [request.url], "text": True} | _age(settings.options)
    return HttpRequest("POST", "/contents", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page that Exa could not read arrives with HTTP 200 and says so in ``statuses``."""
    body = reply.json_object()
    row = results.first(results.section(body, "results"))
    cost = _cost(body)
    if not row:
        error = results.part(results.first(results.optional_section(body, "statuses")), "error")
        raise results.unread(error.get("tag"), status=error.get("httpStatusCode"), reported_usd=cost)
    page = results.page(
        request.url, content=row.get("text"), final_url=row.get("url"), title=row.get("title"), reported_usd=cost
    )
    return Answer(page, reported_usd=cost)


def _age(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"maxAgeHours": options[_MAX_AGE]} if _MAX_AGE in options else {}


def _snippet(row: Mapping[str, Any]) -> str:
    """Return whichever text the hit came with: what Exa returns depends on what was asked and on what it holds."""
    return next((text for name in ("highlights", "text", "summary") if (text := results.words(row.get(name)))), "")


def _cost(body: Mapping[str, Any]) -> float | None:
    return results.usd(results.part(body, "costDollars").get("total"))


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "exa", least=-1, unit="hours")
    sites.check(options, "exa")


def _mode(name: str, description: str, board: Board, search_usd: float, rate_per_s: float = 10.0) -> Mode:
    # Rates: the published limits of /search. Contents may be fetched ten times as fast.
    source = "https://exa.ai/docs (pricing); each answer's costDollars is the truth"
    price = Price(search_usd=search_usd, fetch_usd=0.001, as_of="2026-11", source=source)
    return Mode(name, description, SEARCH_AND_FETCH, (board,), price, rate_per_s)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``exa``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            auth=Auth("x-api-key"),
        ),
        family="exa",
        title="Exa",
        homepage="https://exa.ai",
        modes=(
            _mode("instant", "lowest latency (older name, still accepted)", "search-only", 0.007),
            _mode("fast", "quick (older name, still accepted)", "search-only", 0.007),
            _mode("auto", "Exa's default", "search-fetch", 0.007),
            _mode("deep", "several searches, merged by a model", "search-fetch", 0.012, rate_per_s=5.0),
            _mode("lite", "cheapest: stored contents only (beta)", "search-only", 0.004),
        ),
        default_mode="auto",
        key_vars=("EXA_API_KEY",),
        facts=Facts(
            site_operator=sites.LIFTED,
            cache="stored contents of any age unless max_age_hours is set",
            objective=SEARCH,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
