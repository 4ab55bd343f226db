"""Serper: ``POST google.serper.dev/search`` and ``POST scrape.serper.dev`` (https://serper.dev)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import results
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
from agentcompass_websearch.tools.http import (
    Answer,
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)

_SEARCH_URL: Final = "https://google.serper.dev"
_SCRAPE_URL: Final = "https://scrape.serper.dev"
_ONE_PAGE: Final = 10
_MOST_RESULTS: Final = 100
_USD_PER_CREDIT: Final = 0.001
_SEARCH_TIMEOUT_S: Final = 30.0
_FETCH_TIMEOUT_S: Final = 90.0


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """A page of Google has ten results; more of them cost a second credit."""
    wanted = min(max(request.max_results, _ONE_PAGE), _MOST_RESULTS)
    return HttpRequest("POST", "/search", json={"q": request.query, "num": wanted}, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Where Google found nothing, ``organic`` is missing; every good answer repeats its parameters."""
    body = reply.json_object()
    if "searchParameters" not in body:
        raise Fault(ErrorKind.UNREADABLE, "the answer has no 'searchParameters'")
    hits = results.hits(results.optional_section(body, "organic"), url="link")
    return Answer(hits, reported_usd=_cost(body))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    body = {"url": request.url, "includeMarkdown": True}
    return HttpRequest("POST", "/", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """Some pages come as plain text only."""
    body = reply.json_object()
    metadata = body.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    cost = _cost(body)
    content = results.words(body.get("markdown")) or body.get("text")
    page = results.page(request.url, content=content, title=metadata.get("title"), reported_usd=cost)
    return Answer(page, reported_usd=cost)


def _cost(body: Mapping[str, Any]) -> float | None:
    """Return the credits of a call at the price of a credit in the smallest pack."""
    used = results.usd(body.get("credits"))
    return None if used is None else used * _USD_PER_CREDIT


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``serper``, with the one id ``serper``."""
    source = "the smallest pack of credits; 0.0003 in the largest"
    price = Price(_USD_PER_CREDIT, as_of="2026-11", source=source)
    return http_vendor(
        HttpApi(
            search=Endpoint(_SEARCH_URL, build_search, parse_search),
            fetch=Endpoint(_SCRAPE_URL, build_fetch, parse_fetch),
            auth=Auth("x-api-key"),
            # Only calls that succeed are charged. An empty account is refused with 400.
            rules=(
                Rule(ErrorKind.QUOTA, {400}, r"\bcredits?\b", billed=False),
                Rule(ErrorKind.BAD_REQUEST, {400}, billed=False),
            ),
        ),
        family="serper",
        title="Serper",
        homepage="https://serper.dev",
        modes=(Mode("", "Google's results, and a reader of pages", SEARCH_AND_FETCH, ("search-only",), price),),
        default_mode="",
        key_vars=("SERPER_API_KEY",),
        facts=Facts(site_operator="native", cache="none known"),
    )
