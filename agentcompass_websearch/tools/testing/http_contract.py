"""What every vendor over HTTP keeps, as tests: subclass, fill in a few replies, and let pytest collect them.

class TestAcme(HttpVendorContract):
    vendor = acme.websearch_vendor()
    signed = {"x-acme-key": "{key}"}
    found = json_reply({"hits": [{"link": "https://docs.acme.example/a", "name": "A", "text": "Alpha."}]})
    nothing_found = json_reply({"hits": []})
    page = json_reply({"markdown": "# A", "title": "A"})
    no_page = json_reply({"failed": "404"})
    refusals = {ErrorKind.QUOTA: json_reply({"code": "LIMIT"}, 429)}
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar, Final

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.base_urls import OPTIONS as BASE_URL_OPTIONS
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest, VendorClient
from agentcompass_websearch.tools.errors import POLICY
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.results import key_of
from agentcompass_websearch.tools.retry import Patience
from agentcompass_websearch.tools.testing import variations
from agentcompass_websearch.tools.testing.contract import (
    VendorContract,
    answered,
    assert_clean,
    assert_empty,
    assert_failed,
    assert_good_hits,
    said,
)
from agentcompass_websearch.tools.testing.faults import SHAPES
from agentcompass_websearch.tools.testing.leaks import CANARY, assert_no_key, assert_signed, logged
from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, in_thread, json_reply
from agentcompass_websearch.tools.transport import Transport

NOT_GIVEN: Final = Reply(status=0)
_RETRIED_SHAPES: Final = ("502-html", "html", "empty", "cut", "cut-json", "not-json", "garbled")
_NOT_PUBLIC: Final = ("http://169.254.169.254/latest", "http://localhost:8000/", "file:///etc/passwd", "http://0x7f.1")
_COMMON: Final = {
    ErrorKind.AUTH: Reply(401),
    ErrorKind.QUOTA: Reply(402),
    ErrorKind.RATE_LIMIT: Reply(429),
    ErrorKind.SERVER: Reply(503),
}
_SLOW_S: Final = 3.0
_AT_ONCE_S: Final = 2.0


def impatient(**knobs: Any) -> Patience:
    """Return a patience that never sleeps, with three tries unless `knobs` say otherwise."""

    async def no_sleep(seconds: float) -> None:
        return None

    return Patience(**{"max_tries": 3, "sleep": no_sleep, **knobs})


class HttpVendorContract(VendorContract):
    """What holds for a vendor over HTTP, given replies of its API.

    `signed` is where its documentation wants the key: names of headers or query parameters, with ``{key}`` in their
    values. `found` and `page` are good answers, `nothing_found` the answer to a search without results, `no_page` the
    one for a page that cannot be read; None for what the vendor cannot say. `refusals` are replies of the vendor's own
    by the kind that they mean; those of TARGET are of fetches. `json_ops` are the operations that are answered in JSON.

    Besides these replies, the client gets answers made from them: with repeated results, thirty of them, texts of all
    sorts or none, the key in them; and answers that are cut, endless, slow, or of no API at all.
    """

    signed: ClassVar[Mapping[str, str]] = {"authorization": "Bearer {key}"}
    found: ClassVar[Reply] = NOT_GIVEN
    nothing_found: ClassVar[Reply | None] = NOT_GIVEN
    page: ClassVar[Reply] = NOT_GIVEN
    no_page: ClassVar[Reply | None] = NOT_GIVEN
    refusals: ClassVar[Mapping[ErrorKind, Reply]] = {}
    json_ops: ClassVar[tuple[str, ...]] = ("search", "fetch")

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        """Open a client before a server that answers well."""
        async with self._before(self._good_reply) as client:
            yield client

    def _given(self, name: str, what: str) -> Reply | None:
        reply: Reply | None = getattr(self, name)
        assert reply is not NOT_GIVEN, f"{type(self).__name__} needs {name} = json_reply(...): the API's answer {what}"
        return reply

    def _good_reply(self, op: str) -> Reply:
        if op == "search":
            reply = self._given("found", "to a search that finds something")
        else:
            reply = self._given("page", "to a fetch of a page")
        assert reply is not None, f"a good answer to a {op} cannot be None"
        return reply

    @asynccontextmanager
    async def _before(
        self, answer: Callable[[str], Reply], seen: list[Request] | None = None, mode: str | None = None, **knobs: Any
    ) -> AsyncIterator[VendorClient]:
        """Open a client before a server that gives ``answer("search" or "fetch")``; requests are kept in `seen`.

        The server has a thread of its own, so that a client that blocks the event loop fails and does not hang.
        """

        def handle(request: Request) -> Reply:
            if seen is not None:
                seen.append(request)
            return answer(request.path.split("/")[1])

        transport = Transport(patience=impatient(**knobs), max_body_bytes=1_000_000)
        with in_thread(LoopbackServer(handle)) as server:
            here = {"search_base_url": f"{server.url}/search", "fetch_base_url": f"{server.url}/fetch"}
            options = {**self.options, **here}
            chosen = self.vendor.modes[self.vendor.default_mode if mode is None else mode]
            try:
                yield open_client(self.vendor, chosen, api_key=CANARY, options=options, transport=transport)
            finally:
                await transport.aclose()
            assert not server.errors, server.errors

    def _ops(self) -> list[str]:
        return [op for op in ("search", "fetch") if self._offers(op)]

    async def _ask(self, client: VendorClient, op: str, *, deadline: float | None = None) -> Outcome[Any]:
        if op == "search":
            request = SearchRequest(self.known_query)
            return await answered(client.search(request, deadline=deadline), "a search")
        return await answered(client.fetch(FetchRequest(self.known_url), deadline=deadline), "a fetch")

    async def _told(self, op: str, reply: Reply, **knobs: Any) -> Outcome[Any]:
        """Return what the client makes of one reply."""
        async with self._before(lambda _: reply, **knobs) as client:
            return await self._ask(client, op)

    def test_it_takes_the_options_of_http_vendors(self) -> None:
        missing = sorted(BASE_URL_OPTIONS.keys() - self.vendor.options.keys())
        assert not missing, f"the vendor must take {', '.join(missing)} in vendor_options; http_vendor adds them"

    def test_each_mode_can_be_asked(self) -> None:
        async def run(mode: str) -> None:
            async with self._before(self._good_reply, mode=mode) as client:
                for op in [op for op in self._ops() if op in self.vendor.modes[mode].operations]:
                    outcome = await self._ask(client, op)
                    assert outcome.error is None, f"a {op} of mode {mode!r} failed: {said(outcome)}"

        for mode in self.vendor.modes:
            asyncio.run(run(mode))

    def test_the_key_is_sent_and_appears_nowhere_else(self) -> None:
        async def run(op: str, reply: Reply) -> None:
            seen: list[Request] = []
            with logged() as lines:
                async with self._before(lambda _: reply, seen, max_tries=1) as client:
                    outcome = await self._ask(client, op)
                    assert_no_key(outcome, client, lines)
            assert seen, f"a {op} must send a request to vendor_options.{op}_base_url"
            if self.vendor.key_vars:
                assert_signed(seen[0], self.signed, op)

        for op in self._ops():
            good = self._good_reply(op)
            echo = {"error": f"key {CANARY} is wrong", "requestId": CANARY}
            in_texts = variations.with_rows(good, lambda rows: variations.with_odd_texts(rows, CANARY))
            for reply in (good, in_texts or good, *(json_reply(echo, status) for status in (200, 401, 500))):
                asyncio.run(run(op, reply))

    def test_results_are_distinct_clean_and_no_more_than_asked_for(self) -> None:
        async def found(change: Callable[[list[variations.Row]], list[variations.Row]]) -> tuple[Hit, ...]:
            reply = variations.with_rows(self._good_reply("search"), change)
            assert reply is not None, "`found` must have a list with at least one result that has an http(s) URL"
            outcome = await self._told("search", reply)
            assert outcome.value is not None, f"{change.__name__} of `found` failed: {said(outcome)}"
            assert_good_hits(outcome.value, SearchRequest("").max_results)
            hits: tuple[Hit, ...] = outcome.value
            return hits

        async def run() -> None:
            urls = [key_of(hit.url) for hit in await found(list)]
            for change in (variations.repeated, variations.with_odd_texts, variations.without_texts):
                hits = await found(change)
                assert [url for hit in hits if (url := key_of(hit.url)) in urls] == urls, (
                    f"{change.__name__} of `found` must give the same pages in the same order, not {hits!r:.300}"
                )
                texts = "".join(hit.title + hit.snippet for hit in hits)
                assert change is not variations.with_odd_texts or variations.MARK in texts, (
                    f"text of other scripts is lost: {texts!r:.200}"
                )
            wanted = SearchRequest("").max_results
            got = len(await found(variations.many))
            assert got == wanted, f"{got} hits where {wanted} were asked for and more were sent: none may be lost"

        if self._offers("search") and "search" in self.json_ops:
            asyncio.run(run())

    def test_pages_are_clean_and_one_without_text_is_none(self) -> None:
        async def run() -> None:
            page = (await self._told("fetch", self._good_reply("fetch"))).value
            assert page is not None, "`page` must be the answer to a fetch that succeeds"
            blank = variations.without_content(self._good_reply("fetch"))
            assert_failed(await self._told("fetch", blank), ErrorKind.TARGET)
            odd = variations.with_odd_content(self._good_reply("fetch"), page.content)
            if odd is not None:
                outcome = await self._told("fetch", odd)
                assert outcome.value is not None, f"a page with text of all sorts failed: {said(outcome)}"
                assert_clean(outcome.value.content + outcome.value.title, "a page")
                assert variations.MARK in outcome.value.content, "text of other scripts is lost"

        if self._offers("fetch"):
            asyncio.run(run())

    def test_nothing_found_is_an_empty_answer(self) -> None:
        if self._offers("search"):
            reply = self._given("nothing_found", "to a search that finds nothing (None: it never says so)")
            if reply is not None:
                assert_empty(asyncio.run(self._told("search", reply)))

    def test_an_answer_without_results_of_the_usual_form_is_not_empty(self) -> None:
        if self._offers("search") and "search" in self.json_ops:
            others: tuple[Any, ...] = ({"message": "something else"}, {}, [], "text", None)
            for other in others:
                outcome = asyncio.run(self._told("search", json_reply(other), max_tries=1))
                assert outcome.error is not None, (
                    f"an answer {other!r} is no search that finds nothing: results.section, or a field that every good "
                    f"answer has, tells them apart; got {said(outcome)}"
                )

    def test_a_page_that_cannot_be_read_is_an_ordinary_reply(self) -> None:
        async def run(reply: Reply) -> None:
            seen: list[Request] = []
            async with self._before(lambda _: reply, seen) as client:
                assert_failed(await self._ask(client, "fetch"), ErrorKind.TARGET)
            assert len(seen) == 1, f"a page that cannot be read is not worth another try, but {len(seen)} were made"

        if self._offers("fetch"):
            reply = self._given("no_page", "for a page that it cannot read (None: it never says so)")
            if reply is not None:
                asyncio.run(run(reply))

    def test_refusals_are_of_their_kinds(self) -> None:
        async def run(kind: ErrorKind, reply: Reply) -> None:
            for op in ["fetch"] if kind is ErrorKind.TARGET else self._ops():
                seen: list[Request] = []
                async with self._before(lambda _: reply, seen) as client:
                    outcome = await self._ask(client, op)
                assert_failed(outcome, kind)
                tries = 3 if POLICY[kind].retry else 1
                assert len(seen) == tries, (
                    f"HTTP {reply.status} ({kind}) was asked for {len(seen)} times, not {tries}: retry by the kind, "
                    "within transport.patience (tools.retry.persist does)"
                )
                assert outcome.tries == tries, f"Outcome.tries must be {tries}, the number of requests sent"

        for kind, reply in [*_COMMON.items(), *self.refusals.items()]:
            asyncio.run(run(kind, reply))

    def test_unreadable_answers_are_retried(self) -> None:
        async def run(shape: str) -> None:
            for op in [op for op in self._ops() if op in self.json_ops]:
                good = self._good_reply(op)
                replies = [good, SHAPES[shape](good), SHAPES[shape](good), good]
                async with self._before(lambda _, left=replies: left.pop(0)) as client:  # type: ignore[misc]
                    first = await self._ask(client, op)
                    assert first.error is None, f"the good answer failed: {said(first)}"
                    outcome = await self._ask(client, op)
                    assert outcome.error is None, f"after two answers that are {shape}: {said(outcome)}"
                    assert outcome.tries == 3, (
                        f"an answer that is {shape} is UNREADABLE and tried again, never an empty one: "
                        f"{outcome.tries} tries, {said(outcome)}"
                    )

        for shape in _RETRIED_SHAPES:
            asyncio.run(run(shape))

    def test_a_wrong_address_says_what_to_set(self) -> None:
        for shape in ("html", "404-html", "redirect"):
            op = self._ops()[0]
            outcome = asyncio.run(self._told(op, SHAPES[shape](self._good_reply(op))))
            assert_failed(outcome, ErrorKind.MISCONFIGURED)
            assert "base_url" in str(outcome.error), f"name the option to set (base_url): {outcome.error}"

    def test_bodies_without_end_are_cut(self) -> None:
        for shape in ("bomb", "endless"):
            for op in self._ops():
                outcome = asyncio.run(self._told(op, SHAPES[shape](self._good_reply(op)), max_tries=1))
                assert outcome.error is not None or len(repr(outcome.value)) < 1_100_000, (
                    f"a body that is {shape} was read whole: count bytes after decompression, as the transport does"
                )

    def test_a_hang_ends_at_the_deadline(self) -> None:
        async def run() -> None:
            op = self._ops()[0]
            async with self._before(lambda op: replace(self._good_reply(op), wait_s=_SLOW_S)) as client:
                started = time.monotonic()
                outcome = await self._ask(client, op, deadline=started + 0.1)
                took_s = time.monotonic() - started
            assert_failed(outcome, ErrorKind.DEADLINE)
            assert took_s < _AT_ONCE_S, f"the call ended {took_s:.1f} s after it began; its deadline was after 0.1 s"

        asyncio.run(run())

    def test_a_cancelled_call_ends_at_once(self) -> None:
        async def run(op: str) -> None:
            loop, arrived = asyncio.get_running_loop(), asyncio.Event()
            waits = [_SLOW_S]

            def answer(op: str) -> Reply:
                loop.call_soon_threadsafe(arrived.set)
                return replace(self._good_reply(op), wait_s=waits.pop() if waits else 0.0)

            async with self._before(answer) as client:
                call = asyncio.create_task(self._ask(client, op))
                arrival = asyncio.create_task(arrived.wait())
                await asyncio.wait({call, arrival}, return_when=asyncio.FIRST_COMPLETED)
                arrival.cancel()
                call.cancel()
                await asyncio.wait({call}, timeout=_AT_ONCE_S)
                assert call.cancelled(), (
                    f"a cancelled {op} must end at once, as cancelled: do not block, shield or catch CancelledError"
                )
                outcome = await self._ask(client, op)
                assert outcome.error is None, f"the call after a cancelled one failed: {said(outcome)}"

        for op in self._ops():
            asyncio.run(run(op))

    def test_the_event_loop_goes_on_during_a_call(self) -> None:
        async def run(op: str) -> None:
            loop, blocked = asyncio.get_running_loop(), threading.Event()

            def answer(op: str) -> Reply:
                alive = threading.Event()
                loop.call_soon_threadsafe(alive.set)
                if not alive.wait(_AT_ONCE_S):
                    blocked.set()
                return self._good_reply(op)

            async with self._before(answer) as client:
                await self._ask(client, op)
            assert not blocked.is_set(), (
                f"a {op} blocks the event loop while it waits: use an async client, or asyncio.to_thread for a library"
            )

        for op in self._ops():
            asyncio.run(run(op))

    def test_addresses_that_are_not_public_are_never_sent(self) -> None:
        async def run() -> None:
            seen: list[Request] = []
            async with self._before(self._good_reply, seen) as client:
                for url in _NOT_PUBLIC:
                    outcome = await answered(client.fetch(FetchRequest(url)), f"a fetch of {url}")
                    assert_failed(outcome, ErrorKind.NOT_PUBLIC)
            assert not seen, f"{len(seen)} addresses that are not public were sent to the vendor"

        asyncio.run(run())
