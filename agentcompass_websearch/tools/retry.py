"""Patience with a vendor: the same call is tried again where the kind of its failure allows, within one time budget."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from tenacity import AsyncRetrying, RetryCallState, retry_if_result

from agentcompass_websearch.tools.contract import ErrorKind, Outcome, VendorError
from agentcompass_websearch.tools.errors import POLICY


@dataclass(frozen=True, slots=True)
class Patience:
    """The knobs of retrying; tests inject a `sleep` and a `random` of their own.

    Waits are ``first_s, 2 * first_s, ...`` up to `longest_s`, each between half and the whole of it. A wait that the
    vendor asks for is honoured up to `asked_cap_s`; it is never cut short by ours. Retrying ends once waits and vendor
    times together reach `total_s` seconds, after `max_tries`, or when the next try would begin after the deadline.
    `doubtful_tries` is the limit while no call has ever succeeded and the address itself is in doubt.
    """

    total_s: float = 90.0
    first_s: float = 1.0
    longest_s: float = 20.0
    asked_cap_s: float = 60.0
    max_tries: int = 100
    doubtful_tries: int = 3
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    def wait_s(self, tries: int, asked_s: float | None) -> float:
        """Return the seconds to wait after try number `tries` (from 1), given what the vendor asked for."""
        step = min(self.longest_s, self.first_s * 2.0 ** min(tries - 1, 30))
        own = step * (0.5 + 0.5 * self.random())
        asked = min(asked_s, self.asked_cap_s) if asked_s is not None else 0.0
        if asked <= own:
            return own
        # Spread the callers that were all told the same moment.
        return asked + min(1.0, 0.1 * asked) * self.random()


async def persist[T](
    attempt: Callable[[], Awaitable[Outcome[T]]],
    patience: Patience,
    *,
    deadline: float | None = None,
    doubtful: Callable[[VendorError], bool] = lambda error: False,
) -> Outcome[T]:
    """Run `attempt` until it succeeds or retrying ends, and return the last outcome with the times of all tries.

    A call that ran out of time while its vendor was failing ends with the vendor's failure.

    Args:
        attempt: one try; its outcome holds its own queue and service times, and `tries` 1 if anything was sent.
        patience: the knobs.
        deadline: a value of ``patience.clock()`` after which no try begins.
        doubtful: whether an error leaves the address itself in doubt (see `Patience.doubtful_tries`).
    """
    outcomes: list[Outcome[T]] = []
    slept_s: list[float] = []

    async def one_try() -> Outcome[T]:
        outcomes.append(await attempt())
        return outcomes[-1]

    async def sleep(seconds: float) -> None:
        slept_s.append(seconds)
        await patience.sleep(seconds)

    def may_retry(outcome: Outcome[T]) -> bool:
        return outcome.error is not None and POLICY[outcome.error.kind].retry

    def wait(state: RetryCallState) -> float:
        error = outcomes[-1].error
        return patience.wait_s(state.attempt_number, error.retry_after_s if error else None)

    def stop(state: RetryCallState) -> bool:
        error = outcomes[-1].error
        tries = patience.doubtful_tries if error and doubtful(error) else patience.max_tries
        spent_s = sum(slept_s) + sum(outcome.service_s or 0.0 for outcome in outcomes)
        if state.attempt_number >= tries or spent_s >= patience.total_s:
            return True
        return deadline is not None and patience.clock() + state.upcoming_sleep >= deadline

    await AsyncRetrying(
        sleep=sleep,
        stop=stop,
        wait=wait,
        retry=retry_if_result(may_retry),
        retry_error_callback=lambda state: outcomes[-1],
    )(one_try)

    last = outcomes[-1]
    if len(outcomes) > 1 and last.error is not None and last.error.kind is ErrorKind.DEADLINE:
        last = outcomes[-2]
    return replace(
        last,
        queue_s=sum(outcome.queue_s for outcome in outcomes),
        backoff_s=sum(slept_s),
        tries=sum(outcome.tries for outcome in outcomes),
    )
