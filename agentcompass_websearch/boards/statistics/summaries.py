"""Plain summaries: mean and spread over repeats, medians, the bracket of a score, what arms solve together."""

from __future__ import annotations

import math
import statistics as stdlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mean_sd(rates: Sequence[float]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation (n - 1) of the repeats' pass rates.

    The deviation of one repeat is unknown (None), not zero. This is the figure that the benchmark's page prints as
    "mean ± SD"; it shows how much repeats differ on the same tickets, not how sure the mean is.
    """
    if not rates:
        return None, None
    return math.fsum(rates) / len(rates), stdlib.stdev(rates) if len(rates) > 1 else None


def median(values: Iterable[float | None]) -> float | None:
    """Return the median of the known values, None if none is known."""
    known = [v for v in values if v is not None]
    return float(stdlib.median(known)) if known else None


def bracket(passed: int, scored: int, planned: int) -> tuple[float, float] | None:
    """Return the score with unscored attempts counted as failures, and with them left out.

    The two ends meet when every planned attempt was scored. With nothing scored the upper end is unknown, which a
    rate states as 1.
    """
    if not planned:
        return None
    return passed / planned, passed / scored if scored else 1.0


def oracle_union(solved: NDArray[np.bool_]) -> float | None:
    """Return the share of tickets that at least one arm solves; `solved` is arms by tickets."""
    return float(solved.any(axis=0).mean()) if solved.size else None


def unique_solves(solved: NDArray[np.bool_]) -> list[int]:
    """Return per arm the number of tickets that it solves and no other arm does; `solved` is arms by tickets."""
    alone = solved & (solved.sum(axis=0) == 1)
    return [int(n) for n in alone.sum(axis=1)]
