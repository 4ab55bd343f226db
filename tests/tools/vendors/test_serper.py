from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import serper
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("serper")
VENDOR = serper.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_no_organic")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch", markdown="", text="")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_403"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
        ErrorKind.QUOTA: json_reply({"message": "Not enough credits", "statusCode": 400}, 400),
    }


@pytest.mark.parametrize(("wanted", "asked"), [(1, 10), (8, 10), (10, 10), (11, 11), (500, 100)])
def test_a_whole_page_of_results_is_asked_for(wanted: int, asked: int) -> None:
    request = serper.build_search(SearchRequest("orders site:docs.acme.example", wanted), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/search", 30)
    assert request.json == {"q": "orders site:docs.acme.example", "num": asked}


def test_only_results_count_not_what_else_google_shows() -> None:
    answer = serper.parse_search(REPLIES.received("search"), SearchRequest("x"))
    assert answer.value == (
        Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )
    assert answer.reported_usd == 0.001


def test_an_answer_without_results_is_no_other_answer() -> None:
    assert serper.parse_search(REPLIES.received("search_no_organic"), SearchRequest("x")).value == ()
    with pytest.raises(Fault, match="searchParameters") as caught:
        serper.parse_search(REPLIES.received("error_403"), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.UNREADABLE


def test_a_fetch() -> None:
    request = serper.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/", 90)
    assert request.json == {"url": URL, "includeMarkdown": True}


def test_a_page() -> None:
    answer = serper.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert answer.value == Page(URL, "", "List orders (v2) | Acme Docs", text)
    assert answer.reported_usd == 0.002


def test_a_page_without_markdown_is_its_text() -> None:
    answer = serper.parse_fetch(REPLIES.received("fetch", markdown=None, metadata=None), FetchRequest(URL))
    assert answer.value == Page(URL, "", "", "List orders\nNewest first.")


@pytest.mark.parametrize("credits_", [None, "2", [], -1, True])
def test_an_unknown_cost_is_unknown(credits_: Any) -> None:
    assert serper.parse_search(REPLIES.received("search", credits=credits_), SearchRequest("x")).reported_usd is None


async def test_refusals_are_not_charged() -> None:
    for reply in (REPLIES.stored("error_400"), TestContract.refusals[ErrorKind.QUOTA]):
        async with TestContract()._before(lambda op, reply=reply: reply) as client:  # type: ignore[misc]
            outcome = await client.search(SearchRequest("x"))
        assert outcome.error is not None
        assert outcome.billed is False
