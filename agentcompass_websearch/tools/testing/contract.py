"""What every vendor keeps, as tests: subclass `VendorContract` and let pytest collect them.

A vendor over HTTP subclasses `agentcompass_websearch.tools.testing.HttpVendorContract` instead. The tests need pytest
alone; each runs its own event loop and talks to loopback only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Final

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
    Outcome,
    SearchRequest,
    Vendor,
    VendorClient,
)
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.results import key_of

_URL: Final = "https://docs.acme.example/orders/api/v2/list"
_ODD_QUERIES: Final = ("(" * 3000, "a" * 20_000, 'site:x "open -', "\ud835 lone", "naïve 東京 😀", "\x00\x07 x", "*")


class VendorContract:
    """What holds for every vendor, over HTTP or not. `options` are those without which it cannot be opened."""

    vendor: ClassVar[Vendor]
    options: ClassVar[Mapping[str, Any]] = {}
    known_query: ClassVar[str] = "orders"
    known_url: ClassVar[str] = _URL

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        """Open a client of the default mode whose searches find `known_query` and whose fetches find `known_url`."""
        raise NotImplementedError
        yield

    def _run(self, check: Callable[[VendorClient], Awaitable[None]]) -> None:
        async def run() -> None:
            async with self.client() as client:
                await check(client)
                await client.aclose()

        asyncio.run(run())

    def _offers(self, op: str) -> bool:
        return op in self.vendor.modes[self.vendor.default_mode].operations

    def test_it_describes_itself(self) -> None:
        vendor = self.vendor
        assert vendor.family, "a family is needed"
        assert vendor.title, "a title is needed"
        assert vendor.default_mode in vendor.modes, "the default mode is one of the modes"
        assert all(name == mode.name for name, mode in vendor.modes.items()), "modes are filed under their names"
        for mode in vendor.modes.values():
            assert mode.description, f"mode {mode.name!r} needs a description"
            assert mode.home_boards, f"mode {mode.name!r} needs home boards"
            assert "search-fetch" not in mode.home_boards or "fetch" in mode.operations, "that board needs a fetch"
            prices = (mode.price.search_usd, mode.price.fetch_usd)
            assert all(usd is None or usd >= 0 for usd in prices), "a price is a number of dollars or unknown"
            assert all(usd is None for usd in prices) or mode.price.as_of, "a list price has a date"

    def test_its_options_are_checked(self) -> None:
        check_options(self.vendor, self.options)
        wrong: tuple[Any, ...] = ({"no_such_option": 1}, [], "text")
        for options in wrong:
            try:
                check_options(self.vendor, options)
            except ValueError:
                continue
            raise AssertionError(f"options {options!r} must be refused")

    def test_a_search_finds_distinct_hits_within_the_limit(self) -> None:
        async def check(client: VendorClient) -> None:
            for most in (1, 8):
                outcome = await client.search(SearchRequest(self.known_query, max_results=most))
                assert outcome.value, f"no hits: {outcome.error}"
                assert len(outcome.value) <= most, "no more hits than asked for"
                assert_good_hits(outcome.value)
                _assert_timed(outcome)

        if self._offers("search"):
            self._run(check)

    def test_a_fetch_reads_a_page(self) -> None:
        async def check(client: VendorClient) -> None:
            outcome = await client.fetch(FetchRequest(self.known_url))
            assert outcome.value, f"no page: {outcome.error}"
            assert outcome.value.content.strip(), "a page without text is an error"
            assert outcome.value.url == self.known_url, "the URL is the requested one; another one is the final URL"
            _assert_timed(outcome)

        if self._offers("fetch"):
            self._run(check)

    def test_an_operation_that_is_not_offered_is_an_error_reply(self) -> None:
        async def check(client: VendorClient) -> None:
            if not self._offers("search"):
                assert_failed(await client.search(SearchRequest("x")), ErrorKind.BAD_REQUEST)
            if not self._offers("fetch"):
                assert_failed(await client.fetch(FetchRequest(_URL)), ErrorKind.BAD_REQUEST)

        self._run(check)

    def test_odd_queries_never_raise(self) -> None:
        async def check(client: VendorClient) -> None:
            for query in _ODD_QUERIES:
                outcome = await client.search(SearchRequest(query))
                assert (outcome.error is None) != (outcome.value is None), f"{query[:20]!r}: value or error, never both"
            for query in ("", "  \n"):
                assert_failed(await client.search(SearchRequest(query)), ErrorKind.BAD_REQUEST)

        self._run(check)

    def test_a_deadline_that_has_passed_ends_the_call_at_once(self) -> None:
        async def check(client: VendorClient) -> None:
            outcome = await client.search(SearchRequest(self.known_query), deadline=time.monotonic() - 1)
            assert_failed(outcome, ErrorKind.DEADLINE)
            assert outcome.tries == 0, "nothing may be sent after the deadline"

        if self._offers("search"):
            self._run(check)

    def test_a_cancelled_call_leaves_the_client_usable(self) -> None:
        async def check(client: VendorClient) -> None:
            task = asyncio.create_task(client.search(SearchRequest(self.known_query)))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            outcome = await client.search(SearchRequest(self.known_query))
            assert outcome.error is None, f"the next call failed: {outcome.error}"

        if self._offers("search"):
            self._run(check)


def assert_good_hits(hits: tuple[Hit, ...]) -> None:
    """Check that hits are usable, distinct and clean."""
    keys = [key_of(hit.url) for hit in hits]
    assert all(keys), "each hit has an http(s) URL"
    assert len(set(keys)) == len(keys), "hits are distinct by their normalised URLs"
    for hit in hits:
        assert "None" not in (hit.title, hit.snippet), "a missing text is an empty string"
        assert not any(c < " " and c not in "\t\n\r" for c in hit.title + hit.snippet), (
            "texts hold no control characters"
        )


def assert_failed(outcome: Outcome[Any], kind: ErrorKind) -> None:
    """Check that a call failed in one way and says so in short."""
    assert outcome.value is None, f"expected {kind}, got {outcome.value!r}"
    assert outcome.error is not None, f"expected {kind}, got neither value nor error"
    assert outcome.error.kind is kind, f"expected {kind}, got {outcome.error.kind}: {outcome.error}"
    assert len(outcome.error.message) < 1000, "messages are short"


def _assert_timed(outcome: Outcome[Any]) -> None:
    assert outcome.tries == 1, "a call that succeeds at once counts one try"
    assert outcome.service_s is not None, "the time at the vendor is measured"
    assert outcome.service_s >= 0
