"""One model server of a run: its calls are made here, tried again where that makes sense, paid for and timed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from agentcompass_websearch.harnesses.coding_agent.breaker import Breaker
from agentcompass_websearch.harnesses.coding_agent.budget import CostCap
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import RULES, Fault, ModelFailure
from agentcompass_websearch.records import Usage
from agentcompass_websearch.tools.retry import Patience

PATIENCE: Final = Patience(total_s=120.0, longest_s=30.0)
"""How long a failing server is tried again; `total_s` is for the waits alone here, since a turn may take minutes."""

CALL_TIMEOUT_S: Final = 600.0

# What is unknown before a call is held against the cost cap on the high side.
_ASSUMED_OUTPUT_TOKENS: Final = 4000

# Servers refuse these before any work is done, so they cost nothing.
_NEVER_BILLED: Final = frozenset(Fault) - {Fault.TIMEOUT, Fault.BROKEN}


@dataclass(frozen=True, slots=True)
class Answered[T]:
    """A request that was answered: what came, in how many seconds, at which try, after how long a wait for room.

    The wait is for room under the cost cap, and no part of `seconds`.
    """

    value: T
    seconds: float
    tries: int
    queue_s: float


@dataclass(slots=True)
class Bill:
    """What one request to the model comes to, once it is answered: its tokens, and its US dollars. None is unknown."""

    usage: Usage | None = None
    usd: float | None = None


@dataclass(slots=True)
class ModelEndpoint:
    """What the sessions of a run share of their model server. `base_url` is where the requests really go."""

    model_id: str
    base_url: str
    prices: ModelPrices
    cap: CostCap = field(default_factory=CostCap)
    breaker: Breaker = field(default_factory=Breaker)
    patience: Patience | None = None
    call_timeout_s: float = CALL_TIMEOUT_S
    _most_surplus: int = 0
    _most_written: int = 0

    @property
    def capped(self) -> bool:
        """Whether there is a cost cap, so that costs have to be known before a call."""
        return self.cap.limit_usd is not None

    @contextmanager
    def paid(self, most_read: int, max_output_tokens: int | None) -> Iterator[Bill]:
        """Pay for one request that is sent within: its cost is held against the cap first, and counted afterwards.

        The caller puts the usage of an answer into the bill. A request without an answer counts with its estimate,
        unless servers refuse such ones before any work is done.

        Args:
            most_read: the tokens that the request has at the most, as far as is known.
            max_output_tokens: what the answer may have at the most, if known.

        Raises:
            CostCapReached: the request could pass the cost cap.
        """
        with self.cap.hold(self._estimate_usd(most_read, max_output_tokens)) as hold:
            bill = Bill()
            try:
                yield bill
            except ModelFailure as failure:
                if failure.fault in _NEVER_BILLED:
                    hold.actual_usd = 0.0
                raise
            hold.actual_usd = bill.usd = self.prices.cost_usd(bill.usage)
            self._learn(most_read, bill.usage)

    async def call[T](
        self,
        send: Callable[[float], Awaitable[T]],
        *,
        expected: Callable[[], tuple[int, int | None]],
        turn: int,
        deadline: float,
    ) -> Answered[T]:
        """Ask the model, again where its failure allows that.

        Args:
            send: makes one try within the seconds it is given, each request of it under `paid`.
            expected: tells what `paid` will be told of the first request.
            turn: how far the attempt is.
            deadline: a value of ``time.monotonic()`` by which the call ends.

        Raises:
            ModelFailure: all tries failed, or the server is known to refuse the calls of this run.
            CostCapReached: a request could pass the cost cap.
        """
        patience = self.patience or PATIENCE
        tries = 0
        met: Counter[Fault] = Counter()
        slept_s = queue_s = 0.0

        async def one_try() -> Answered[T]:
            nonlocal tries, queue_s
            tries += 1
            if self.capped:
                queue_s += await self.cap.room(self._estimate_usd(*expected()), deadline, turn=turn)
            if self.breaker.is_open:
                raise ModelFailure(Fault.STOPPED, self.breaker.message)
            began = time.monotonic()
            try:
                value = await self._within(send, min(self.call_timeout_s, deadline - began))
            except ModelFailure as failure:
                met[failure.fault] += 1
                self._judge(failure)
                raise
            self.breaker.note_answer()
            return Answered(value, time.monotonic() - began, tries, queue_s)

        async def sleep(seconds: float) -> None:
            nonlocal slept_s
            slept_s += seconds
            await patience.sleep(seconds)

        def wait(state: RetryCallState) -> float:
            failure = _failure(state)
            return patience.wait_s(state.attempt_number, failure.retry_after_s if failure else None)

        def stop(state: RetryCallState) -> bool:
            failure = _failure(state)
            if failure and RULES[failure.fault].tries == "two" and met[failure.fault] >= 2:
                return True
            out_of_time = patience.clock() + state.upcoming_sleep >= deadline
            return state.attempt_number >= patience.max_tries or slept_s >= patience.total_s or out_of_time

        retrying = AsyncRetrying(
            sleep=sleep, wait=wait, stop=stop, retry=retry_if_exception(_may_be_tried_again), reraise=True
        )
        return await retrying(one_try)

    async def _within[T](self, send: Callable[[float], Awaitable[T]], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await send(max(seconds, 0.0))
        except TimeoutError:
            raise ModelFailure(Fault.TIMEOUT, f"no answer within {seconds:.3g} s") from None

    def _judge(self, failure: ModelFailure) -> None:
        """Say where it happened, and close the server to this run if the fault is one of configuration."""
        failure.where = f" at {shown_url(self.base_url)}"
        if RULES[failure.fault].setup and not self.breaker.answered:
            failure.access = True
        if failure.access:
            self.breaker.open(str(failure))

    def _estimate_usd(self, most_read: int, max_output_tokens: int | None) -> float | None:
        if not self.capped:
            return None
        written = max(_ASSUMED_OUTPUT_TOKENS if max_output_tokens is None else max_output_tokens, self._most_written)
        return self.prices.most_usd(most_read + self._most_surplus, written)

    def _learn(self, most_read: int, usage: Usage | None) -> None:
        """Let no estimate be as low again as one that a server has counted higher."""
        if usage is not None:
            self._most_surplus = max(self._most_surplus, usage.input - most_read)
            self._most_written = max(self._most_written, usage.output)


def shown_url(url: str) -> str:
    """Return `url` without user info, query and fragment, fit for a message."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _failure(state: RetryCallState) -> ModelFailure | None:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, ModelFailure) else None


def _may_be_tried_again(error: BaseException) -> bool:
    return isinstance(error, ModelFailure) and not error.access and RULES[error.fault].tries != "one"
