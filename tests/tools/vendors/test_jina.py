from __future__ import annotations

from typing import Any

import httpx
import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.testing import HttpVendorContract, html_reply, json_reply
from agentcompass_websearch.tools.vendors import jina
from agentcompass_websearch.tools.wire import Fault, HttpReply
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("jina")
VENDOR = jina.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
TEXT = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."


def with_warning(warning: Any) -> dict[str, Any]:
    return {"title": "Not found", "url": URL, "content": "# Not found", "warning": warning}


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("error_422_no_results")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch", data=with_warning("Target URL returned error 404: Not Found"))
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.TARGET: json_reply({"name": "AssertionFailureError", "message": "Failed to goto the page"}, 422),
        ErrorKind.BAD_REQUEST: json_reply({"name": "ParamValidationError", "message": "num is not valid"}, 400),
        ErrorKind.TIMEOUT: html_reply("<h1>524: a timeout occurred</h1>", 524),
    }


def test_a_search_asks_for_json_and_for_no_pages() -> None:
    request = jina.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/", 60)
    assert request.params == {"q": "orders site:docs.acme.example", "num": 8}
    assert request.headers == {"accept": "application/json", "x-respond-with": "no-content"}
    request = jina.build_search(SearchRequest("x", max_results=500), settings(VENDOR, search_content=True))
    assert (request.params or {})["num"] == 20
    assert request.headers == {"accept": "application/json"}


def test_hits_have_the_description_and_the_text_where_it_came() -> None:
    assert jina.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, "List orders (v2) | Acme Docs", f"page_size may be 1 to 200.\n...\n{TEXT}"),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", "Cursors expire."),
    )


def test_a_fetch() -> None:
    request = jina.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.json, request.timeout_s) == ("POST", "/", {"url": URL}, 90)
    assert request.headers == {"accept": "application/json"}
    request = jina.build_fetch(FetchRequest(URL), settings(VENDOR, max_age_seconds=0))
    assert request.headers["x-cache-tolerance"] == "0"


def test_a_page() -> None:
    answer = jina.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", TEXT)
    assert answer.reported_usd is None


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_the_status_of_a_page_stands_in_a_warning(status: int) -> None:
    reply = REPLIES.received("fetch", data=with_warning(f"Target URL returned error {status}: No"))
    with pytest.raises(Fault, match=f"HTTP {status}") as caught:
        jina.parse_fetch(reply, FetchRequest(URL))
    assert (caught.value.kind, caught.value.status) == (ErrorKind.TARGET, status)


@pytest.mark.parametrize("warning", [None, "", [], {}, "This page maybe requiring CAPTCHA", 404])
def test_other_warnings_leave_the_page(warning: Any) -> None:
    reply = REPLIES.received("fetch", data=with_warning(warning))
    assert jina.parse_fetch(reply, FetchRequest(URL)).value.content == "# Not found"


def test_the_wait_that_jina_asks_for_is_read() -> None:
    assert retry_after_s(REPLIES.received("error_429")) == 12
    body = b'{"retryAfter": 12}'
    assert retry_after_s(HttpReply(429, httpx.Headers(), body)) == 12


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (json_reply({"name": "BudgetExceededError", "message": "Token budget exceeded"}, 409), ErrorKind.QUOTA),
        (json_reply({"name": "SecurityCompromiseError", "message": "This domain is blocked"}, 451), ErrorKind.TARGET),
        (html_reply("<title>Just a moment...</title>", 403), ErrorKind.SERVER),
        (json_reply({"name": "AuthorizationError", "message": "no"}, 403), ErrorKind.AUTH),
    ],
)
async def test_what_else_jina_refuses_with(reply: Any, kind: ErrorKind) -> None:
    async with TestContract()._before(lambda op: reply, max_tries=1) as client:
        outcome = await client.fetch(FetchRequest(URL))
    assert outcome.error is not None
    assert outcome.error.kind is kind


@pytest.mark.parametrize("options", [{"search_content": 1}, {"max_age_seconds": -1}, {"max_age_seconds": "0"}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of jina"):
        check_options(VENDOR, options)
