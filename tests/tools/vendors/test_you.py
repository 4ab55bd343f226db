from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract
from agentcompass_websearch.tools.vendors import you
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("you")
VENDOR = you.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
TITLE = "List orders (v2) | Acme Docs"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_empty")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_422_list"),
    }


@pytest.mark.parametrize(
    ("mode", "more"),
    [
        ("", {}),
        ("highlights", {"extraction": {"extraction_mode": "highlights"}}),
        ("highlights_core", {"extraction": {"extraction_mode": "highlights"}, "knowledge": "core"}),
    ],
)
def test_a_search(mode: str, more: dict[str, Any]) -> None:
    request = you.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR, mode))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", 45)
    assert request.json == {"query": "orders site:docs.acme.example", "count": 8, **more}
    assert you.build_search(SearchRequest("x", max_results=500), settings(VENDOR, mode)).json["count"] == 100


def test_a_fetch() -> None:
    request = you.build_fetch(FetchRequest(URL), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/contents", 90)
    assert request.json == {"urls": [URL], "formats": ["markdown"], "crawl_timeout": 60}
    assert you.build_fetch(FetchRequest(URL), settings(VENDOR, max_age_hours=2)).json["max_age"] == 7200


def test_hits_of_the_web_come_before_news() -> None:
    assert you.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, TITLE, "page_size may be 1 to 200.\n...\ncursor is opaque."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", "A cursor is good for one day."),
        Hit("https://news.acme.example/orders-v2", "Orders v2 is here", "What is new"),
    )
    assert REPLIES.received("search").request_id == "00000000-0000-4000-8000-000000000041"


def test_hits_with_highlights() -> None:
    assert you.parse_search(REPLIES.received("search_highlights"), SearchRequest("x")).value == (
        Hit(URL, TITLE, "`page_size` may be 1 to 200.\n...\n`cursor` is opaque."),
    )


def test_records_without_a_page_are_no_hits() -> None:
    knowledge = {"knowledge": [{"title": "Rate", "description": "4.2 %", "attribution": ["Acme Data"]}]}
    assert you.parse_search(REPLIES.received("search", results=knowledge), SearchRequest("x")).value == ()


@pytest.mark.parametrize("found", [None, [], "none"])
def test_an_answer_without_results_is_no_empty_answer(found: Any) -> None:
    with pytest.raises(Fault, match="no 'results'") as caught:
        you.parse_search(REPLIES.received("search", results=found), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.UNREADABLE


def test_a_page() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert you.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL)).value == Page(URL, URL, TITLE, text)


def test_a_page_that_could_not_be_read() -> None:
    with pytest.raises(Fault, match="without text") as caught:
        you.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.TARGET
    with pytest.raises(Fault, match="expected a list") as caught:
        you.parse_fetch(replace(REPLIES.received("fetch"), body=b'{"detail": "x"}'), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.UNREADABLE


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("error_422_list", "HTTP 422: Input should be less than or equal to 100 | less_than_equal"),
        ("error_422_string", "HTTP 422: include_domains cannot be combined with exclude_domains"),
        ("error_422_jsonapi", "HTTP 422: 422 | crawl_timeout is not valid with highlights"),
        ("error_402", "HTTP 402: payment_required | The free credits are used up"),
    ],
)
def test_refusals_in_all_their_forms(name: str, said: str) -> None:
    fault = REPLIES.refused(name)
    assert fault is not None
    assert fault.message == said


def test_the_reset_of_the_rate_is_a_moment() -> None:
    fault = REPLIES.refused("error_429")
    assert fault is not None
    assert fault.retry_after_s is not None
    assert fault.retry_after_s >= 0


@pytest.mark.parametrize("age", [-1, 0.5, "1"])
def test_wrong_options(age: Any) -> None:
    with pytest.raises(UsageError, match="of you"):
        check_options(VENDOR, {"max_age_hours": age})
