from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import nimble
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("nimble")
VENDOR = nimble.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[])
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch", status_code=404)
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.BAD_REQUEST: json_reply({"error": "max_results is not valid"}, 422),
    }


@pytest.mark.parametrize(("mode", "timeout_s"), [("lite", 30), ("standard", 60)])
def test_the_mode_is_the_depth(mode: str, timeout_s: int) -> None:
    request = nimble.build_search(SearchRequest("page size"), settings(VENDOR, mode))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", timeout_s)
    assert request.json == {"query": "page size", "max_results": 8, "search_depth": mode}


def test_no_more_results_are_asked_for_than_nimble_takes() -> None:
    request = nimble.build_search(SearchRequest("x", max_results=500), settings(VENDOR))
    assert request.json["max_results"] == 100


def test_sites_of_the_query_become_domains() -> None:
    query = "orders site:docs.acme.example/v2 -site:old.acme.example"
    body = nimble.build_search(SearchRequest(query), settings(VENDOR)).json
    assert (body["query"], body["include_domains"]) == ("orders -site:old.acme.example", ["docs.acme.example"])
    body = nimble.build_search(SearchRequest("x"), settings(VENDOR, exclude_domains=["old.acme.example"])).json
    assert body["exclude_domains"] == ["old.acme.example"]


def test_hits_have_the_passages_or_else_the_description() -> None:
    hit = Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200.")
    assert nimble.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (hit,)
    rows = [{"url": URL, "title": "A", "description": "Short.", "content": "A long passage."}, {"url": f"{URL}/2"}]
    found = nimble.parse_search(REPLIES.received("search", results=rows), SearchRequest("x")).value
    assert [hit.snippet for hit in found] == ["A long passage.", ""]


def test_the_request_id_is_kept() -> None:
    assert REPLIES.received("search").request_id == "00000000-0000-4000-8000-000000000081"
    assert REPLIES.received("fetch").request_id == "00000000-0000-4000-8000-000000000082"


def test_a_fetch() -> None:
    request = nimble.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/extract", 90)
    assert request.json == {"url": URL, "formats": ["markdown"]}
    assert nimble.build_fetch(FetchRequest(URL), settings(VENDOR, render=True)).json["render"] is True


def test_a_page_in_html_is_read() -> None:
    page = nimble.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL)).value
    assert (page.url, page.final_url, page.status) == (URL, URL, 200)
    assert page.content.lstrip("# ") == "List orders"


def test_a_page_in_markdown() -> None:
    data = {"markdown": "# List orders", "html": "<p>Other</p>"}
    reply = REPLIES.received("fetch", data=data, url=f"{URL}/new")
    assert nimble.parse_fetch(reply, FetchRequest(URL)).value == Page(URL, f"{URL}/new", "", "# List orders", 200)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status_code": 404}, "HTTP 404"),
        ({"status": "blocked", "data": {}}, "blocked"),
        ({"status": "error", "data": None, "status_code": 403}, "error"),
        ({"data": {"html": ""}}, "without text"),
        ({"data": {"markdown": None, "html": None}}, "without text"),
        ({"data": {"html": "<html><body></body></html>"}}, "without text"),
        ({"data": {"markdown": "%PDF-1.7\u0000"}}, "binary content"),
    ],
)
def test_a_page_that_nimble_could_not_read(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Fault, match=said) as caught:
        nimble.parse_fetch(REPLIES.received("fetch", **changes), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.TARGET
    assert caught.value.status == (changes.get("status_code", 200) if "status" not in changes else caught.value.status)


@pytest.mark.parametrize(
    "options",
    [
        {"render": "yes"},
        {"include_domains": "docs.acme.example"},
        {"include_domains": ["a.b"], "exclude_domains": ["c.d"]},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of nimble"):
        check_options(VENDOR, options)
