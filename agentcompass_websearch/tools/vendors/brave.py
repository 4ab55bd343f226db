"""Brave: ``POST /res/v1/llm/context``, passages of pages; or, on request, ``GET /res/v1/web/search``. No fetch.

Source: https://api-dashboard.search.brave.com/documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import option_checks, results
from agentcompass_websearch.tools.contract import (
    SEARCH,
    ErrorKind,
    Facts,
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
    Rule,
    http_vendor,
)

_BASE_URL: Final = "https://api.search.brave.com"
_MOST_CONTEXT_RESULTS: Final = 50
_MOST_WEB_RESULTS: Final = 20
_TIMEOUT_S: Final = 30.0

_API: Final = "api"
_APIS: Final = ("llm_context", "web")
_OPTIONS: Final = {_API: "llm_context (default), or web: Brave's Web Search, for plans without LLM Context"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Operators such as ``site:`` are part of Brave's query language."""
    if settings.options.get(_API) == "web":
        params = {
            "q": request.query,
            "count": min(request.max_results, _MOST_WEB_RESULTS),
            "extra_snippets": "true",
            "text_decorations": "false",
        }
        return HttpRequest("GET", "/res/v1/web/search", params=params, timeout_s=_TIMEOUT_S)
    wanted = min(request.max_results, _MOST_CONTEXT_RESULTS)
    body = {"q": request.query, "count": wanted, "maximum_number_of_urls": wanted, "enable_local": False}
    return HttpRequest("POST", "/res/v1/llm/context", json=body, timeout_s=_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Passages of LLM Context are plain text; descriptions of Web Search are HTML."""
    body = reply.json_object()
    if body.get("type") == "search":
        rows = results.optional_section(results.part(body, "web"), "results")
        return Answer(results.hits(rows, snippet=_web_snippet, markup=True))
    results.required(body, "grounding")
    passages = results.optional_section(results.part(body, "grounding"), "generic")
    return Answer(results.hits(passages, snippet="snippets"))


def _web_snippet(row: Mapping[str, Any]) -> list[Any]:
    more = row.get("extra_snippets")
    return [row.get("description"), *(more if isinstance(more, list) else [])]


def _month_is_used_up(reply: HttpReply) -> bool:
    """Whether the longest window has a limit and nothing left of it: limit ``1, 15000``, remaining ``0, 0``.

    By its words alone, a refusal for the month is no other than one for the second. A limit of 0 is none.
    """
    limits, remaining = (
        [part.strip() for part in reply.headers.get(f"x-ratelimit-{name}", "").split(",")]
        for name in ("limit", "remaining")
    )
    return len(limits) == len(remaining) > 1 and limits[-1] != "0" and remaining[-1] == "0"


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.one_of(options, _API, "brave", _APIS)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``brave``, with the one id ``brave``."""
    price = Price(0.005, as_of="2026-11", source="Brave's Search plan, LLM Context included")
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            auth=Auth("x-subscription-token"),
            rules=(
                Rule(ErrorKind.AUTH, {422}, "SUBSCRIPTION_TOKEN_INVALID", billed=False),
                Rule(ErrorKind.QUOTA, {429}, when=_month_is_used_up, billed=False),
                # Only calls that succeed are charged.
                Rule(ErrorKind.BAD_REQUEST, {400, 404, 422}, billed=False),
                Rule(ErrorKind.SERVER, {500, 502, 503}, billed=False),
            ),
        ),
        family="brave",
        title="Brave Search",
        homepage="https://brave.com/search/api/",
        modes=(Mode("", "LLM Context: passages of pages", SEARCH, ("search-only",), price, rate_per_s=50.0),),
        default_mode="",
        key_vars=("BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"),
        facts=Facts(
            fetch="none",
            site_operator="native",
            cache="Brave's own index",
            max_query_chars=400,
            max_query_words=50,
        ),
        options=_OPTIONS,
        check_options=_check_options,
    )
