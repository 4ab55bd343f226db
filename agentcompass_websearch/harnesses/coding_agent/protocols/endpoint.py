"""One model server of a run: its calls are made here, tried again where that makes sense, paid for and timed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
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

# A token is rarely shorter than this; what is unknown before a call is held against the cost cap on the high side.
_BYTES_A_TOKEN: Final = 3
_ASSUMED_OUTPUT_TOKENS: Final = 4000

# Servers refuse these before any work is done, so they cost nothing.
_NEVER_BILLED: Final = frozenset(Fault) - {Fault.TIMEOUT, Fault.BROKEN}


@dataclass(frozen=True, slots=True)
class Answered[T]:
    """A request that was answered: what came, in how many seconds, at which try, for how many US dollars if known."""

    value: T
    seconds: float
    tries: int
    usd: float | None


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

    async def call[T](
        self,
        send: Callable[[float], Awaitable[tuple[T, Usage | None]]],
        *,
        deadline: float,
        request_bytes: Callable[[], int],
        max_output_tokens: int | None,
    ) -> Answered[T]:
        """Make one request to the model, again where its failure allows that.

        Args:
            send: makes one try within the seconds it is given; returns what came and what it used.
            deadline: a value of ``time.monotonic()`` by which the call ends.
            request_bytes: tells the size of the request, from which its cost is estimated where there is a cap.
            max_output_tokens: what the answer may have at the most, if known.

        Raises:
            ModelFailure: all tries failed, or the server is known to refuse the calls of this run.
            CostCapReached: the call could pass the cost cap.
        """
        with self.cap.hold(self._estimate_usd(request_bytes, max_output_tokens)) as hold:
            try:
                answered = await self._persist(send, deadline)
            except ModelFailure as failure:
                if failure.fault in _NEVER_BILLED:
                    hold.actual_usd = 0.0
                raise
            hold.actual_usd = answered.usd
        return answered

    async def _persist[T](
        self, send: Callable[[float], Awaitable[tuple[T, Usage | None]]], deadline: float
    ) -> Answered[T]:
        patience = self.patience or PATIENCE
        tries = 0
        met: Counter[Fault] = Counter()
        slept_s = 0.0

        async def one_try() -> Answered[T]:
            nonlocal tries
            tries += 1
            if self.breaker.is_open:
                raise ModelFailure(Fault.STOPPED, self.breaker.message)
            began = time.monotonic()
            try:
                value, usage = await self._within(send, min(self.call_timeout_s, deadline - began))
            except ModelFailure as failure:
                met[failure.fault] += 1
                self._judge(failure)
                raise
            self.breaker.note_answer()
            return Answered(value, time.monotonic() - began, tries, self.prices.cost_usd(usage))

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

    async def _within[T](
        self, send: Callable[[float], Awaitable[tuple[T, Usage | None]]], seconds: float
    ) -> tuple[T, Usage | None]:
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

    def _estimate_usd(self, request_bytes: Callable[[], int], max_output_tokens: int | None) -> float | None:
        if self.cap.limit_usd is None:
            return None
        output = _ASSUMED_OUTPUT_TOKENS if max_output_tokens is None else max_output_tokens
        return self.prices.cost_usd(Usage(input=request_bytes() // _BYTES_A_TOKEN, output=output))


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
