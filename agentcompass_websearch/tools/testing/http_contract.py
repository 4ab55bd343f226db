"""What every vendor over HTTP keeps, as tests: subclass, fill in a few replies, and let pytest collect them.

class TestAcme(HttpVendorContract):
    vendor = acme.websearch_vendor()
    found = json_reply({"hits": [{"link": "https://docs.acme.example/a", "name": "A", "text": "Alpha."}]})
    nothing_found = json_reply({"hits": []})
    page = json_reply({"markdown": "# A", "title": "A"})
    no_page = json_reply({"failed": "404"})
    refusals = {ErrorKind.QUOTA: json_reply({"code": "LIMIT"}, 429)}
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Final

from agentcompass_websearch.tools.base_urls import OPTIONS as BASE_URL_OPTIONS
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest, VendorClient
from agentcompass_websearch.tools.errors import POLICY
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.retry import Patience
from agentcompass_websearch.tools.testing.contract import VendorContract, assert_failed
from agentcompass_websearch.tools.testing.faults import SHAPES
from agentcompass_websearch.tools.testing.server import Reply, Request, json_reply, serving
from agentcompass_websearch.tools.transport import Transport

CANARY: Final = "canary-0123456789-canary"
_RETRIED_SHAPES: Final = ("502-html", "html", "empty", "cut", "cut-json", "not-json", "garbled")
_NOT_PUBLIC: Final = ("http://169.254.169.254/latest", "http://localhost:8000/", "file:///etc/passwd", "http://0x7f.1")


def impatient(**knobs: Any) -> Patience:
    """Return a patience that never sleeps, with three tries unless `knobs` say otherwise."""

    async def no_sleep(seconds: float) -> None:
        return None

    return Patience(**{"max_tries": 3, "sleep": no_sleep, **knobs})


class HttpVendorContract(VendorContract):
    """What holds for a vendor over HTTP, given replies of its API.

    `found` and `page` are good answers, `nothing_found` the answer to a search without results (None: the vendor cannot
    say so), `no_page` the answer for a page that cannot be read (None: likewise). `refusals` are replies of the
    vendor's own by the kind that they mean; those of TARGET are of fetches. `json_ops` are the
    operations that are answered in JSON.
    """

    found: ClassVar[Reply]
    nothing_found: ClassVar[Reply | None] = None
    page: ClassVar[Reply | None] = None
    no_page: ClassVar[Reply | None] = None
    refusals: ClassVar[Mapping[ErrorKind, Reply]] = {}
    json_ops: ClassVar[tuple[str, ...]] = ("search", "fetch")

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        """Open a client before a server that answers well."""
        async with self._before(self._good_reply) as client:
            yield client

    def _good_reply(self, op: str) -> Reply:
        reply = self.found if op == "search" else self.page
        assert reply is not None, f"give a good reply of {op}"
        return reply

    @asynccontextmanager
    async def _before(
        self, answer: Callable[[str], Reply], seen: list[Request] | None = None, **knobs: Any
    ) -> AsyncIterator[VendorClient]:
        """Open a client before a server that gives ``answer("search" or "fetch")``; requests are kept in `seen`."""

        def handle(request: Request) -> Reply:
            if seen is not None:
                seen.append(request)
            return answer(request.path.split("/")[1])

        transport = Transport(patience=impatient(**knobs), max_body_bytes=1_000_000)
        async with serving(handle) as server:
            here = {"search_base_url": f"{server.url}/search", "fetch_base_url": f"{server.url}/fetch"}
            options = {**self.options, **here}
            mode = self.vendor.modes[self.vendor.default_mode]
            try:
                yield open_client(self.vendor, mode, api_key=CANARY, options=options, transport=transport)
            finally:
                await transport.aclose()
            assert not server.errors, server.errors

    def _ops(self) -> list[str]:
        return [op for op in ("search", "fetch") if self._offers(op)]

    async def _ask(self, client: VendorClient, op: str) -> Outcome[Any]:
        if op == "search":
            return await client.search(SearchRequest(self.known_query))
        return await client.fetch(FetchRequest(self.known_url))

    def test_it_takes_the_options_of_http_vendors(self) -> None:
        assert BASE_URL_OPTIONS.keys() <= self.vendor.options.keys()

    def test_the_key_is_sent_and_appears_nowhere_else(self) -> None:
        async def run() -> None:
            for op in self._ops():
                seen: list[Request] = []
                for status in (200, 401, 500):
                    echo = json_reply({"error": f"key {CANARY} is wrong", "requestId": CANARY}, status)
                    async with self._before(lambda _, reply=echo: reply, seen, max_tries=1) as client:  # type: ignore[misc]
                        outcome = await self._ask(client, op)
                        assert CANARY not in f"{outcome!r} {outcome.error} {vars(client)!r}", "the key leaks"
                if self.vendor.key_vars:
                    assert all(CANARY in f"{r.path} {r.query} {r.headers} {r.body!r}" for r in seen), "no key was sent"

        asyncio.run(run())

    def test_nothing_found_is_an_empty_answer(self) -> None:
        async def run(reply: Reply) -> None:
            async with self._before(lambda _: reply) as client:
                outcome = await self._ask(client, "search")
                assert outcome.value == (), f"expected no hits, got {outcome.value} {outcome.error}"

        if self.nothing_found is not None:
            asyncio.run(run(self.nothing_found))

    def test_a_page_that_cannot_be_read_is_an_ordinary_reply(self) -> None:
        async def run(reply: Reply) -> None:
            seen: list[Request] = []
            async with self._before(lambda _: reply, seen) as client:
                assert_failed(await self._ask(client, "fetch"), ErrorKind.TARGET)
            assert len(seen) == 1, "it is not worth another try"

        if self.no_page is not None:
            asyncio.run(run(self.no_page))

    def test_refusals_are_of_their_kinds(self) -> None:
        common = {
            ErrorKind.AUTH: Reply(401),
            ErrorKind.QUOTA: Reply(402),
            ErrorKind.RATE_LIMIT: Reply(429),
            ErrorKind.SERVER: Reply(503),
        }

        async def run(kind: ErrorKind, reply: Reply) -> None:
            for op in ["fetch"] if kind is ErrorKind.TARGET else self._ops():
                seen: list[Request] = []
                async with self._before(lambda _: reply, seen) as client:
                    assert_failed(await self._ask(client, op), kind)
                assert len(seen) == (3 if POLICY[kind].retry else 1), f"{kind}: {len(seen)} tries"

        for kind, reply in [*common.items(), *self.refusals.items()]:
            asyncio.run(run(kind, reply))

    def test_unreadable_answers_are_retried(self) -> None:
        async def run(shape: str) -> None:
            for op in [op for op in self._ops() if op in self.json_ops]:
                good = self._good_reply(op)
                replies = [good, SHAPES[shape](good), SHAPES[shape](good), good]
                async with self._before(lambda _, left=replies: left.pop(0)) as client:  # type: ignore[misc]
                    assert (await self._ask(client, op)).error is None
                    outcome = await self._ask(client, op)
                    assert outcome.error is None, f"{shape}: {outcome.error}"
                    assert outcome.tries == 3, f"{shape}: {outcome.tries} tries"

        for shape in _RETRIED_SHAPES:
            asyncio.run(run(shape))

    def test_a_wrong_address_says_what_to_set(self) -> None:
        async def run(shape: str) -> None:
            async with self._before(lambda op: SHAPES[shape](self._good_reply(op))) as client:
                outcome = await self._ask(client, self._ops()[0])
                assert_failed(outcome, ErrorKind.MISCONFIGURED)
                assert "base_url" in str(outcome.error)

        for shape in ("html", "404-html", "redirect"):
            asyncio.run(run(shape))

    def test_bodies_without_end_are_cut(self) -> None:
        async def run(shape: str) -> None:
            for op in self._ops():
                async with self._before(lambda op: SHAPES[shape](self._good_reply(op)), max_tries=1) as client:
                    outcome = await self._ask(client, op)
                    assert outcome.error is not None or len(repr(outcome.value)) < 1_100_000, f"{shape} was read"

        for shape in ("bomb", "endless"):
            asyncio.run(run(shape))

    def test_a_hang_ends_at_the_deadline(self) -> None:
        async def run() -> None:
            async with self._before(lambda op: Reply(hang=True)) as client:
                outcome = await asyncio.wait_for(
                    client.search(SearchRequest(self.known_query), deadline=time.monotonic() + 0.1), 5
                )
                assert_failed(outcome, ErrorKind.DEADLINE)

        asyncio.run(run())

    def test_addresses_that_are_not_public_are_never_sent(self) -> None:
        async def run() -> None:
            seen: list[Request] = []
            async with self._before(self._good_reply, seen) as client:
                for url in _NOT_PUBLIC:
                    assert_failed(await client.fetch(FetchRequest(url)), ErrorKind.NOT_PUBLIC)
            assert not seen

        asyncio.run(run())
