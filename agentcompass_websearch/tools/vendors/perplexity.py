"""Perplexity's Search API: ``POST /search`` (https://docs.perplexity.ai). It reads no pages; see `build_fetch`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Hit, Page
from agentcompass_websearch.tools import results, sites
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

_BASE_URL: Final = "https://api.perplexity.ai"
_MOST_RESULTS: Final = 20
_MOST_DOMAINS: Final = 20
_TIMEOUT_S: Final = 45.0
_FETCH_USD: Final = 0.005
_LONG_TEXTS: Final = {"search_context_size": "high"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Domains to leave out are written with a minus; both sorts never stand in one request."""
    query, domains = sites.asked(
        request.query, settings.options, include="include", exclude="exclude", most=_MOST_DOMAINS
    )
    filter_ = domains.get("include", []) + [f"-{domain}" for domain in domains.get("exclude", [])]
    name = settings.mode.name
    size = {"search_type": "fast"} if name == "fast" else {"search_context_size": name}
    return _search(query, min(request.max_results, _MOST_RESULTS), filter_, size)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """The snippet is text of the page, often thousands of characters."""
    return Answer(results.hits(_rows(reply)))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """There is nothing to read a page with: it is searched for by its URL, on its own host, with the longest text."""
    return _search(request.url, 1, [urlsplit(request.url).hostname or ""], _LONG_TEXTS)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A search finds something for any URL: only the very page that was asked for counts."""
    wanted = results.key_of(request.url)
    found = next((hit for hit in results.hits(_rows(reply)) if results.key_of(hit.url) == wanted), None)
    if found is None:
        raise results.unread("Perplexity's index does not have it", billed=True)
    return Answer(results.page(request.url, content=found.snippet, final_url=found.url, title=found.title))


def _rows(reply: HttpReply) -> list[Any]:
    """Return the results; those of several queries come as a list of lists."""
    rows = results.section(reply.json_object(), "results")
    return [row for part in rows for row in (part if isinstance(part, list) else [part])]


def _search(query: str, wanted: int, domains: list[str], size: Mapping[str, str]) -> HttpRequest:
    body: dict[str, Any] = {"query": query, "max_results": wanted, **size}
    if domains:
        body["search_domain_filter"] = domains
    return HttpRequest("POST", "/search", json=body, timeout_s=_TIMEOUT_S)


def _check_options(options: Mapping[str, Any]) -> None:
    sites.check(options, "perplexity", most=_MOST_DOMAINS, most_excluded=_MOST_DOMAINS)


def _mode(name: str, description: str, board: Board, usd: float) -> Mode:
    price = Price(usd, _FETCH_USD, "2026-11", "https://docs.perplexity.ai (pricing)")
    return Mode(name, description, SEARCH_AND_FETCH, (board,), price, rate_per_s=50.0)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``perplexity``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
        ),
        family="perplexity",
        title="Perplexity",
        homepage="https://docs.perplexity.ai",
        modes=(
            _mode("fast", "quick and cheap", "search-only", 0.001),
            _mode("low", "short texts of pages", "search-only", 0.005),
            _mode("high", "long texts of pages", "search-fetch", 0.005),
        ),
        default_mode="high",
        key_vars=("PERPLEXITY_API_KEY", "PERPLEXITY_API"),
        facts=Facts(
            fetch="a search for the URL (no page endpoint)",
            site_operator=sites.LIFTED,
            cache="Perplexity's own index",
        ),
        options=sites.OPTIONS,
        check_options=_check_options,
    )
