from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import string
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("string")
VENDOR = string.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_zero_results")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_404")
    json_ops = ("search",)
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
        ErrorKind.TARGET: json_reply({"error": "domain not enabled for this account"}, 403),
    }


def test_a_search() -> None:
    request = string.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", 60)
    assert request.json == {"query": "orders site:docs.acme.example", "engine": "google"}
    assert string.build_search(SearchRequest("x"), settings(VENDOR, engine="mojeek")).json["engine"] == "mojeek"


@pytest.mark.parametrize(("wanted", "count"), [(10, None), (11, 11), (80, 50)])
def test_more_than_a_page_of_results_is_asked_for_only_where_it_is_wanted(wanted: int, count: int | None) -> None:
    request = string.build_search(SearchRequest("x", max_results=wanted), settings(VENDOR))
    assert request.json.get("searchCount") == count


def test_a_fetch() -> None:
    request = string.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/fetch", 90)
    assert request.json == {"url": URL, "format": "markdown", "markdownMode": "readable"}


def test_hits() -> None:
    assert string.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )


def test_a_page_is_the_body() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert string.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL)).value == Page(URL, content=text, status=200)


def test_a_page_in_json() -> None:
    html = "<html><body><h1>List orders</h1></body></html>"
    answer = string.parse_fetch(REPLIES.received("fetch_json"), FetchRequest(URL))
    assert answer.value == Page(URL, content=html, status=200)
    with pytest.raises(Fault, match="HTTP 404"):
        string.parse_fetch(REPLIES.received("fetch_json", statusCode=404), FetchRequest(URL))


def test_a_page_whose_status_is_told_in_a_header_only() -> None:
    with pytest.raises(Fault, match="the page answered with HTTP 404") as caught:
        string.parse_fetch(REPLIES.received("fetch_404"), FetchRequest(URL))
    assert (caught.value.kind, caught.value.status) == (ErrorKind.TARGET, 404)


def test_a_page_of_bytes() -> None:
    pdf = replace(REPLIES.received("fetch"), body=b"%PDF-1.7\0\1\2")
    with pytest.raises(Fault, match="binary content, not shown"):
        string.parse_fetch(pdf, FetchRequest(URL))


@pytest.mark.parametrize("body", [b"<h1>gateway</h1>", b'{"ok": true}', b""])
def test_an_answer_of_somebody_else_is_no_page(body: bytes) -> None:
    with pytest.raises(Fault) as caught:
        string.parse_fetch(replace(REPLIES.received("fetch"), headers=httpx.Headers(), body=body), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.UNREADABLE


def test_a_refusal() -> None:
    fault = REPLIES.refused("error_400")
    assert fault is not None
    assert fault.message == "HTTP 400: Invalid request | Unrecognized key: max_results"


@pytest.mark.parametrize("engine", ["bing", 1, ""])
def test_wrong_options(engine: Any) -> None:
    with pytest.raises(UsageError, match="google, brave, duckduckgo, mojeek"):
        check_options(VENDOR, {"engine": engine})
