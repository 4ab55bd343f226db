from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import linkup
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("linkup")
VENDOR = linkup.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("error_400_no_result")
    page = REPLIES.stored("fetch")
    no_page = REPLIES.stored("error_400_fetch")
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_429_credits"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429_rate"),
        ErrorKind.BAD_REQUEST: json_reply({"statusCode": 400, "error": {"code": "VALIDATION_ERROR"}}, 400),
        ErrorKind.TIMEOUT: json_reply({"statusCode": 504, "error": {"code": "REQUEST_DEADLINE_EXCEEDED"}}, 504),
        ErrorKind.AUTH: json_reply({"statusCode": 403, "error": {"code": "IP_NOT_WHITELISTED"}}, 403),
    }


@pytest.mark.parametrize("mode", ["flash", "fast", "standard"])
def test_a_search(mode: str) -> None:
    request = linkup.build_search(SearchRequest("page size"), settings(VENDOR, mode))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/search", 30)
    assert request.json == {"q": "page size", "depth": mode, "outputType": "searchResults", "maxResults": 8}


def test_sites_are_lifted_into_a_list_of_domains() -> None:
    body = linkup.build_search(SearchRequest("orders site:docs.acme.example/v2"), settings(VENDOR)).json
    assert (body["q"], body["includeDomains"]) == ("orders", ["docs.acme.example"])
    body = linkup.build_search(SearchRequest("orders"), settings(VENDOR, exclude_domains=["a.example"])).json
    assert body["excludeDomains"] == ["a.example"]


def test_a_fetch() -> None:
    request = linkup.build_fetch(FetchRequest(URL, objective="the limit"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/v1/fetch", 90)
    assert request.json == {"url": URL, "mode": "standard", "renderJs": True}
    assert linkup.build_fetch(FetchRequest(URL), settings(VENDOR, render_js=False)).json["renderJs"] is False


def test_hits_without_images() -> None:
    assert linkup.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, "List orders (v2) | Acme Docs", "page_size may be 1 to 200 ... cursor is opaque"),
        Hit("https://guides.acme.example/guides/pagination", "", "A cursor is good for one day."),
    )


def test_a_page() -> None:
    text = "# List orders\n\nNewest first. `page_size` (1-200) with `cursor`."
    assert linkup.parse_fetch(REPLIES.received("fetch"), FetchRequest(URL)).value == Page(URL, content=text)


def test_an_answer_without_a_page_is_no_empty_page() -> None:
    with pytest.raises(Fault, match="no 'markdown'") as caught:
        linkup.parse_fetch(REPLIES.received("search"), FetchRequest(URL))
    assert caught.value.kind is ErrorKind.UNREADABLE


@pytest.mark.parametrize(
    "code",
    [
        "FETCH_ERROR",
        "FETCH_RESPONSE_TOO_LARGE",
        "FETCH_TARGET_UNREACHABLE",
        "FETCH_UNSUPPORTED_CONTENT_TYPE",
        "FETCH_URL_IS_FILE",
    ],
)
def test_pages_that_cannot_be_read(code: str) -> None:
    class Contract(TestContract):
        no_page = json_reply({"statusCode": 400, "error": {"code": code, "message": "no", "details": []}}, 400)

    Contract().test_a_page_that_cannot_be_read_is_an_ordinary_reply()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("EXCEED_BUDGET_LIMIT", ErrorKind.QUOTA),
        ("INSUFFICIENT_FUNDS_CREDITS", ErrorKind.QUOTA),
        ("TASKS_QUEUE_LIMIT_EXCEEDED", ErrorKind.RATE_LIMIT),
        ("TOO_MANY_REQUESTS", ErrorKind.RATE_LIMIT),
    ],
)
def test_one_status_means_two_things(code: str, kind: ErrorKind) -> None:
    class Contract(TestContract):
        refusals = {kind: json_reply({"statusCode": 429, "error": {"code": code, "message": "no"}}, 429)}  # noqa: RUF012

    Contract().test_refusals_are_of_their_kinds()


@pytest.mark.parametrize(("status", "code"), [(400, "VALIDATION_ERROR"), (400, "FETCH_ERROR"), (503, "BUSY")])
async def test_failures_are_free(status: int, code: str) -> None:
    refusal = json_reply({"statusCode": status, "error": {"code": code}}, status)
    async with TestContract()._before(lambda _: refusal) as client:
        outcome = await client.search(SearchRequest("x"))
    assert (outcome.status, outcome.billed) == (status, False)


@pytest.mark.parametrize("options", [{"render_js": "no"}, {"include_domains": "docs.acme.example"}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of linkup"):
        check_options(VENDOR, options)
