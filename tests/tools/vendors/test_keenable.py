from __future__ import annotations

from dataclasses import replace

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import keenable
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("keenable")
VENDOR = keenable.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[])
    refusals = {ErrorKind.BAD_REQUEST: json_reply({"error": "query is missing"}, 400)}  # noqa: RUF012


def test_a_search_with_and_without_a_key() -> None:
    keyed = replace(settings(VENDOR, "realtime"), api_key="key-0123")
    request = keenable.build_search(SearchRequest("orders site:docs.acme.example"), keyed)
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", 30)
    asked = {"query": "orders site:docs.acme.example", "mode": "realtime", "snippet_max_length": 2000}
    assert request.json == asked
    assert keenable.build_search(SearchRequest("x"), settings(VENDOR)).url == "/v1/search/public"
    assert VENDOR.key_optional


def test_hits_have_a_snippet_or_else_the_description() -> None:
    hit = Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200.")
    assert keenable.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (hit,)
    rows = [{"url": URL, "title": None, "snippet": " ", "description": "Orders API"}]
    assert keenable.parse_search(REPLIES.received("search", results=rows), SearchRequest("x")).value == (
        Hit(URL, "", "Orders API"),
    )
