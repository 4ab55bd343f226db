"""The cost cap of a run: no call starts that could pass it, calls under way included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.errors import WebSearchError

# Sums of prices are not exact: three calls of 0.1 fit under a cap of 0.3.
_ROUNDING_USD: Final = 1e-9


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

    @contextmanager
    def hold(self, estimate_usd: float | None) -> Iterator[Hold]:
        """Set `estimate_usd` aside while a call runs. It costs what the caller puts into the hold, else the estimate.

        A call that ends in an exception is counted with its estimate too, unless the caller put 0 into the hold: who
        cannot know whether it was billed must not count it as free.

        Raises:
            CostCapReached: the estimate and what is spent and held already pass the limit.
        """
        estimate = estimate_usd or 0.0
        if self.limit_usd is not None and self.spent_usd + self.held_usd + estimate > self.limit_usd + _ROUNDING_USD:
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
