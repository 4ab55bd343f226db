from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import firecrawl
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("firecrawl")
VENDOR = firecrawl.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
TITLE = "List orders (v2) | Acme Docs"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", data={"web": []})
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_404")
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
        ErrorKind.TARGET: REPLIES.stored("error_408_scrape"),
    }


def test_a_search() -> None:
    request = firecrawl.build_search(SearchRequest("orders site:docs.acme.example", max_results=500), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v2/search", 60)
    assert request.json == {"query": "orders site:docs.acme.example", "limit": 100}


def test_a_fetch() -> None:
    request = firecrawl.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v2/scrape", 90)
    assert request.json == {"url": URL, "formats": ["markdown"]}
    assert firecrawl.build_fetch(FetchRequest(URL), settings(VENDOR, max_age_hours=1)).json["maxAge"] == 3_600_000
    assert firecrawl.build_fetch(FetchRequest(URL), settings(VENDOR, max_age_hours=0)).json["maxAge"] == 0


def test_hits() -> None:
    answer = firecrawl.parse_search(REPLIES.received("search"), SearchRequest("x"))
    assert answer.value == (
        Hit(URL, TITLE, "page_size may be 1 to 200."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
        Hit(URL, TITLE, "The first page once more"),
    )
    assert answer.reported_usd == 0.005
    assert REPLIES.received("search").request_id == "00000000-0000-7000-8000-000000000031"


def test_hits_of_an_older_server() -> None:
    answer = firecrawl.parse_search(REPLIES.received("search_v1"), SearchRequest("x"))
    assert answer.value == (Hit(URL, TITLE, "page_size may be 1 to 200."),)
    assert answer.reported_usd is None


def test_a_failure_in_a_200_is_firecrawls_own() -> None:
    with pytest.raises(Fault, match="the search failed: no engine") as caught:
        firecrawl.parse_search(REPLIES.received("search", success=False, error="no engine"), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.SERVER


def test_a_page() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    answer = firecrawl.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    assert answer.value == Page(URL, URL, TITLE, text, 200)
    assert answer.reported_usd == 0.0025


@pytest.mark.parametrize(
    ("name", "changes", "said", "status"),
    [
        ("fetch_404", {}, "the page answered with HTTP 404: Not Found", 404),
        ("fetch_403", {}, "the page answered with HTTP 403: Forbidden", 403),
        (
            "fetch",
            {"data": {"markdown": "Please solve the captcha", "metadata": {"statusCode": 429, "creditsUsed": 1}}},
            "the page answered with HTTP 429",
            429,
        ),
        (
            "fetch",
            {"success": False, "error": "no engine could read the page"},
            "could not be read: no engine could read the page",
            None,
        ),
        ("fetch", {"data": None}, "without text", None),
        ("fetch", {"data": {"metadata": {"statusCode": 200}}}, "without text", 200),
    ],
)
def test_a_page_that_cannot_be_read(name: str, changes: dict[str, Any], said: str, status: int | None) -> None:
    with pytest.raises(Fault, match=said) as caught:
        firecrawl.parse_fetch(REPLIES.received(name, **changes), FetchRequest(URL))
    assert (caught.value.kind, caught.value.status) == (ErrorKind.TARGET, status)


def test_an_answer_without_its_results_is_no_empty_answer() -> None:
    reply = replace(REPLIES.received("fetch"), body=b'{"success": true}')
    for parse in (
        lambda: firecrawl.parse_search(reply, SearchRequest("x")),
        lambda: firecrawl.parse_fetch(reply, FetchRequest(URL)),
    ):
        with pytest.raises(Fault, match="no 'data'") as caught:
            parse()
        assert caught.value.kind is ErrorKind.UNREADABLE


def test_a_page_of_an_error_status_is_charged() -> None:
    with pytest.raises(Fault) as caught:
        firecrawl.parse_fetch(REPLIES.received("fetch_404"), FetchRequest(URL))
    assert (caught.value.billed, caught.value.reported_usd) == (True, 0.0025)


def test_refusals() -> None:
    limit = REPLIES.refused("error_429")
    assert limit is not None
    assert limit.retry_after_s == 17
    unknown = REPLIES.refused("error_400")
    assert unknown is not None
    assert unknown.message == "HTTP 400: Bad Request | unrecognized_keys | Unrecognized key in body"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (403, "This website is not supported.", ErrorKind.TARGET),
        (403, "Forbidden", ErrorKind.AUTH),
        (401, "Unauthorized: Invalid token", ErrorKind.AUTH),
        (500, "Internal error", ErrorKind.SERVER),
        (408, "Request timed out", ErrorKind.TIMEOUT),
    ],
)
def test_what_is_wrong_with_a_page_is_told_from_what_is_wrong_with_us(status: int, error: str, kind: ErrorKind) -> None:
    class Contract(TestContract):
        refusals = {kind: json_reply({"success": False, "error": error}, status)}  # noqa: RUF012

    Contract().test_refusals_are_of_their_kinds()


@pytest.mark.parametrize("age", [-1, 0.5, "1", True])
def test_wrong_options(age: Any) -> None:
    with pytest.raises(UsageError, match="of firecrawl"):
        check_options(VENDOR, {"max_age_hours": age})
