"""Nimble: ``POST /v1/search`` and ``POST /v1/extract`` (https://docs.nimbleway.com)."""

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
from agentcompass_websearch.tools.http import Answer, Endpoint, HttpApi, HttpReply, HttpRequest, http_vendor

_BASE_URL: Final = "https://sdk.nimbleway.com"
_MOST_RESULTS: Final = 100
_MOST_DOMAINS: Final = 50
_SEARCH_TIMEOUT_S: Final = {"lite": 30.0, "standard": 60.0}
_FETCH_TIMEOUT_S: Final = 90.0
_MAX_HTML_CHARS: Final = 2_000_000

_RENDER: Final = "render"
_OPTIONS: Final = {
    _RENDER: "true: pages are read in a browser, with their scripts; false: never (unset: Nimble's own choice)",
    **sites.OPTIONS,
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The mode is the depth: descriptions only, or passages of some 2,000 characters."""
    query, domains = sites.asked(
        request.query, settings.options, include="include_domains", exclude="exclude_domains", most=_MOST_DOMAINS
    )
    body: dict[str, Any] = {
        "query": query,
        "max_results": min(request.max_results, _MOST_RESULTS),
        "search_depth": settings.mode.name,
        **domains,
    }
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S[settings.mode.name])


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """The content of a page is empty where the depth asks for none."""
    return Answer(results.hits(results.section(reply.json_object(), "results"), snippet=_snippet))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    body: dict[str, Any] = {"url": request.url, "formats": ["markdown"]}
    if _RENDER in settings.options:
        body["render"] = settings.options[_RENDER]
    return HttpRequest("POST", "/v1/extract", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """What became of the page stands in ``status`` and ``status_code``. Older answers hold HTML alone."""
    body = reply.json_object()
    data = body.get("data")
    data = data if isinstance(data, dict) else {}
    status = body.get("status")
    if status != "success" and not data:
        raise results.unread(status, status=body.get("status_code"))
    content, title = data.get("markdown"), ""
    if not content and isinstance(data.get("html"), str):
        from agentcompass_websearch.tools.local.html import read_html

        content, title, _ = read_html(data["html"][:_MAX_HTML_CHARS])
    return Answer(
        results.page(
            request.url, content=content, final_url=body.get("url"), title=title, status=body.get("status_code")
        )
    )


def _snippet(row: Mapping[str, Any]) -> str:
    return results.words(row.get("content")) or results.words(row.get("description"))


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.flag(options, _RENDER, "nimble")
    sites.check(options, "nimble", most=_MOST_DOMAINS, most_excluded=_MOST_DOMAINS)


def _mode(name: str, description: str, search_usd: float) -> Mode:
    price = Price(search_usd, as_of="2026-11", source="Nimble's pay-as-you-go prices")
    return Mode(name, description, SEARCH_AND_FETCH, BOTH_BOARDS, price)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``nimble``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch, in_thread=True),
        ),
        family="nimble",
        title="Nimble",
        homepage="https://www.nimbleway.com",
        modes=(
            _mode("lite", "titles and descriptions", 0.0011),
            _mode("standard", "passages of each page", 0.005),
        ),
        default_mode="standard",
        key_vars=("NIMBLE_API_KEY",),
        facts=Facts(site_operator=sites.LIFTED, cache="none known"),
        options=_OPTIONS,
        check_options=_check_options,
    )
