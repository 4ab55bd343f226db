"""An arm as arrays: what each attempt came to, by ticket and repeat, NaN where it is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agentcompass_websearch.boards.reader import Arm, Attempt
from agentcompass_websearch.boards.statistics.summaries import Floats

Measure = Callable[[Attempt], float | bool | None]


@dataclass(frozen=True, slots=True)
class Grid:
    """The attempts of one arm over the tickets of its board. Attempts without a score count as absent."""

    arm: Arm
    tickets: Sequence[str]

    def of(self, measure: Measure) -> Floats:
        """Return `measure` of the scored attempts, tickets by repeats."""
        values = np.full((len(self.tickets), self.arm.repeats), np.nan)
        for place, ticket in enumerate(self.tickets):
            for repeat in range(self.arm.repeats):
                _, attempt = self.arm.attempts.get((ticket, repeat + 1), (0, None))
                if attempt and attempt.scored and (value := measure(attempt)) is not None:
                    values[place, repeat] = value
        return values

    def rates(self, measure: Measure) -> Floats:
        """Return the rate of each ticket over its repeats, NaN without a scored attempt."""
        values = self.of(measure)
        known = ~np.isnan(values)
        count = known.sum(axis=1)
        return np.where(count > 0, np.nansum(values, axis=1) / np.maximum(count, 1), np.nan)

    def per_repeat(self, measure: Measure) -> list[float | None]:
        """Return the rate of each repeat over its scored attempts, None without one."""
        values = self.of(measure)
        return [float(np.nanmean(column)) if (~np.isnan(column)).any() else None for column in values.T]

    def counts(self, measure: Measure) -> tuple[Floats, Floats]:
        """Return passed and scored attempts of each ticket."""
        values = self.of(measure)
        return np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1).astype(float)


def correct(attempt: Attempt) -> bool | None:
    """The metric ``correct``."""
    return attempt.correct


def recovered(attempt: Attempt) -> bool | None:
    """The metric ``recovered``."""
    return attempt.recovered
