from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract
from agentcompass_websearch.tools.vendors import tavily
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("tavily")
VENDOR = tavily.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[])
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.QUOTA: REPLIES.stored("error_432"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429_keyless"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
    }


@pytest.mark.parametrize(
    ("mode", "depth", "chunks"),
    [("ultra_fast", "ultra-fast", None), ("fast", "fast", 3), ("basic", "basic", None), ("advanced", "advanced", 3)],
)
def test_a_search(mode: str, depth: str, chunks: int | None) -> None:
    request = tavily.build_search(SearchRequest("page size", max_results=50), settings(VENDOR, mode))
    expected = {
        "query": "page size",
        "search_depth": depth,
        "max_results": 20,
        "topic": "general",
        "include_usage": True,
    }
    assert (request.method, request.url, request.timeout_s) == ("POST", "/search", 45)
    assert request.json == expected | ({"chunks_per_source": chunks} if chunks else {})


def test_sites_and_freshness_of_a_search() -> None:
    asked = SearchRequest("orders site:docs.acme.example/v2")
    body = tavily.build_search(asked, settings(VENDOR, max_age_hours=0)).json
    assert (body["query"], body["include_domains"], body["max_age_hours"]) == ("orders", ["docs.acme.example"], 0)
    body = tavily.build_search(asked, settings(VENDOR, exclude_domains=["old.acme.example"])).json
    assert (body["query"], body["exclude_domains"]) == (asked.query, ["old.acme.example"])


def test_a_query_of_sites_alone_is_none_that_tavily_refuses() -> None:
    assert tavily.build_search(SearchRequest("site:docs.acme.example"), settings(VENDOR)).json["query"] == (
        "docs.acme.example"
    )


def test_a_fetch_returns_the_page_unless_passages_are_asked_for() -> None:
    request = FetchRequest(URL, objective="the limit")
    body = {"urls": [URL], "extract_depth": "basic", "format": "markdown", "timeout": 60, "include_usage": True}
    built = tavily.build_fetch(request, settings(VENDOR))
    assert (built.method, built.url, built.timeout_s, built.json) == ("POST", "/extract", 90, body)
    assert tavily.build_fetch(request, settings(VENDOR, fetch_chunks=True)).json == body | {"query": "the limit"}
    assert tavily.build_fetch(request, settings(VENDOR, "advanced")).json["extract_depth"] == "advanced"


def test_hits() -> None:
    answer = tavily.parse_search(REPLIES.received("search"), SearchRequest("x"))
    assert answer.value == (
        Hit(URL, "List orders (v2) | Acme Docs", "`page_size` may be 1 to 200. [...] `cursor` is opaque."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", "A cursor is good for one day."),
    )
    assert answer.reported_usd is None


@pytest.mark.parametrize(
    ("usage", "usd"), [({"credits": 2}, 0.016), ({"credits": 0}, 0.0), ({"credits": "2"}, None), ([], None)]
)
def test_credits_are_dollars_at_the_list_price(usage: Any, usd: float | None) -> None:
    reply = REPLIES.received("search", usage=usage)
    assert tavily.parse_search(reply, SearchRequest("x")).reported_usd == usd


def test_a_page() -> None:
    answer = tavily.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", text)


def test_a_page_that_tavily_could_not_read_is_free() -> None:
    with pytest.raises(Fault, match="could not be read: The page could not be fetched") as caught:
        tavily.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    assert (caught.value.kind, caught.value.billed) == (ErrorKind.TARGET, False)


def test_refusals() -> None:
    limit = REPLIES.refused("error_429_keyless")
    assert limit is not None
    assert limit.retry_after_s == 3600
    assert "create_api_key" not in limit.message
    plan = REPLIES.refused("error_432")
    assert plan is not None
    assert (plan.kind, plan.status, plan.billed) == (ErrorKind.QUOTA, 432, False)
    long = REPLIES.refused("error_400")
    assert long is not None
    assert long.message == "HTTP 400: Query is too long: 400 characters at most."


@pytest.mark.parametrize(
    "options",
    [{"max_age_hours": -1}, {"max_age_hours": 1.5}, {"fetch_chunks": "yes"}, {"include_domains": "docs.acme.example"}],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of tavily"):
        check_options(VENDOR, options)
