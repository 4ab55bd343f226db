"""Many callers of one vendor at the same time, through the whole client and transport to a vendor that counts."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.tools.contract import Outcome, SearchRequest, VendorClient
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.retry import Patience
from agentcompass_websearch.tools.testing import Reply, Request, in_thread, json_reply
from agentcompass_websearch.tools.testing.server import LoopbackServer
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import exa
from agentcompass_websearch.tools.wire import HttpReply, HttpRequest

CALLERS = 64
SPEED = 40
"""Both sides' clocks run so many times as fast: 2 calls a second become 80."""
RATE_PER_S = 2.0 * SPEED
BEAT_S = 0.002
MOST_BLOCKED_S = 0.05
SCHEDULED = Path("/proc/thread-self/schedstat")
VENDOR = exa.websearch_vendor()


REFUSED = json_reply({"error": "rate limit exceeded"}, 429, {"retry-after": str(1 / SPEED)})


class Vendor:
    """Counts whom it refuses."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()

    def answer(self, request: Request) -> Reply:
        query = request.json()["query"]
        if not self.allows(query):
            self.refused[query] += 1
            return REFUSED
        return json_reply({"results": [{"url": f"https://docs.acme.example/{query}", "title": query}]})

    def allows(self, query: str) -> bool:
        raise NotImplementedError


class TwoASecond(Vendor):
    """Refuses more than two calls a second: a bucket of two, filled again at that rate."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 2.0
        self._at = time.monotonic()

    def allows(self, query: str) -> bool:
        now = time.monotonic()
        self._left = min(2.0, self._left + (now - self._at) * RATE_PER_S)
        self._at = now
        allowed = self._left >= 1
        self._left -= allowed
        return allowed


class Reluctant(Vendor):
    """Refuses the first three tries of everybody."""

    def allows(self, query: str) -> bool:
        return self.refused[query] == 3


@pytest.fixture(autouse=True)
def _no_garbage_of_other_tests() -> Iterator[None]:
    """Keep the collector from going through all that other tests have left, which takes longer than anything here."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Heartbeat:
    """How long the event loop was kept from going on: the longest time by which a beat came late."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def beat(self) -> None:
        while True:
            began = own_time_s()
            await asyncio.sleep(BEAT_S)
            self.longest_s = max(self.longest_s, own_time_s() - began - BEAT_S)


def own_time_s() -> float:
    """Return the time, but for what this thread has spent in waiting for a processor that other programs held."""
    try:
        waited_ns = int(SCHEDULED.read_text().split()[1])
    except (OSError, IndexError):
        waited_ns = 0
    return time.monotonic() - waited_ns / 1e9


async def ask_all(client: VendorClient) -> list[Outcome[tuple[object, ...]]]:
    return await asyncio.gather(*(client.search(SearchRequest(f"q{n}")) for n in range(CALLERS)))


class WatchedTransport(Transport):
    """Notes the queries in the order in which they are sent."""

    def __init__(self) -> None:
        super().__init__(patience=Patience(first_s=1 / SPEED, longest_s=10 / SPEED))
        self.sent: list[str] = []

    async def exchange(self, request: HttpRequest, **given: Any) -> HttpReply:
        self.sent.append(request.json["query"])
        return await super().exchange(request, **given)


async def call(vendor: Vendor, rate_per_s: float) -> tuple[list[Outcome[tuple[object, ...]]], Heartbeat, list[str]]:
    transport = WatchedTransport()
    heartbeat = Heartbeat()
    with in_thread(LoopbackServer(vendor.answer)) as server:
        options = {"base_url": server.url}
        mode = VENDOR.modes["auto"]
        client = open_client(
            VENDOR, mode, api_key="key-0123", options=options, transport=transport, rate_per_s=rate_per_s
        )
        beating = asyncio.create_task(heartbeat.beat())
        outcomes = await ask_all(client)
        beating.cancel()
        await transport.aclose()
    return outcomes, heartbeat, transport.sent


def own(outcomes: list[Outcome[tuple[object, ...]]]) -> Callable[[int], bool]:
    return lambda n: outcomes[n].value is not None and f"/q{n}'" in repr(outcomes[n].value)


async def test_within_the_limit_of_the_vendor_nobody_is_refused_and_the_first_come_first() -> None:
    vendor = TwoASecond()
    began = time.monotonic()
    outcomes, heartbeat, sent = await call(vendor, RATE_PER_S)
    took_s = time.monotonic() - began
    assert [outcome.error for outcome in outcomes] == [None] * CALLERS
    assert all(map(own(outcomes), range(CALLERS)))
    assert sum(vendor.refused.values()) == sum(outcome.tries - 1 for outcome in outcomes)
    assert sum(vendor.refused.values()) < CALLERS / 4, "the limit is ours to keep, not the vendor's"
    assert took_s > (CALLERS - 2) / RATE_PER_S
    assert list(dict.fromkeys(sent)) == [f"q{n}" for n in range(CALLERS)], "first come, first served"
    assert max(outcome.service_s or 0 for outcome in outcomes) < took_s / 2, "waiting is not the vendor's time"
    assert heartbeat.longest_s < MOST_BLOCKED_S


async def test_a_vendor_that_refuses_everybody_at_first_is_asked_again_until_all_have_their_answer() -> None:
    vendor = Reluctant()
    outcomes, heartbeat, _ = await call(vendor, 0)
    assert [outcome.error for outcome in outcomes] == [None] * CALLERS
    assert all(map(own(outcomes), range(CALLERS)))
    assert {outcome.tries for outcome in outcomes} == {4}
    assert min(outcome.backoff_s for outcome in outcomes) >= 3 / SPEED
    assert heartbeat.longest_s < MOST_BLOCKED_S, "not even where all begin at once"


async def test_the_heartbeat_hears_what_blocks_without_working() -> None:
    heartbeat = Heartbeat()
    beating = asyncio.create_task(heartbeat.beat())
    await asyncio.sleep(2 * BEAT_S)
    time.sleep(1.2 * MOST_BLOCKED_S)  # noqa: ASYNC251 - the fault that is looked for
    await asyncio.sleep(2 * BEAT_S)
    beating.cancel()
    assert heartbeat.longest_s > MOST_BLOCKED_S
