from __future__ import annotations

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.testing import HttpVendorContract, Request
from agentcompass_websearch.tools.testing.http_contract import CANARY
from agentcompass_websearch.tools.vendors import kagi
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("kagi")
VENDOR = kagi.websearch_vendor()
RELATED = {"t": 1, "list": ["limits of the orders api"]}


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"authorization": "Bot {key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", data=[RELATED])
    refusals = {ErrorKind.AUTH: REPLIES.stored("error_401")}  # noqa: RUF012


async def test_a_search_and_how_the_key_is_sent() -> None:
    request = kagi.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/api/v1/search", 30)
    assert request.params == {"q": "orders site:docs.acme.example"}
    seen: list[Request] = []
    async with TestContract()._before(lambda op: REPLIES.stored("search"), seen) as client:
        outcome = await client.search(SearchRequest("x"))
    assert seen[0].headers["authorization"] == f"Bot {CANARY}"
    assert outcome.request_id == "00000000-0000-4000-8000-000000000071"


def test_related_searches_are_no_hits() -> None:
    row = {"url": "https://docs.acme.example/b", "title": "B"}
    reply = REPLIES.received(
        "search", data=[RELATED, {"t": 0, **row}, {"t": 1, **row, "url": "https://c.example/"}, row]
    )
    hits = kagi.parse_search(reply, SearchRequest("x")).value
    assert hits == (Hit("https://docs.acme.example/b", "B"), Hit("https://docs.acme.example/b", "B"))
    (hit,) = kagi.parse_search(REPLIES.received("search"), SearchRequest("x")).value
    assert (hit.title, hit.snippet) == ("List orders (v2) | Acme Docs", "page_size may be 1 to 200.")
