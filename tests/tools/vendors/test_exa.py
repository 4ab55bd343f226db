from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import HttpVendorContract, Reply, Request, impatient, json_reply, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import exa
from agentcompass_websearch.tools.wire import Fault, HttpReply
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("exa")
VENDOR = exa.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[])
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_400"),
        ErrorKind.SERVER: json_reply({"error": "overloaded", "tag": "SERVICE_OVERLOADED"}, 503),
        ErrorKind.TIMEOUT: json_reply({"error": "too slow"}, 504),
    }


def test_a_search_asks_for_highlights_under_contents() -> None:
    request = exa.build_search(SearchRequest("page size", max_results=8), settings(VENDOR, "deep"))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/search", 120)
    assert request.json == {"query": "page size", "type": "deep", "numResults": 8, "contents": {"highlights": True}}


def test_no_more_results_are_asked_for_than_exa_takes() -> None:
    assert exa.build_search(SearchRequest("x", max_results=500), settings(VENDOR)).json["numResults"] == 100


def test_options_reach_the_request() -> None:
    body = exa.build_search(
        SearchRequest("x"), settings(VENDOR, max_age_hours=0, include_domains=["docs.acme.example"])
    ).json
    assert body["contents"] == {"highlights": True, "maxAgeHours": 0}
    assert body["includeDomains"] == ["docs.acme.example"]
    assert exa.build_search(SearchRequest("x"), settings(VENDOR, exclude_domains=["a.example"])).json["excludeDomains"]
    assert exa.build_fetch(FetchRequest(URL), settings(VENDOR, max_age_hours=-1)).json == {
        "urls": [URL],
        "text": True,
        "maxAgeHours": -1,
    }


def test_sites_of_the_query_become_domains() -> None:
    body = exa.build_search(
        SearchRequest("orders site:docs.acme.example/v2 -site:old.acme.example"), settings(VENDOR)
    ).json
    assert (body["query"], body["includeDomains"]) == ("orders -site:old.acme.example", ["docs.acme.example/v2"])
    body = exa.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR, lift_sites=False)).json
    assert (body["query"], "includeDomains" in body) == ("orders site:docs.acme.example", False)


def test_the_objective_is_forwarded_where_exa_takes_one() -> None:
    request = SearchRequest("x", objective="the limit of a page " * 1000)
    assert len(exa.build_search(request, settings(VENDOR, "deep")).json["objective"]) <= 4096
    assert "objective" not in exa.build_search(request, settings(VENDOR, "lite")).json


def test_hits_with_highlights() -> None:
    answer = exa.parse_search(REPLIES.received("search"), SearchRequest("x"))
    assert answer.value == (
        Hit(URL, "List orders (v2) | Acme Docs", "`page_size` may be 1 to 200\n...\n`cursor` is opaque"),
        Hit("https://guides.acme.example/pagination", "", "A cursor is good for one day."),
        Hit("https://forum.acme.example/t/cursor/812", "", ""),
    )
    assert answer.reported_usd == 0.007


def test_whichever_text_came_is_the_snippet_and_vendor_hints_are_left_out() -> None:
    answer = exa.parse_search(REPLIES.received("search_text"), SearchRequest("x"))
    assert answer.value[0].snippet == "# List orders\n\nNewest first. `page_size` with `cursor`."
    assert answer.notes == ()
    rows = [{"url": URL, "highlights": [None, ""], "text": None, "summary": "In short."}]
    assert (
        exa.parse_search(REPLIES.received("search", results=rows), SearchRequest("x")).value[0].snippet == "In short."
    )


@pytest.mark.parametrize("cost", [None, [], "free", {"total": "x"}, {"total": None}])
def test_an_unknown_cost_is_unknown(cost: Any) -> None:
    assert exa.parse_search(REPLIES.received("search", costDollars=cost), SearchRequest("x")).reported_usd is None


def test_a_page() -> None:
    answer = exa.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", text)
    assert answer.reported_usd == 0.001


def test_a_page_that_exa_could_not_read() -> None:
    with pytest.raises(Fault, match="CRAWL_NOT_FOUND") as caught:
        exa.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    fault = caught.value
    assert (fault.kind, fault.status, fault.reported_usd, fault.billed) == (ErrorKind.TARGET, 404, 0.0, False)


@pytest.mark.parametrize(
    "statuses", [None, [], [None], ["x"], [{"status": "error"}], [{"status": "error", "error": []}]]
)
def test_a_page_that_failed_without_a_reason(statuses: Any) -> None:
    with pytest.raises(Fault, match="no reason given"):
        exa.parse_fetch(REPLIES.received("fetch_failed", statuses=statuses), FetchRequest(URL))


def test_an_answer_without_results_is_no_empty_answer() -> None:
    reply = HttpReply(200, httpx.Headers(), b'{"error": "credits"}')
    with pytest.raises(Fault, match="no 'results'"):
        exa.parse_search(reply, SearchRequest("x"))


def test_used_up_credits_are_told_from_too_many_requests() -> None:
    for name, kind in (("error_402", ErrorKind.QUOTA), ("error_429", ErrorKind.RATE_LIMIT)):
        fault = REPLIES.refused(name)
        assert fault is not None
        assert fault.kind is kind


@pytest.mark.parametrize(
    "options",
    [
        {"max_age_hours": "1"},
        {"max_age_hours": -2},
        {"max_age_hours": True},
        {"include_domains": "docs.acme.example"},
        {"exclude_domains": [5]},
        {"include_domains": ["a.example"], "exclude_domains": ["b.example"]},
        {"lift_sites": 1},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of exa"):
        check_options(VENDOR, options)


async def test_each_mode_asks_for_its_type() -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return replace(TestContract.found)

    transport = Transport(patience=impatient())
    async with serving(handle) as server:
        for mode in VENDOR.modes.values():
            client = open_client(VENDOR, mode, api_key="k", options={"base_url": server.url}, transport=transport)
            assert (await client.search(SearchRequest("x"))).error is None
        await transport.aclose()
    assert [request.json()["type"] for request in seen] == list(VENDOR.modes)
