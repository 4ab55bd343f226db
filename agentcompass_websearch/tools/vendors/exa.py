"""Exa: ``POST /search`` with highlights, ``POST /contents`` for pages (https://exa.ai/docs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Hit, Page
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import (
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
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    http_vendor,
)

_BASE_URL: Final = "https://api.exa.ai"
_MOST_RESULTS: Final = 100
_SEARCH_TIMEOUT_S: Final = {"instant": 30.0, "fast": 30.0, "lite": 30.0, "auto": 45.0, "deep": 120.0}
_FETCH_TIMEOUT_S: Final = 90.0

_OPTIONS: Final = {
    "max_age_hours": "how old stored page contents may be, in hours; 0 reads every page live, -1 never (unset: Exa's)",
    "include_domains": "list of domains that results must come from",
    "exclude_domains": "list of domains that results must not come from; not together with include_domains",
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Highlights are asked for under ``contents``; at the top level of a search Exa ignores them."""
    options = settings.options
    contents: dict[str, Any] = {"highlights": True}
    body: dict[str, Any] = {
        "query": request.query,
        "type": settings.mode.name,
        "numResults": min(request.max_results, _MOST_RESULTS),
        "contents": contents | _age(options),
    }
    if "include_domains" in options:
        body["includeDomains"] = options["include_domains"]
    if "exclude_domains" in options:
        body["excludeDomains"] = options["exclude_domains"]
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
    rows = [row for row in results.section(body, "results") if isinstance(row, dict)]
    cost = _cost(body)
    if not rows:
        raise _unread(body, cost)
    row = rows[0]
    page = results.page(request.url, content=row.get("text"), final_url=row.get("url"), title=row.get("title"))
    return Answer(page, reported_usd=cost)


def _age(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"maxAgeHours": options["max_age_hours"]} if "max_age_hours" in options else {}


def _snippet(row: Mapping[str, Any]) -> str:
    """Return whichever text the hit came with: what Exa returns depends on what was asked and on what it holds."""
    return next((text for name in ("highlights", "text", "summary") if (text := results.words(row.get(name)))), "")


def _cost(body: Mapping[str, Any]) -> float | None:
    cost = body.get("costDollars")
    return results.usd(cost.get("total")) if isinstance(cost, dict) else None


def _unread(body: Mapping[str, Any], cost: float | None) -> Fault:
    statuses = results.optional_section(body, "statuses")
    error = next((s.get("error") for s in statuses if isinstance(s, dict) and s.get("status") == "error"), None)
    error = error if isinstance(error, dict) else {}
    status = error.get("httpStatusCode")
    return Fault(
        ErrorKind.TARGET,
        f"the page could not be read: {results.words(error.get('tag')) or 'no reason given'}",
        status=status if isinstance(status, int) else None,
        billed=None if cost is None else cost > 0,
        reported_usd=cost,
    )


def _check_options(options: Mapping[str, Any]) -> None:
    age = options.get("max_age_hours", 0)
    if isinstance(age, bool) or not isinstance(age, int) or age < -1:
        raise UsageError(f"vendor_options.max_age_hours of exa must be a whole number of hours or -1, not {age!r}")
    for name in ("include_domains", "exclude_domains"):
        domains = options.get(name, [])
        if not isinstance(domains, list) or not all(isinstance(domain, str) and domain for domain in domains):
            raise UsageError(f"vendor_options.{name} of exa must be a list of domains, such as [docs.acme.example]")
    if options.get("include_domains") and options.get("exclude_domains"):
        raise UsageError("vendor_options of exa: give include_domains or exclude_domains, not both")


def _mode(name: str, description: str, board: Board, search_usd: float, rate_per_s: float = 10.0) -> Mode:
    # Rates: the published limits of /search. Contents may be fetched ten times as fast.
    source = "https://exa.ai/docs (pricing); each answer's costDollars is the truth"
    price = Price(search_usd=search_usd, fetch_usd=0.001, as_of="2026-11", source=source)
    return Mode(name, description, frozenset({"search", "fetch"}), (board,), price, rate_per_s)


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
            site_operator="read from the query, but may be relaxed",
            cache="stored contents of any age unless max_age_hours is set",
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
