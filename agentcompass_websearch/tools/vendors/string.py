"""String: ``POST /v1/search`` of an engine, and ``POST /v1/fetch`` (https://usestring.ai)."""

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

_BASE_URL: Final = "https://request.usestring.ai"
_FIRST_PAGE: Final = 10
_MOST_RESULTS: Final = 50
_SEARCH_TIMEOUT_S: Final = 60.0
_FETCH_TIMEOUT_S: Final = 90.0
_STATUS: Final = "x-status-code"

_ENGINE: Final = "engine"
_ENGINES: Final = ("google", "brave", "duckduckgo", "mojeek")
_OPTIONS: Final = {_ENGINE: "google (default), brave, duckduckgo or mojeek"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """A number of results is asked for only beyond the first page: each further page is charged as a search."""
    body: dict[str, Any] = {"query": request.query, "engine": settings.options.get(_ENGINE, "google")}
    if request.max_results > _FIRST_PAGE:
        body["searchCount"] = min(request.max_results, _MOST_RESULTS)
    return HttpRequest("POST", "/v1/search", json=body, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Cards of the engine stand among the results without a URL; they are dropped."""
    return Answer(results.hits(results.section(reply.json_object(), "results")))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown, without what surrounds the article."""
    body = {"url": request.url, "format": "markdown", "markdownMode": "readable"}
    return HttpRequest("POST", "/v1/fetch", json=body, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """The body is the page itself; its status stands in a header. A server that answers in JSON has both in it."""
    if _STATUS in reply.headers:
        if not reply.is_text:
            raise results.unread("binary content, not shown", status=reply.headers[_STATUS])
        return Answer(results.page(request.url, content=reply.text, status=reply.headers[_STATUS]))
    body = reply.json_object()
    if "data" not in body:
        raise Fault(ErrorKind.UNREADABLE, f"the answer has neither the header {_STATUS} nor 'data'")
    return Answer(results.page(request.url, content=body["data"], status=body.get("statusCode")))


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.one_of(options, _ENGINE, "string", _ENGINES)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``string``, with the one id ``string``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            fetch=Endpoint(_BASE_URL, build_fetch, parse_fetch),
            rules=(Rule(ErrorKind.TARGET, {403}, r"\bdomain\b", billed=False),),
        ),
        family="string",
        title="String",
        homepage="https://usestring.ai",
        modes=(Mode("", "results of a search engine, and a reader of pages", SEARCH_AND_FETCH, BOTH_BOARDS, Price()),),
        default_mode="",
        key_vars=("STRING_AI_API_KEY", "STRING_API_KEY"),
        facts=Facts(site_operator="native", cache="none known"),
        options=_OPTIONS,
        check_options=_check_options,
    )
