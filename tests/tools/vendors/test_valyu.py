from __future__ import annotations

import logging
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import valyu
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("valyu")
VENDOR = valyu.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
TEXT = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[], error="No results found")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.QUOTA: json_reply({"success": False, "error": "Insufficient credits", "results": []}),
        ErrorKind.SERVER: json_reply({"success": False, "error": "Search failed", "results": []}),
        ErrorKind.BAD_REQUEST: json_reply({"success": False, "error": "query is too long"}, 400),
    }


def test_a_search_of_the_web() -> None:
    request = valyu.build_search(SearchRequest("page size"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", 60)
    assert request.json == {"query": "page size", "search_type": "web", "max_num_results": 8}
    request = valyu.build_search(SearchRequest("x", max_results=500), settings(VENDOR, search_type="all"))
    assert (request.json["search_type"], request.json["max_num_results"]) == ("all", 20)


def test_sites_of_the_query_become_sources() -> None:
    body = valyu.build_search(SearchRequest("orders site:docs.acme.example/v2"), settings(VENDOR)).json
    assert (body["query"], body["included_sources"]) == ("orders", ["docs.acme.example/v2"])


def test_hits_with_text_and_with_data() -> None:
    answer = valyu.parse_search(REPLIES.received("search"), SearchRequest("x"))
    assert answer.value == (
        Hit(URL, "List orders (v2) | Acme Docs", TEXT),
        Hit("https://guides.acme.example/guides/pagination", "Structured row", '[{"page_size": 200}]'),
    )
    assert answer.reported_usd == 0.0015
    assert REPLIES.received("search").request_id == "tx_0001"


@pytest.mark.parametrize(("content", "snippet"), [(None, "In short."), ([], "In short."), ({"a": "é"}, '{"a": "é"}')])
def test_whatever_the_content_is(content: Any, snippet: str) -> None:
    rows = [{"url": URL, "content": content, "description": "In short."}]
    assert valyu.parse_search(REPLIES.received("search", results=rows), SearchRequest("x")).value[0].snippet == snippet


def test_a_fetch() -> None:
    request = valyu.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/contents", 90)
    assert request.json == {"urls": [URL]}


def test_a_page() -> None:
    answer = valyu.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", TEXT)
    assert answer.reported_usd == 0.001


def test_a_page_that_valyu_could_not_read_is_free() -> None:
    with pytest.raises(Fault, match="Page not found") as caught:
        valyu.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    assert (caught.value.kind, caught.value.reported_usd, caught.value.billed) == (ErrorKind.TARGET, 0.0, False)
    with pytest.raises(Fault, match="no reason given"):
        valyu.parse_fetch(REPLIES.received("fetch", results=[None]), FetchRequest(URL))


async def test_the_wait_is_kept_and_advice_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert retry_after_s(REPLIES.received("error_429", retry_after=7)) == 7
    async with TestContract()._before(lambda op: REPLIES.stored("error_429"), max_tries=1) as client:
        outcome = await client.search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.retry_after_s == 3
    assert "upgrade_url" in caplog.text
    assert "platform.valyu.ai" not in outcome.error.message


@pytest.mark.parametrize("options", [{"search_type": "books"}, {"search_type": []}, {"include_domains": [5]}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of valyu"):
        check_options(VENDOR, options)
