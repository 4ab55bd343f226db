from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest, VendorClient
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import HttpVendorContract, impatient, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import parallel
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("parallel")
VENDOR = parallel.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-api-key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_warning")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("fetch_failed")
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_402"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_422"),
    }


@pytest.mark.parametrize(("mode", "timeout_s"), [("turbo", 45), ("fast", 45), ("basic", 60), ("advanced", 90)])
def test_a_search(mode: str, timeout_s: float) -> None:
    request = parallel.build_search(SearchRequest("page size", max_results=50), settings(VENDOR, mode))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", timeout_s)
    assert request.json == {
        "objective": "page size",
        "search_queries": ["page size"],
        "mode": mode,
        "advanced_settings": {"max_results": 20},
    }


def test_sites_are_lifted_into_the_source_policy() -> None:
    asked = SearchRequest("orders site:docs.acme.example/v2 -site:old.acme.example")
    body = parallel.build_search(asked, settings(VENDOR)).json
    assert body["search_queries"] == ["orders -site:old.acme.example"]
    assert body["advanced_settings"]["source_policy"] == {"include_domains": ["docs.acme.example/v2"]}
    body = parallel.build_search(asked, settings(VENDOR, exclude_domains=["old.acme.example"])).json
    assert body["advanced_settings"]["source_policy"] == {"exclude_domains": ["old.acme.example"]}


def test_a_long_query_is_the_objective_as_a_whole_and_keywords_as_far_as_they_go() -> None:
    query = " ".join(f"word{n}" for n in range(100))
    body = parallel.build_search(SearchRequest(query), settings(VENDOR)).json
    assert body["objective"] == query
    assert query.startswith(body["search_queries"][0] + " ")
    assert 190 < len(body["search_queries"][0]) <= 200


def test_what_the_searcher_is_after_is_the_objective() -> None:
    body = parallel.build_search(SearchRequest("page size", objective="the limit"), settings(VENDOR)).json
    assert (body["objective"], body["search_queries"]) == ("the limit", ["page size"])
    query = " ".join(f"word{n}" for n in range(100))
    body = parallel.build_search(SearchRequest(query, objective="the limit"), settings(VENDOR)).json
    assert body["objective"] == f"the limit {query}"


def test_a_fetch() -> None:
    request = parallel.build_fetch(FetchRequest(URL), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/extract", 90)
    assert request.json == {"urls": [URL], "advanced_settings": {"full_content": True}}
    request = parallel.build_fetch(FetchRequest(URL, objective="x " * 5000), settings(VENDOR, max_age_hours=2))
    assert len(request.json["objective"]) <= 5000
    assert request.json["advanced_settings"]["fetch_policy"] == {"max_age_seconds": 7200}


def test_hits() -> None:
    answer = parallel.parse_search(REPLIES.received("search"), SearchRequest("x"))
    snippet = "## Query parameters\n\n`page_size` may be 1 to 200, 50 if not given.\n...\nNever make up a `cursor`."
    assert answer.value == (
        Hit(URL, "List orders (v2) | Acme Docs", snippet),
        Hit("http://guides.acme.example/guides/pagination#limits", "", "A cursor is good for one day."),
        Hit("https://forum.acme.example/t/cursor-vs-offset/812", "Cursor or offset", ""),
    )


def test_a_warning_of_the_vendor_is_not_for_the_model() -> None:
    answer = parallel.parse_search(REPLIES.received("search_warning"), SearchRequest("x"))
    assert (answer.value, answer.notes) == ((), ())


def test_a_page() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    answer = parallel.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL))
    assert answer.value == Page(URL, URL, "List orders (v2) | Acme Docs", text)


def test_excerpts_are_shown_where_there_is_no_whole_text() -> None:
    row = {"url": URL, "title": None, "excerpts": ["one", "two"], "full_content": None}
    assert parallel.parse_fetch(REPLIES.received("fetch", results=[row]), FetchRequest(URL)).value.content == (
        "one\n...\ntwo"
    )


def test_a_page_that_could_not_be_read() -> None:
    with pytest.raises(Fault, match="could not be read: Not found") as caught:
        parallel.parse_fetch(REPLIES.received("fetch_failed"), FetchRequest(URL))
    assert (caught.value.kind, caught.value.status) == (ErrorKind.TARGET, 404)
    errors = [{"url": URL, "error_type": "fetch_error", "http_status_code": None, "content": None}]
    with pytest.raises(Fault, match="fetch_error"):
        parallel.parse_fetch(REPLIES.received("fetch_failed", errors=errors), FetchRequest(URL))


@pytest.mark.parametrize(
    ("mode", "usage", "usd"),
    [
        ("turbo", [{"name": "sku_search", "count": 1}], 0.001),
        ("advanced", [{"name": "sku_search", "count": 1}], 0.005),
        (
            "advanced",
            [{"name": "sku_search", "count": 1}, {"name": "sku_search_additional_results", "count": 2}],
            0.007,
        ),
        ("basic", [{"name": "sku_of_tomorrow", "count": 1}], None),
        ("basic", [{"name": "sku_search", "count": "one"}], None),
        ("basic", ["sku_search"], None),
        ("basic", None, None),
        ("basic", [], 0.0),
    ],
)
async def test_what_a_search_cost_by_its_units(mode: str, usage: Any, usd: float | None) -> None:
    reply = REPLIES.stored("search", usage=usage)
    async with serving(lambda request: reply) as server:
        outcome = await opened(mode, server.url).search(SearchRequest("x"))
    assert outcome.value
    assert outcome.reported_usd == pytest.approx(usd)


async def test_what_a_fetch_cost_by_its_units() -> None:
    for name, usd in (("fetch", 0.001), ("fetch_failed", 0.0)):
        reply = REPLIES.stored(name)
        async with serving(lambda request, reply=reply: reply) as server:
            outcome = await opened("basic", server.url).fetch(FetchRequest(URL))
        assert outcome.reported_usd == usd
        assert outcome.billed is (None if outcome.value else False)


def opened(mode: str, url: str) -> VendorClient:
    transport = Transport(patience=impatient())
    return open_client(VENDOR, VENDOR.modes[mode], api_key="key-0123", options={"base_url": url}, transport=transport)


def test_refusals() -> None:
    unknown = REPLIES.refused("error_422")
    assert unknown is not None
    assert (unknown.kind, unknown.status) == (ErrorKind.BAD_REQUEST, 422)
    assert unknown.message.startswith("HTTP 422: error | Validation error: unknown fields | Extra inputs")
    assert REPLIES.received("error_402").request_id == "00000000-0000-4000-8000-000000000002"


@pytest.mark.parametrize("options", [{"max_age_hours": 0}, {"max_age_hours": "1"}, {"exclude_domains": [""]}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of parallel"):
        check_options(VENDOR, options)
