"""Calibration of the board's statistics on simulated boards whose truth is known.

Run ``python perf/board_calibration.py [--boards 2000]``: it prints one table per claim and leaves with 1 if one fails.

Attempts of a ticket share the ticket's own pass probability, drawn from a beta distribution with a + b = 1: the
attempts' correlation within a ticket is then exactly 1 / (1 + a + b), one half. Arms have one true rate and, on a share
of the tickets, the very same ticket probabilities.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agentcompass_websearch.boards.statistics import (
    difference_interval,
    holm,
    rate_interval,
    sign_flip_p,
    smallest_gap,
)

Passes = NDArray[np.int64]
Interval = Callable[[Passes, int], tuple[NDArray[np.float64], NDArray[np.float64]]]

RATES = (0.5, 0.75, 0.92)
TICKETS = (30, 100)
REPEATS = 3


def boards(
    rng: np.random.Generator, count: int, tickets: int, rate: float, *, arms: int = 1, shared: float = 0.0
) -> Passes:
    """Return passes of `REPEATS` attempts, shape (count, arms, tickets): arms of one true rate on common tickets."""
    own = rng.beta(rate, 1 - rate, size=(count, arms, tickets))
    return rng.binomial(REPEATS, np.where(rng.random((count, 1, tickets)) < shared, own[:, :1], own))


def clustered(passes: Passes, repeats: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The board's own interval."""
    return rate_interval(passes, repeats)


def pooled(passes: Passes, repeats: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What not to do: the same interval with each repeat taken for a ticket of its own."""
    attempts = np.arange(passes.shape[-1] * repeats)
    ones = (attempts < passes.sum(axis=-1)[..., None]).astype(float)
    return rate_interval(ones, 1)


def percentile_bootstrap(passes: Passes, repeats: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What not to do: percentiles of means of redrawn tickets."""
    rng = np.random.default_rng(0)
    tickets = passes.shape[-1]
    weights = rng.multinomial(tickets, [1 / tickets] * tickets, size=1_000)
    means = passes @ weights.T / (tickets * repeats)
    low, high = np.percentile(means, [2.5, 97.5], axis=-1)
    return low, high


def coverage(interval: Interval, count: int, tickets: int, rate: float, *, seed: int = 1) -> float:
    """Return how often the interval of a simulated arm holds its true rate."""
    passes = boards(np.random.default_rng(seed), count, tickets, rate)[:, 0]
    low, high = interval(passes, REPEATS)
    return float(np.mean((low <= rate) & (rate <= high)))


def false_positives(count: int, tickets: int, rate: float, *, shared: float = 0.0, seed: int = 2) -> float:
    """Return how often two arms of one true rate are called different at 0.05."""
    passes = boards(np.random.default_rng(seed), count, tickets, rate, arms=2, shared=shared) / REPEATS
    return float(np.mean(sign_flip_p(passes[:, 0] - passes[:, 1], flips=1_999) <= 0.05))


def difference_coverage(count: int, tickets: int, rate: float, *, seed: int = 3) -> float:
    """Return how often the interval of the difference of two like arms holds zero."""
    passes = boards(np.random.default_rng(seed), count, tickets, rate, arms=2) / REPEATS
    low, high = difference_interval(passes[:, 0] - passes[:, 1])
    return float(np.mean((low <= 0) & (high >= 0)))


def family_errors(count: int, tickets: int, rate: float, *, arms: int = 6, seed: int = 4) -> float:
    """Return how often Holm's correction lets at least one pair of `arms` like arms pass for different."""
    rates = boards(np.random.default_rng(seed), count, tickets, rate, arms=arms) / REPEATS
    left, right = np.triu_indices(arms, 1)
    p = sign_flip_p((rates[:, left] - rates[:, right]).reshape(-1, tickets), flips=1_999).reshape(count, -1)
    return float(np.mean((holm(p) <= 0.05).any(axis=-1)))


def power_at_smallest_gap(count: int, tickets: int, rate: float, *, seed: int = 5) -> float:
    """Return how often a true difference of the size that `smallest_gap` names is found (it promises 0.8)."""
    rng = np.random.default_rng(seed)
    alike = boards(rng, 1, tickets, rate, arms=24)[0] / REPEATS
    gap = smallest_gap(alike)
    if gap is None or rate - gap <= 0:
        raise ValueError(f"no gap to find at rate {rate} on {tickets} tickets")
    better = boards(rng, count, tickets, rate)[:, 0] / REPEATS
    worse = boards(rng, count, tickets, rate - gap)[:, 0] / REPEATS
    return float(np.mean(sign_flip_p(better - worse, flips=1_999) <= 0.05))


def main() -> int:
    """Print the tables; 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=2_000, help="simulated boards at each point")
    count = parser.parse_args().boards
    points = [(n, p) for n in TICKETS for p in RATES]
    held = True

    def table(
        title: str, measure: Callable[[int, float], float], low: float, high: float, *, must: bool = True
    ) -> None:
        nonlocal held
        print(f"\n{title}" + (f" (asked for: {low:.2f} to {high:.2f})" if must else ""))
        for n, p in points:
            value = measure(n, p)
            good = low <= value <= high
            held &= good or not must
            print(
                f"  {n:4} tickets x {REPEATS}, true rate {p:.2f}: {value:.3f}"
                + ("" if good or not must else "  MISSED")
            )

    table("coverage of the 95 % interval", lambda n, p: coverage(clustered, count, n, p), 0.93, 0.97)
    table("  the same, repeats pooled", lambda n, p: coverage(pooled, count, n, p), 0.93, 0.97, must=False)
    table(
        "  the same, percentile bootstrap", lambda n, p: coverage(percentile_bootstrap, count, n, p), 0, 1, must=False
    )
    table("false positives of the paired test", lambda n, p: false_positives(count, n, p), 0.03, 0.07)
    # Arms that differ on a handful of tickets cannot be told apart by any exact test: there it errs on the safe side.
    table(
        "  the same, ticket probabilities in common", lambda n, p: false_positives(count, n, p, shared=1.0), 0.0, 0.07
    )
    table("coverage of the difference's interval", lambda n, p: difference_coverage(count, n, p), 0.93, 1.0)
    table("family-wise error under Holm, 6 arms", lambda n, p: family_errors(count // 2, n, p), 0.0, 0.06)
    points = [(100, 0.5), (100, 0.75), (100, 0.92), (300, 0.92)]
    table("power at the smallest detectable gap", lambda n, p: power_at_smallest_gap(count, n, p), 0.70, 0.90)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
