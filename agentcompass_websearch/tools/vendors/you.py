"""You.com: ``POST /v1/search`` and ``POST /v1/contents`` (https://you.com/docs)."""

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
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    http_vendor,
)

_BASE_URL: Final = "https://ydc-index.io"
_MOST_RESULTS: Final = 100
_SEARCH_TIMEOUT_S: Final = 45.0
_FETCH_TIMEOUT_S: Final = 90.0
_PAGE_TIMEOUT_S: Final = 60

_MAX_AGE: Final = "max_age_hours"
_OPTIONS: Final = {_MAX_AGE: "how old a stored page of a fetch may be, in hours (unset: You.com's own choice)"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Operators such as ``site:`` are part of You.com's query language."""
    body: dict[str, Any] = {"query": request.query, "count": min(request.max_results, _MOST_RESULTS)}
    if settings.mode.name:
        body["extraction"] = {"extraction_mode": "highlights"}
    if settings.mode.name == "highlights_core":
        body["knowledge"] = "core"
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Any section may be missing. Web pages come before news; records of ``knowledge`` have no URL to cite."""
    found = reply.json_object().get("results")
    if not isinstance(found, dict):
        raise Fault(ErrorKind.UNREADABLE, "the answer has no 'results'")
    rows = [row for name in ("web", "news") for row in results.optional_section(found, name)]
    return Answer(results.hits(rows, snippet=_snippet))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    body: dict[str, Any] = {"urls": [request.url], "formats": ["markdown"], "crawl_timeout": _PAGE_TIMEOUT_S}
    if _MAX_AGE in settings.options:
        body["max_age"] = settings.options[_MAX_AGE] * 3600
    return HttpRequest("POST", "/v1/contents", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """The answer is a list; a page that could not be read has no text in it."""
    rows = reply.json()
    if not isinstance(rows, list):
        raise Fault(ErrorKind.UNREADABLE, f"expected a list of pages, got {type(rows).__name__}")
    row = results.first(rows)
    return Answer(
        results.page(request.url, content=row.get("markdown"), final_url=row.get("url"), title=row.get("title"))
    )


def _snippet(row: Mapping[str, Any]) -> str:
    """Return the highlights, which come instead of snippets where they are asked for, else what else there is."""
    texts = (results.part(row, "contents").get("highlights"), row.get("snippets"), row.get("description"))
    return next((text for value in texts if (text := results.words(value))), "")


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.whole_number(options, _MAX_AGE, "you", least=0, unit="hours")


def _mode(name: str, description: str) -> Mode:
    price = Price(0.005, 0.001, as_of="2026-11", source="https://you.com/docs (pricing)")
    return Mode(name, description, SEARCH_AND_FETCH, BOTH_BOARDS, price, rate_per_s=10.0)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``you``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            auth=Auth("x-api-key"),
        ),
        family="you",
        title="You.com",
        homepage="https://you.com",
        modes=(
            _mode("", "web and news with snippets"),
            _mode("highlights", "passages chosen for the query instead of snippets"),
            _mode("highlights_core", "highlights, and licensed data asked at the same time"),
        ),
        default_mode="",
        key_vars=("YDC_API_KEY", "YOU_API_KEY_AUTH", "YOU_API_KEY", "YOU_KEY"),
        facts=Facts(site_operator="native", cache="stored pages of any age unless max_age_hours is set"),
        options=_OPTIONS,
        check_options=_check_options,
    )
