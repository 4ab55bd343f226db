from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    Facts,
    FetchRequest,
    SearchRequest,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Auth,
    Endpoint,
    HttpApi,
    HttpReply,
    HttpRequest,
    http_vendor,
)
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import Reply, Request, html_reply, impatient, json_reply, serving
from agentcompass_websearch.tools.testing.faults import SHAPES
from agentcompass_websearch.tools.transport import Transport
from tests.support.acme_api import API, FOUND, KEY, MODE, URL, acme, build_search, kind_of, parse_search


async def test_a_search_with_all_that_is_known_of_it() -> None:
    reply = json_reply(
        {"results": [{"url": URL, "title": "A", "snippet": None}], "usd": 0.007}, headers={"x-request-id": "r1"}
    )
    seen: list[Request] = []
    async with acme(reply, seen=seen) as client:
        outcome = await client.search(SearchRequest(" orders\ud835 ", objective="an\x00 aim"))
    assert outcome.value == (Hit(URL, "A", ""),)
    assert (outcome.tries, outcome.status, outcome.request_id, outcome.reported_usd) == (1, 200, "r1", 0.007)
    assert outcome.notes == ("fine",)
    assert outcome.service_s is not None
    assert 0 < outcome.service_s < 5
    assert outcome.queue_s < 0.1
    assert outcome.backoff_s == 0
    assert (seen[0].path, seen[0].json()) == ("/search", {"q": "orders\ufffd", "aim": "an aim"})
    assert seen[0].headers["x-api-key"] == KEY


async def test_hits_are_distinct_and_no_more_than_asked_for() -> None:
    rows = [{"url": f"{URL}/{n // 2}{'/' * (n % 2)}"} for n in range(40)]
    async with acme(json_reply({"results": rows})) as client:
        outcome = await client.search(SearchRequest("x", max_results=8))
    assert outcome.value is not None
    assert [hit.url for hit in outcome.value] == [f"{URL}/{n}" for n in range(8)]


@pytest.mark.parametrize(
    ("auth", "place"),
    [
        (Auth("x-key"), lambda request: request.headers.get("x-key")),
        (Auth("authorization", "Bearer "), lambda request: request.headers["authorization"].removeprefix("Bearer ")),
        (Auth(param="api_key"), lambda request: request.query.get("api_key")),
    ],
)
async def test_where_the_key_goes(auth: Auth, place: Callable[[Request], str]) -> None:
    seen: list[Request] = []
    async with acme(FOUND, api=HttpApi(search=API.search, auth=auth), seen=seen) as client:
        await client.search(SearchRequest("x"))
    assert place(seen[0]) == KEY
    assert Auth("x-key", param="k").sign(HttpRequest("GET", "/"), "") == HttpRequest("GET", "/")


async def test_each_operation_has_its_own_base_url() -> None:
    async with serving(lambda request: Reply(200, b"# Page")) as other:
        seen: list[Request] = []
        async with acme(FOUND, seen=seen, options={"fetch_base_url": f"{other.url}/v9/"}) as client:
            assert (await client.search(SearchRequest("x"))).error is None
            page = (await client.fetch(FetchRequest(URL))).value
    assert page == Page(URL, content="# Page")
    assert [request.path for request in seen] == ["/search"]


async def test_long_queries_are_shortened_and_the_model_is_told() -> None:
    seen: list[Request] = []
    async with acme(FOUND, facts=Facts(max_query_chars=20, max_query_words=3), seen=seen) as client:
        outcome = await client.search(SearchRequest("one two three four"))
        assert outcome.notes[0] == "The query was shortened to 13 characters."
        await client.search(SearchRequest("x" * 50))
    assert [request.json()["q"] for request in seen] == ["one two three", "x" * 20]


async def test_an_empty_query_is_not_sent() -> None:
    seen: list[Request] = []
    async with acme(FOUND, seen=seen) as client:
        for request in (
            SearchRequest(""),
            SearchRequest(" \n"),
            SearchRequest("\x00"),
            SearchRequest("x", max_results=0),
        ):
            outcome = await client.search(request)
            assert (kind_of(outcome), outcome.tries, outcome.service_s) == (ErrorKind.BAD_REQUEST, 0, None)
    assert seen == []


async def test_an_operation_that_the_vendor_lacks() -> None:
    async with acme(FOUND, api=HttpApi(search=API.search)) as client:
        assert kind_of(await client.fetch(FetchRequest(URL))) is ErrorKind.BAD_REQUEST


# Failures


async def test_a_refusal_is_retried_within_the_same_call() -> None:
    limited = json_reply({"error": {"code": "RATE_LIMITED"}}, 429, {"retry-after": "0.01"})
    async with acme([limited, limited, FOUND]) as client:
        outcome = await client.search(SearchRequest("x"))
    assert outcome.value == (Hit(URL, "A", "Alpha."),)
    assert outcome.tries == 3
    assert outcome.backoff_s > 0
    assert outcome.service_s is not None
    assert outcome.service_s < 1


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (html_reply("<h1>bad gateway</h1>", 502), "HTTP 502: bad gateway"),
        (json_reply({}, 503), "HTTP 503"),
        (Reply(200, b"", {"content-type": "application/json"}), "HTTP 200: empty answer"),
        (Reply(200, b'{"results": [{"ti', {"content-type": "application/json"}), 'JSON: {"results": [{"ti'),
    ],
)
async def test_broken_answers_are_retried_a_bounded_number_of_times(first: Reply, said: str) -> None:
    seen: list[Request] = []
    async with acme([FOUND, first, first, FOUND, first, first, first], seen=seen) as client:
        assert (await client.search(SearchRequest("x"))).error is None
        assert (await client.search(SearchRequest("x"))).tries == 3
        outcome = await client.search(SearchRequest("x"))
    assert len(seen) == 7
    assert outcome.tries == 3
    assert said in str(outcome.error)
    assert len(str(outcome.error)) < 300


async def test_after_a_refusal_nothing_that_waits_is_sent() -> None:
    """One call waits between two tries, the others wait for the one place, when the first of them is refused."""
    asleep, wake = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        asleep.set()
        await wake.wait()

    seen: list[Request] = []
    refused = Reply(402)
    async with acme([Reply(503), refused, refused], patience={"sleep": sleep}, seen=seen, concurrency=1) as client:
        between = asyncio.create_task(client.search(SearchRequest("busy")))
        await asleep.wait()
        outcomes = await asyncio.gather(*(client.search(SearchRequest(f"q{n}")) for n in range(5)))
        wake.set()
        outcomes.append(await between)
        assert {kind_of(outcome) for outcome in outcomes} == {ErrorKind.QUOTA}
        assert [outcome.tries for outcome in outcomes] == [1, 0, 0, 0, 0, 1]
        assert [request.json()["q"] for request in seen] == ["busy", "q0"]
        # Whether a new call makes sense is for the caller to decide.
        assert (await client.search(SearchRequest("later"))).tries == 1


async def test_calls_that_wait_while_an_address_is_found_wrong_say_so_once() -> None:
    seen: list[Request] = []
    async with acme(Reply(404), patience={"max_tries": 1}, seen=seen, concurrency=1) as client:
        outcomes = await asyncio.gather(*(client.search(SearchRequest(f"q{n}")) for n in range(9)))
    assert {kind_of(outcome) for outcome in outcomes} == {ErrorKind.MISCONFIGURED}
    assert {str(outcome.error).count("base_url") for outcome in outcomes} == {1}
    # The next one may be on its way before the first is understood.
    assert len(seen) <= 2


async def test_credits_that_are_gone_are_told_in_a_200_too() -> None:
    reply = json_reply({"error": {"message": "You are out of credits"}})
    async with acme(reply) as client:
        outcome = await client.search(SearchRequest("x"))
    assert kind_of(outcome) is ErrorKind.QUOTA
    assert "You are out of credits" in str(outcome.error)


async def test_a_failure_in_a_200_keeps_what_it_cost() -> None:
    async with acme(json_reply({"success": False, "error": "no engine could read the page"})) as client:
        outcome = await client.search(SearchRequest("x"))
    assert kind_of(outcome) is ErrorKind.QUOTA
    assert (outcome.reported_usd, outcome.billed, outcome.status, outcome.tries) == (0.5, True, 200, 1)


async def test_what_was_asked_decides_nothing_where_a_refusal_repeats_it() -> None:
    def handle(request: Request) -> Reply:
        asked = (request.json() or {}).get("q") or request.query["url"]
        return json_reply({"error": f"not taken: {asked}"}, 400)

    async with acme(handle) as client:
        assert kind_of(await client.search(SearchRequest("why no_more_credits"))) is ErrorKind.BAD_REQUEST
        assert kind_of(await client.fetch(FetchRequest(f"{URL}/no_more_credits"))) is ErrorKind.BAD_REQUEST


async def test_what_was_asked_decides_nothing_where_an_error_in_a_200_repeats_it() -> None:
    def handle(request: Request) -> Reply:
        asked = request.json()["q"]
        return FOUND if asked == "first" else json_reply({"error": f"not taken: {asked}"})

    async with acme(handle, patience={"max_tries": 1}) as client:
        await client.search(SearchRequest("first"))
        assert kind_of(await client.search(SearchRequest("why no_more_credits"))) is ErrorKind.UNREADABLE


async def test_rules_of_the_vendor() -> None:
    async with acme(json_reply({"message": "nothing here"}, 404)) as client:
        assert (await client.search(SearchRequest("x"))).value == ()
        assert kind_of(await client.fetch(FetchRequest(URL))) is ErrorKind.TARGET
    async with acme(json_reply({}, 410)) as client:
        assert kind_of(await client.fetch(FetchRequest(URL))) is ErrorKind.TARGET


@pytest.mark.parametrize(
    "body", [{}, [], None, "text", 5, {"results": 5}, {"results": {"url": 1}}, {"results": [[]], "note": {}}]
)
async def test_whatever_a_vendor_sends_nothing_is_raised(body: Any) -> None:
    async with acme([FOUND, json_reply(body), json_reply(body), json_reply(body)]) as client:
        await client.search(SearchRequest("x"))
        outcome = await client.search(SearchRequest("x"))
    if outcome.error is not None:
        assert kind_of(outcome) is ErrorKind.UNREADABLE
        assert str(outcome.error).startswith("HTTP 200: ")


async def test_a_builder_that_fails_is_an_outcome() -> None:
    async with acme(FOUND) as client:
        outcome = await client.search(SearchRequest("build fails"))
    assert (kind_of(outcome), outcome.tries) == (ErrorKind.MISCONFIGURED, 0)


@pytest.mark.parametrize("shape", ["html", "404-html", "redirect", "not-json", "empty"])
async def test_an_address_that_never_answered_well_is_wrong(shape: str) -> None:
    seen: list[Request] = []
    async with acme(SHAPES[shape](FOUND), seen=seen, patience={"max_tries": 9}) as client:
        outcome = await client.search(SearchRequest("x"))
    assert kind_of(outcome) is ErrorKind.MISCONFIGURED
    assert "base_url" in str(outcome.error) or "redirected" in str(outcome.error)
    assert len(seen) <= 3


async def test_an_address_that_once_answered_well_is_not_doubted() -> None:
    page = SHAPES["html"](FOUND)
    async with acme([FOUND, page, page, page, page, FOUND], patience={"max_tries": 9}) as client:
        assert (await client.search(SearchRequest("x"))).error is None
        assert (await client.search(SearchRequest("x"))).tries == 5


async def test_nobody_listens_at_an_address_of_the_users_own() -> None:
    async with acme(FOUND, options={"base_url": "http://127.0.0.1:9"}, patience={"max_tries": 9}) as client:
        outcome = await client.search(SearchRequest("x"))
    assert (kind_of(outcome), outcome.tries) == (ErrorKind.MISCONFIGURED, 3)
    assert "check vendor_options.base_url (it leads to 127.0.0.1:9)" in str(outcome.error)


async def test_nobody_listens_at_the_vendors_own_address() -> None:
    async with acme(FOUND, options={"base_url": None}, patience={"max_tries": 5}) as client:
        outcome = await client.search(SearchRequest("x"))
    assert (kind_of(outcome), outcome.tries) == (ErrorKind.CONNECT, 5)


# Time


async def test_a_deadline_in_the_past_sends_nothing() -> None:
    seen: list[Request] = []
    async with acme(FOUND, seen=seen) as client:
        outcome = await client.search(SearchRequest("x"), deadline=time.monotonic() - 1)
    assert (kind_of(outcome), outcome.tries, seen) == (ErrorKind.DEADLINE, 0, [])


async def test_a_call_ends_by_its_deadline() -> None:
    started = time.monotonic()
    async with acme(Reply(hang=True)) as client:
        outcome = await client.search(SearchRequest("x"), deadline=started + 0.2)
    assert (kind_of(outcome), outcome.tries) == (ErrorKind.DEADLINE, 1)
    assert time.monotonic() - started < 5


async def test_a_vendor_that_fails_until_the_deadline_has_failed() -> None:
    async with acme(json_reply({}, 503), patience={"max_tries": 10**6}) as client:
        outcome = await client.search(SearchRequest("x"), deadline=time.monotonic() + 0.2)
    assert kind_of(outcome) is ErrorKind.SERVER


async def test_waiting_in_our_own_queue_is_not_service_time() -> None:
    slow = Reply(FOUND.status, FOUND.body, FOUND.headers, wait_s=0.05)
    async with acme(slow, concurrency=1) as client:
        first, second = await asyncio.gather(client.search(SearchRequest("a")), client.search(SearchRequest("b")))
    for outcome in (first, second):
        assert outcome.service_s is not None
        assert 0.05 <= outcome.service_s < 1
    assert first.queue_s < 0.05
    assert second.queue_s >= 0.045


async def test_a_queue_that_is_too_long_ends_at_the_deadline() -> None:
    arrived = asyncio.Event()

    def handle(request: Request) -> Reply:
        arrived.set()
        return Reply(hang=True)

    async with acme(handle, concurrency=1) as client:
        task = asyncio.create_task(client.search(SearchRequest("a")))
        await arrived.wait()
        outcome = await client.search(SearchRequest("b"), deadline=time.monotonic() + 0.1)
        assert (kind_of(outcome), outcome.tries) == (ErrorKind.DEADLINE, 0)
        assert outcome.queue_s > 0.05
        task.cancel()
        await asyncio.wait([task])


async def test_the_rate_of_a_key_holds_for_all_its_clients() -> None:
    arrivals: list[float] = []

    def handle(request: Request) -> Reply:
        arrivals.append(time.monotonic())
        return FOUND

    vendor = http_vendor(API, family="acme", title="Acme", homepage="", modes=(MODE,), default_mode="")
    transport = Transport(patience=impatient())
    async with serving(handle) as server:
        options = {"base_url": server.url}
        clients = [
            open_client(vendor, MODE, api_key=KEY, options=options, transport=transport, rate_per_s=50)
            for _ in range(4)
        ]
        outcomes = await asyncio.gather(*(client.search(SearchRequest("x")) for client in clients for _ in range(2)))
        await transport.aclose()
    assert all(outcome.tries == 1 for outcome in outcomes)
    assert arrivals[-1] - arrivals[0] >= 0.07, "eight calls at fifty a second"


# One call knows nothing of another


async def test_fifty_calls_at_once_each_get_their_own_outcome() -> None:
    def handle(request: Request) -> Reply:
        number = int(request.json()["q"])
        reply = json_reply(
            {"results": [{"url": f"{URL}/{number}"}], "usd": number}, headers={"x-request-id": f"r{number}"}
        )
        return Reply(reply.status, reply.body, reply.headers, wait_s=0.02 if number % 2 else 0)

    async with acme(handle) as client:
        outcomes = await asyncio.gather(*(client.search(SearchRequest(str(number))) for number in range(50)))
    for number, outcome in enumerate(outcomes):
        assert outcome.value == (Hit(f"{URL}/{number}"),)
        assert (outcome.request_id, outcome.reported_usd) == (f"r{number}", float(number))


async def test_a_cancelled_call_gives_its_place_back() -> None:
    arrived = asyncio.Event()

    def handle(request: Request) -> Reply:
        arrived.set()
        return Reply(hang=True) if request.json()["q"] == "hang" else FOUND

    async with acme(handle, concurrency=1) as client:
        task = asyncio.create_task(client.search(SearchRequest("hang")))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await client.search(SearchRequest("x"))).error is None


# Secrets


@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_slow_parser_reads_beside_the_event_loop(in_thread: bool) -> None:
    read_in: list[threading.Thread] = []

    def parse(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
        read_in.append(threading.current_thread())
        return parse_search(reply, request)

    api = replace(API, search=Endpoint("http://127.0.0.1:9", build_search, parse, in_thread))
    async with acme([FOUND, json_reply({"success": False, "error": "plan"})], api=api) as client:
        assert (await client.search(SearchRequest("x"))).value
        assert kind_of(await client.search(SearchRequest("x"))) is ErrorKind.QUOTA
    assert [thread is threading.current_thread() for thread in read_in] == [not in_thread] * 2


async def test_a_large_reply_is_read_beside_the_event_loop() -> None:
    read_in: list[threading.Thread] = []

    def parse(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
        read_in.append(threading.current_thread())
        return parse_search(reply, request)

    large = json_reply({"results": [{"url": URL, "snippet": "x" * 600_000}], "requestId": "r1"})
    api = replace(API, search=Endpoint("http://127.0.0.1:9", build_search, parse))
    async with acme(large, api=api) as client:
        outcome = await client.search(SearchRequest("x"))
    assert outcome.value is not None
    assert (len(outcome.value[0].snippet), outcome.request_id) == (600_000, "r1")
    assert read_in != [threading.current_thread()]
