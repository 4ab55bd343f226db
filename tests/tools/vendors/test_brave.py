from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import HttpVendorContract, Reply, Request, impatient, json_reply, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import brave
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("brave")
VENDOR = brave.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
MONTH = replace(REPLIES.stored("error_429"), headers={"x-ratelimit-limit": "1, 15000", "x-ratelimit-remaining": "1, 0"})


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-subscription-token": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_empty")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_422_token"),
        ErrorKind.QUOTA: MONTH,
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_422"),
    }


class TestContractOfWebSearch(HttpVendorContract):
    vendor = VENDOR
    signed = {"x-subscription-token": "{key}"}  # noqa: RUF012
    options = {"api": "web"}  # noqa: RUF012
    found = REPLIES.stored("search_web")
    nothing_found = json_reply({"type": "search", "query": {"original": "x"}})


def test_a_search() -> None:
    request = brave.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/res/v1/llm/context", 30)
    assert request.json == {
        "q": "orders site:docs.acme.example",
        "count": 8,
        "maximum_number_of_urls": 8,
        "enable_local": False,
    }
    assert brave.build_search(SearchRequest("x", max_results=99), settings(VENDOR)).json["count"] == 50


def test_a_web_search() -> None:
    request = brave.build_search(SearchRequest("x", max_results=99), settings(VENDOR, api="web"))
    assert (request.method, request.url) == ("GET", "/res/v1/web/search")
    assert request.params == {"q": "x", "count": 20, "extra_snippets": "true", "text_decorations": "false"}


def test_hits() -> None:
    assert brave.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(
            URL,
            "List orders (v2) | Acme Docs",
            'page_size may be 1 to 200.\n...\n{"@type":"TechArticle","headline":"List orders"}',
        ),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", "A cursor is good for one day."),
    )


def test_hits_of_a_web_search_are_html() -> None:
    assert brave.parse_search(REPLIES.received("search_web"), SearchRequest("x")).value == (
        Hit(
            URL,
            "List orders (v2) | Acme Docs",
            "page_size may be 1 to 200 & is 50 if not given\n...\ncursor is opaque.",
        ),
    )


@pytest.mark.parametrize("body", [{}, {"type": "ErrorResponse"}, {"results": []}])
def test_another_answer_is_no_empty_answer(body: dict[str, Any]) -> None:
    reply = REPLIES.received("search_empty")
    with pytest.raises(Fault, match="no 'grounding'") as caught:
        brave.parse_search(replace(reply, body=json_reply(body).body), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.UNREADABLE


@pytest.mark.parametrize(
    ("limit", "remaining", "used_up"),
    [
        ("1, 15000", "0, 14987", False),
        ("1, 15000", "0, 0", True),
        ("1,15000", "1,0", True),
        ("50, 0", "0, 0", False),
        ("50", "0", False),
        ("1, 15000", "0", False),
        ("", "", False),
    ],
)
def test_the_month_is_told_from_the_second(limit: str, remaining: str, used_up: bool) -> None:
    reply = REPLIES.received("error_429")
    reply.headers.update({"x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining})
    assert brave._month_is_used_up(reply) is used_up


def test_the_wait_until_the_next_second_is_known() -> None:
    fault = REPLIES.refused("error_429")
    assert fault is not None
    assert (fault.kind, fault.retry_after_s) == (ErrorKind.RATE_LIMIT, 1)
    assert REPLIES.received("error_429").request_id == "00000000-0000-4000-8000-000000000021"


async def test_parallel_tasks_keep_to_the_rate_and_a_429_costs_none_of_them_a_call() -> None:
    arrivals: list[float] = []

    def handle(request: Request) -> Reply:
        arrivals.append(time.monotonic())
        return REPLIES.stored("error_429" if len(arrivals) == 2 else "search")

    transport = Transport(patience=impatient())
    async with serving(handle) as server:
        options = {"base_url": server.url}
        mode = VENDOR.modes[""]
        clients = [
            open_client(VENDOR, mode, api_key="one-key", options=options, transport=transport, rate_per_s=25)
            for _ in range(4)
        ]
        began = time.monotonic()
        outcomes = await asyncio.gather(*(client.search(SearchRequest("x")) for client in clients))
        await transport.aclose()
    assert all(outcome.error is None and outcome.value for outcome in outcomes)
    assert sorted(outcome.tries for outcome in outcomes) == [1, 1, 1, 2]
    assert len(arrivals) == 5
    assert arrivals[-1] - began > 0.15, "five calls at 25 a second"
    longest = max(outcomes, key=lambda outcome: outcome.queue_s)
    assert longest.service_s is not None
    assert longest.service_s < longest.queue_s, "a wait for our own limiter is no time at the vendor"


@pytest.mark.parametrize("options", [{"api": "news"}, {"api": 1}, {"api": ""}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="llm_context, web"):
        check_options(VENDOR, options)


async def test_long_queries_keep_their_site() -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return REPLIES.stored("search")

    transport = Transport(patience=impatient())
    async with serving(handle) as server:
        client = open_client(
            VENDOR, VENDOR.modes[""], api_key="k", options={"base_url": server.url}, transport=transport
        )
        words = " ".join(["word"] * 60)
        outcome = await client.search(SearchRequest(f"{words} site:docs.acme.example"))
        await client.search(SearchRequest("verylongword " * 49 + "site:docs.acme.example"))
        await transport.aclose()
    queries = [request.json()["q"] for request in seen]
    assert queries[0] == " ".join(["word"] * 49 + ["site:docs.acme.example"])
    assert all(len(query) <= 400 and query.endswith("site:docs.acme.example") for query in queries)
    assert outcome.notes == (f"The query was shortened to {len(queries[0])} characters.",)
