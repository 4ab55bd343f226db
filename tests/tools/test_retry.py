from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from agentcompass_websearch.tools.contract import ErrorKind, Outcome, VendorError
from agentcompass_websearch.tools.errors import POLICY
from agentcompass_websearch.tools.retry import Patience, persist


@dataclass
class Clock:
    """Time that passes only in sleeps and at the vendor."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def patience(self, **knobs: Any) -> Patience:
        return Patience(**{"sleep": self.sleep, "clock": lambda: self.now, "random": lambda: 1.0, **knobs})

    def vendor(self, *outcomes: Outcome[str]) -> Callable[[], Awaitable[Outcome[str]]]:
        """Return an attempt that gives these outcomes one after the other, the last one for ever."""
        left = list(outcomes)

        async def attempt() -> Outcome[str]:
            outcome = left.pop(0) if len(left) > 1 else left[0]
            self.now += (outcome.service_s or 0.0) + outcome.queue_s
            return outcome

        return attempt


def failed(kind: ErrorKind = ErrorKind.SERVER, asked_s: float | None = None, **fields: Any) -> Outcome[str]:
    error = VendorError(kind, "acme", kind.value, retry_after_s=asked_s)
    return Outcome(error=error, **{"service_s": 0.0, "tries": 1, **fields})


GOOD: Outcome[str] = Outcome("value", service_s=0.25, tries=1)


async def test_success_at_once() -> None:
    clock = Clock()
    assert await persist(clock.vendor(GOOD), clock.patience()) == GOOD
    assert clock.slept == []


@pytest.mark.parametrize("kind", list(ErrorKind))
async def test_the_table_of_kinds_decides(kind: ErrorKind) -> None:
    clock = Clock()
    outcome = await persist(clock.vendor(failed(kind), GOOD), clock.patience())
    assert (outcome.value == "value") is POLICY[kind].retry


@pytest.mark.parametrize("kind", [ErrorKind.RATE_LIMIT, ErrorKind.SERVER, ErrorKind.TIMEOUT])
async def test_by_default_a_failing_vendor_is_asked_for_at_least_a_minute(kind: ErrorKind) -> None:
    clock = Clock()
    outcome = await persist(clock.vendor(failed(kind)), clock.patience(random=lambda: 0.0))
    assert outcome.error is not None
    assert 60 <= sum(clock.slept) < 180
    assert outcome.tries == len(clock.slept) + 1
    assert outcome.backoff_s == sum(clock.slept)


async def test_waits_double_up_to_a_limit_with_jitter() -> None:
    clock = Clock()
    await persist(clock.vendor(failed()), clock.patience(max_tries=7))
    assert clock.slept == [1, 2, 4, 8, 16, 20]
    clock = Clock()
    await persist(clock.vendor(failed()), clock.patience(max_tries=3, random=lambda: 0.0))
    assert clock.slept == [0.5, 1]


@pytest.mark.parametrize(
    ("asked_s", "waited_s"), [(0.0, 1.0), (0.5, 1.0), (7.0, 7.7), (3600.0, 61.0), (float("inf"), 61.0)]
)
async def test_what_the_vendor_asks_for_is_honoured_up_to_a_cap(asked_s: float, waited_s: float) -> None:
    clock = Clock()
    await persist(clock.vendor(failed(ErrorKind.RATE_LIMIT, asked_s), GOOD), clock.patience())
    assert clock.slept == [pytest.approx(waited_s)]


async def test_times_are_kept_apart() -> None:
    clock = Clock()
    bad = failed(service_s=5.0, queue_s=2.0)
    outcome = await persist(
        clock.vendor(bad, bad, Outcome("value", service_s=0.25, queue_s=1.0, tries=1)), clock.patience()
    )
    assert (outcome.service_s, outcome.queue_s, outcome.backoff_s, outcome.tries) == (0.25, 5.0, 3.0, 3)


async def test_time_at_the_vendor_counts_but_our_own_queue_does_not() -> None:
    clock = Clock()
    outcome = await persist(clock.vendor(failed(ErrorKind.TIMEOUT, service_s=45.0)), clock.patience())
    assert outcome.tries == 2
    clock = Clock()
    outcome = await persist(clock.vendor(failed(queue_s=45.0)), clock.patience())
    assert outcome.tries > 5


async def test_no_try_begins_after_the_deadline() -> None:
    clock = Clock()
    outcome = await persist(clock.vendor(failed()), clock.patience(), deadline=6.5)
    assert clock.slept == [1, 2]
    assert clock.now < 6.5
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.SERVER


async def test_a_call_that_ran_out_of_time_ends_with_the_vendors_failure() -> None:
    clock = Clock()
    late = failed(ErrorKind.DEADLINE, tries=0)
    outcome = await persist(clock.vendor(failed(ErrorKind.RATE_LIMIT), late), clock.patience())
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.RATE_LIMIT
    assert outcome.tries == 1
    outcome = await persist(clock.vendor(late), clock.patience())
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.DEADLINE
    assert outcome.tries == 0


async def test_in_doubt_about_the_address_three_tries_are_enough() -> None:
    clock = Clock()
    outcome = await persist(clock.vendor(failed(ErrorKind.CONNECT)), clock.patience(), doubtful=lambda error: True)
    assert outcome.tries == 3
    assert sum(clock.slept) <= 3


async def test_cancelling_ends_the_wait() -> None:
    sleeping = asyncio.Event()

    async def sleep(seconds: float) -> None:
        sleeping.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(persist(Clock().vendor(failed()), Patience(sleep=sleep)))
    await sleeping.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
