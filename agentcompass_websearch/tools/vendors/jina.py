"""Jina: ``GET s.jina.ai`` for searches, ``POST r.jina.ai`` for pages (https://jina.ai/reader)."""

from __future__ import annotations

import re
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
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Endpoint,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)

_SEARCH_URL: Final = "https://s.jina.ai"
_READER_URL: Final = "https://r.jina.ai"
_MOST_RESULTS: Final = 20
_SEARCH_TIMEOUT_S: Final = 60.0
_FETCH_TIMEOUT_S: Final = 90.0
_AS_JSON: Final = {"accept": "application/json"}
_TARGET_STATUS: Final = re.compile(r"returned error (\d{3})")

_CONTENT: Final = "search_content"
_MAX_AGE: Final = "max_age_seconds"
_OPTIONS: Final = {
    _CONTENT: "true: searches read the pages they find, which is slower; the text joins the snippet",
    _MAX_AGE: "how old a stored page may be, in seconds; 0 reads every page live (unset: Jina's own 3,600)",
}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """Unless told otherwise, Jina reads every page that it finds."""
    brief = {} if settings.options.get(_CONTENT) else {"x-respond-with": "no-content"}
    params = {"q": request.query, "num": min(request.max_results, _MOST_RESULTS)}
    return HttpRequest("GET", "/", params=params, headers=_AS_JSON | brief, timeout_s=_SEARCH_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """The snippet is the description, and the text of the page where it was asked for."""
    return Answer(results.hits(results.section(reply.json_object(), "data"), snippet=_snippet))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown, read in a browser where it needs one."""
    age = {"x-cache-tolerance": str(settings.options[_MAX_AGE])} if _MAX_AGE in settings.options else {}
    return HttpRequest("POST", "/", json={"url": request.url}, headers=_AS_JSON | age, timeout_s=_FETCH_TIMEOUT_S)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page of an error status comes with HTTP 200, its status in the words of a warning."""
    data = reply.json_object().get("data")
    data = data if isinstance(data, dict) else {}
    warning = results.words(data.get("warning"))
    status = _TARGET_STATUS.search(warning)
    return Answer(
        results.page(
            request.url,
            content=data.get("content"),
            final_url=data.get("url"),
            title=data.get("title"),
            status=status.group(1) if status else None,
        )
    )


def _snippet(row: Mapping[str, Any]) -> list[Any]:
    return [row.get("description"), row.get("content")]


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.flag(options, _CONTENT, "jina")
    option_checks.whole_number(options, _MAX_AGE, "jina", least=0, unit="seconds")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``jina``, with the one id ``jina``. It is charged by token, so a call has no list price."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_SEARCH_URL, build_search, parse_search),
            fetch=Endpoint(_READER_URL, build_fetch, parse_fetch),
            rules=(
                Rule("empty", {422}, "no search results"),
                # What Jina asserts of a page that it could not read, and pages that it may not show.
                Rule(ErrorKind.TARGET, {422}, r"AssertionFailure"),
                Rule(ErrorKind.TARGET, {451}),
                # Its own errors are JSON; this one is of the gateway before it.
                Rule(ErrorKind.SERVER, {403}, when=lambda reply: reply.is_html),
            ),
        ),
        family="jina",
        title="Jina",
        homepage="https://jina.ai/reader",
        # 100 searches a minute with any key, free ones included; 500 pages, and 5,000 with the premium plan.
        modes=(Mode("", "search, and a reader of pages", SEARCH_AND_FETCH, BOTH_BOARDS, rate_per_s=100 / 60),),
        default_mode="",
        key_vars=("JINA_API_KEY",),
        facts=Facts(site_operator="native", cache="pages up to an hour old unless max_age_seconds is set"),
        options=_OPTIONS,
        check_options=_check_options,
    )
