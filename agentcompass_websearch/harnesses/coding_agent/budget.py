"""The cost cap of a run: no call starts that could pass it, calls under way included."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.errors import WebSearchError

# Sums of prices are not exact: three calls of 0.1 fit under a cap of 0.3.
_ROUNDING_USD: Final = 1e-9
_LONGEST_WAIT_S: Final = 3600.0


class CostCapReached(WebSearchError):
    """The next call could pass ``max_cost_usd``; it was not made."""


@dataclass(slots=True)
class Hold:
    """Money set aside for one call: what it may cost, until `actual_usd` says what it did cost."""

    estimate_usd: float
    actual_usd: float | None = None


class CostCap:
    """Counts what a run has spent and set aside, in US dollars. Without a limit it only counts."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = 0.0
        self.held_usd = 0.0
        self._settled = asyncio.Event()
        self._waiting: list[int] = []

    async def room(self, estimate_usd: float | None, deadline: float, *, turn: int) -> float:
        """Wait as long as nothing but calls under way keeps one of `estimate_usd` from being made.

        What they do cost is mostly less than what is held for them. Of those that wait, attempts that are at a later
        `turn` come first, so that money that is short finishes some attempts, and does not begin all.

        Returns the seconds waited, at most until `deadline` (``time.monotonic()``). Whether there is room then, `hold`
        says, which must be asked without giving way to others.
        """
        estimate = estimate_usd or 0.0
        if not self._must_wait(estimate, turn):
            return 0.0
        began = time.monotonic()
        self._waiting.append(turn)
        try:
            while self._must_wait(estimate, turn):
                async with asyncio.timeout(min(deadline - time.monotonic(), _LONGEST_WAIT_S)):
                    await self._settled.wait()
        except TimeoutError:
            return time.monotonic() - began
        finally:
            self._waiting.remove(turn)
            self._wake()
        return time.monotonic() - began

    def _must_wait(self, estimate: float, turn: int) -> bool:
        if not self._fits(estimate):
            return False
        is_full = self.held_usd > _ROUNDING_USD and not self._fits(self.held_usd + estimate)
        return is_full or any(other > turn for other in self._waiting)

    def _wake(self) -> None:
        self._settled.set()
        self._settled = asyncio.Event()

    def _fits(self, usd: float) -> bool:
        return self.limit_usd is None or self.spent_usd + usd <= self.limit_usd + _ROUNDING_USD

    @contextmanager
    def hold(self, estimate_usd: float | None) -> Iterator[Hold]:
        """Set `estimate_usd` aside while a call runs. It costs what the caller puts into the hold, else the estimate.

        A call that ends in an exception is counted with its estimate too, unless the caller put 0 into the hold: who
        cannot know whether it was billed must not count it as free.

        Raises:
            CostCapReached: the estimate and what is spent and held already pass the limit.
        """
        estimate = estimate_usd or 0.0
        if not self._fits(self.held_usd + estimate):
            raise CostCapReached(
                f"max_cost_usd {self.limit_usd:g} reached: {self.spent_usd:.4f} spent, {self.held_usd:.4f} held for "
                f"calls under way, the next call may cost {estimate:.4f}"
            )
        hold = Hold(estimate)
        self.held_usd += estimate
        try:
            yield hold
        finally:
            self.held_usd -= estimate
            self.spent_usd += estimate if hold.actual_usd is None else hold.actual_usd
            self._wake()
