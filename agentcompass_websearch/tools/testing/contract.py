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
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
    Outcome,
    Price,
    SearchRequest,
    Vendor,
    VendorClient,
)
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.results import key_of

_URL: Final = "https://docs.acme.example/orders/api/v2/list"
TARGET: Final = ErrorKind.TARGET
_MEANS: Final[Mapping[ErrorKind, str]] = {
    ErrorKind.AUTH: "A key that is refused ends the run; it is no empty answer and no other failure.",
    ErrorKind.QUOTA: "Credits or plan are used up: no later try can help. A Rule says how this vendor puts it.",
    ErrorKind.RATE_LIMIT: "Too many calls: the same call is tried again later; it is no empty answer.",
    ErrorKind.SERVER: "The vendor is broken: the same call is tried again later; it is no empty answer.",
    ErrorKind.TIMEOUT: "No answer in time: the same call is tried again.",
    ErrorKind.CONNECT: "No connection: the same call is tried again.",
    ErrorKind.UNREADABLE: "An answer in another form than the API's is no empty one: results.section tells them apart.",
    ErrorKind.MISCONFIGURED: "No call has succeeded so far and no API answers like this: say what to set.",
    ErrorKind.BAD_REQUEST: "The vendor cannot be asked this: nothing is sent, and the model is told.",
    ErrorKind.TARGET: "The page could not be read, whatever the HTTP status of the answer: raise results.unread(...).",
    ErrorKind.NOT_PUBLIC: "Ask safety.why_not_public before anything is sent.",
    ErrorKind.DEADLINE: "Pass on what is left of the deadline as a time limit, and end the call by then.",
}
_ODD_QUERIES: Final = ("(" * 3000, "a" * 20_000, 'site:x "open -', "\ud835 lone", "naïve 東京 😀", "\x00\x07 x", "*")


class VendorContract:
    """What holds for every vendor, over HTTP or not.

    `options` are those without which it cannot be opened. Searches find something for `known_query` and nothing for
    `unknown_query`, fetches find a page at `known_url` and none at `unknown_url` (None: not asked).
    """

    vendor: ClassVar[Vendor]
    options: ClassVar[Mapping[str, Any]] = {}
    known_query: ClassVar[str] = "orders"
    known_url: ClassVar[str] = _URL
    unknown_query: ClassVar[str | None] = None
    unknown_url: ClassVar[str | None] = None

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
        assert vendor.family, "give the vendor a family: the name of its entry point"
        assert vendor.title, "give the vendor a title"
        assert vendor.default_mode in vendor.modes, "default_mode must be the name of one of the modes"
        assert all(name == mode.name for name, mode in vendor.modes.items()), "file each mode under its own name"
        for mode in vendor.modes.values():
            assert mode.description, f"give mode {mode.name!r} a description"
            assert mode.home_boards, f"give mode {mode.name!r} home boards"
            assert "search-fetch" not in mode.home_boards or "fetch" in mode.operations, (
                f"mode {mode.name!r} has no fetch: its home board is search-only"
            )
            assert isinstance(mode.price, Price), f"mode {mode.name!r}: an unknown price is Price(), the default"
            prices = (mode.price.search_usd, mode.price.fetch_usd)
            assert all(usd is None or usd >= 0 for usd in prices), "a price is dollars a call; unknown is None, not 0"
            assert all(usd is None for usd in prices) or mode.price.as_of, "a list price needs its date: as_of"

    def test_its_options_are_checked(self) -> None:
        check_options(self.vendor, self.options)
        wrong: tuple[Any, ...] = ({"no_such_option": 1}, [], "text")
        for options in wrong:
            try:
                check_options(self.vendor, options)
            except ValueError:
                continue
            raise AssertionError(f"options {options!r} must be refused with a UsageError")

    def test_a_search_finds_distinct_hits_within_the_limit(self) -> None:
        async def check(client: VendorClient) -> None:
            for most in (1, 8):
                outcome = await answered(client.search(SearchRequest(self.known_query, max_results=most)), "a search")
                assert outcome.value, f"a search for what the vendor knows found nothing: {said(outcome)}"
                assert_good_hits(outcome.value, most)
                _assert_timed(outcome)

        if self._offers("search"):
            self._run(check)

    def test_a_search_for_the_unknown_is_an_empty_answer(self) -> None:
        async def check(client: VendorClient) -> None:
            assert_empty(await answered(client.search(SearchRequest(self.unknown_query or "")), "a search"))

        if self._offers("search") and self.unknown_query is not None:
            self._run(check)

    def test_a_fetch_reads_a_page(self) -> None:
        async def check(client: VendorClient) -> None:
            outcome = await answered(client.fetch(FetchRequest(self.known_url)), "a fetch")
            assert outcome.value, f"a fetch of a page that is there failed: {said(outcome)}"
            assert outcome.value.content.strip(), "a page without text is no page: raise results.unread (TARGET)"
            assert outcome.value.url == self.known_url, (
                "Page.url is the URL that was asked for; where redirects end is Page.final_url"
            )
            _assert_timed(outcome)

        if self._offers("fetch"):
            self._run(check)

    def test_a_fetch_of_the_unknown_is_an_ordinary_reply(self) -> None:
        async def check(client: VendorClient) -> None:
            assert_failed(await answered(client.fetch(FetchRequest(self.unknown_url or "")), "a fetch"), TARGET)

        if self._offers("fetch") and self.unknown_url is not None:
            self._run(check)

    def test_an_operation_that_is_not_offered_is_an_error_reply(self) -> None:
        async def check(client: VendorClient) -> None:
            if not self._offers("search"):
                outcome: Outcome[Any] = await answered(client.search(SearchRequest("x")), "a search")
                assert_failed(outcome, ErrorKind.BAD_REQUEST)
            if not self._offers("fetch"):
                assert_failed(await answered(client.fetch(FetchRequest(_URL)), "a fetch"), ErrorKind.BAD_REQUEST)

        self._run(check)

    def test_odd_queries_never_raise(self) -> None:
        async def check(client: VendorClient) -> None:
            for query in _ODD_QUERIES:
                outcome = await answered(client.search(SearchRequest(query)), f"a search for {query[:20]!r}")
                assert outcome.error is None or outcome.error.kind is ErrorKind.BAD_REQUEST, (
                    f"a search for {query[:20]!r} must be answered, or refused as BAD_REQUEST: {said(outcome)}"
                )
            for query in ("", "  \n"):
                outcome = await answered(client.search(SearchRequest(query)), f"a search for {query!r}")
                assert_failed(outcome, ErrorKind.BAD_REQUEST)

        self._run(check)

    def test_a_deadline_that_has_passed_ends_the_call_at_once(self) -> None:
        async def check(client: VendorClient) -> None:
            request = SearchRequest(self.known_query)
            outcome = await answered(client.search(request, deadline=time.monotonic() - 1), "a search")
            assert_failed(outcome, ErrorKind.DEADLINE)
            assert outcome.tries == 0, "nothing may be sent after the deadline: tries is 0"

        if self._offers("search"):
            self._run(check)

    def test_a_cancelled_call_leaves_the_client_usable(self) -> None:
        async def check(client: VendorClient) -> None:
            task = asyncio.create_task(client.search(SearchRequest(self.known_query)))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            outcome = await answered(client.search(SearchRequest(self.known_query)), "a search after a cancelled one")
            assert outcome.error is None, f"the call after a cancelled one failed: {said(outcome)}"

        if self._offers("search"):
            self._run(check)


async def answered[Value](call: Awaitable[Outcome[Value]], what: str) -> Outcome[Value]:
    """Return the outcome of a call, which is a value or an error; a client never raises."""
    try:
        outcome = await call
    except Exception as error:
        raise AssertionError(
            f"{what} raised {type(error).__name__}: {error}. A client never raises: "
            "whatever goes wrong is Outcome(error=VendorError(kind, vendor_id, message))"
        ) from error
    assert isinstance(outcome, Outcome), f"{what} returned {type(outcome).__name__}; a client returns an Outcome"
    assert (outcome.error is None) != (outcome.value is None), f"{what}: give a value or an error, never both"
    return outcome


def said(outcome: Outcome[Any]) -> str:
    """Return what an outcome is, for the message of a failed check."""
    if outcome.error is not None:
        return f"{outcome.error.kind}: {outcome.error.message}"
    return f"{outcome.value!r:.200}"


def assert_good_hits(hits: tuple[Hit, ...], most: int) -> None:
    """Check that hits are usable, distinct, clean, and no more than asked for."""
    assert len(hits) <= most, f"{len(hits)} hits where {most} were asked for: results.distinct(hits, max_results)"
    keys = [key_of(hit.url) for hit in hits]
    assert all(keys), "a hit without an http(s) URL is none: drop it, as results.hits does"
    assert len(set(keys)) == len(keys), (
        "two hits are one page (http, www, a slash or a fragment apart): results.distinct(hits, max_results)"
    )
    for hit in hits:
        assert_clean(hit.title + hit.snippet, "a hit")
        assert "None" not in (hit.title, hit.snippet), "a text that is missing is empty, not 'None': results.words"


def assert_clean(text: str, where: str) -> None:
    """Check that a text can be stored and sent."""
    assert clean(text) == text, (
        f"the text of {where} holds control characters or lone surrogates: agentcompass_websearch.text.clean"
    )


def assert_empty(outcome: Outcome[Any]) -> None:
    """Check that a search came to an answer without hits."""
    assert outcome.value == (), (
        f"nothing found is an answer without hits, no error: Answer(()), or Rule('empty', ...); got {said(outcome)}"
    )


def assert_failed(outcome: Outcome[Any], kind: ErrorKind) -> None:
    """Check that a call failed in one way and says so in short."""
    got = said(outcome)
    assert outcome.error is not None, f"expected an error of kind {kind}, got {got}. {_MEANS[kind]}"
    assert outcome.error.kind is kind, f"expected an error of kind {kind}, got {got}. {_MEANS[kind]}"
    assert len(outcome.error.message) < 1000, "the message of an error is short: cut what the vendor said"


def _assert_timed(outcome: Outcome[Any]) -> None:
    assert outcome.tries == 1, f"a call that succeeds at once counts one try, not {outcome.tries}"
    assert outcome.service_s is not None, "measure the time at the vendor: Outcome(service_s=...)"
    assert outcome.service_s >= 0, "service_s is seconds, 0 or more"
