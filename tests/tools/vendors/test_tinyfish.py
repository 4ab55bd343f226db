from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import tinyfish
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("tinyfish")
VENDOR = tinyfish.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[], total_results=0)
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.QUOTA: json_reply({"error": {"code": "INSUFFICIENT_CREDITS", "message": "no"}}, 403),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
        ErrorKind.SERVER: json_reply({"error": {"code": "SERVICE_BUSY", "message": "busy"}}, 503),
    }


def test_a_search() -> None:
    request = tinyfish.build_search(SearchRequest("page size"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s, request.json) == ("GET", "/", 30, None)
    assert request.params == {"query": "page size"}


def test_sites_and_purpose_of_a_search() -> None:
    asked = SearchRequest("orders site:a.example site:b.example", objective="the limit " * 500)
    params = tinyfish.build_search(asked, settings(VENDOR)).params
    assert params is not None
    assert (params["query"], params["include_domains"]) == ("orders", "a.example,b.example")
    assert 1900 < len(params["purpose"]) <= 2000


def test_a_fetch() -> None:
    request = tinyfish.build_fetch(FetchRequest(URL), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/", 150)
    assert request.json == {"urls": [URL], "format": "markdown"}
    request = tinyfish.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR, max_age_hours=0))
    assert request.json == {"urls": [URL], "format": "markdown", "purpose": "the limit", "ttl": 0}


def test_hits() -> None:
    assert tinyfish.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )


def test_a_page() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    answer = tinyfish.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", text)


def test_a_page_that_could_not_be_read() -> None:
    with pytest.raises(Fault, match="could not be read: target returned HTTP 404") as caught:
        tinyfish.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.TARGET


@pytest.mark.parametrize("text", [None, {"title": "x"}, "", []])
def test_a_page_without_text(text: Any) -> None:
    row = {"url": URL, "final_url": URL, "title": "x", "text": text}
    with pytest.raises(Fault, match="without text"):
        tinyfish.parse_fetch(REPLIES.received("fetch", results=[row]), FetchRequest(URL))


@pytest.mark.parametrize("options", [{"max_age_hours": -1}, {"exclude_domains": "a.example"}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of tinyfish"):
        check_options(VENDOR, options)
