"""What a ranking may claim: groups that cannot be told apart, ranges of ranks, and the gap that could be seen."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from statistics import NormalDist

import numpy as np

from agentcompass_websearch.boards.statistics.comparisons import Comparison
from agentcompass_websearch.boards.statistics.summaries import Floats

ALPHA = 0.05


def tied_groups(
    means: Sequence[float | None], pairs: Sequence[Comparison], ranked: Collection[int]
) -> list[int | None]:
    """Return each arm's group, from 1; None for arms that are not in `ranked`.

    A group is an arm and those behind it that differ from *that arm* by no more than chance (adjusted p above 0.05);
    the best arm that does differ leads the next group. Being tied is not transitive, so neighbours across a boundary
    may be tied too: `rank_ranges` shows that.
    """
    worse = _significant(pairs)
    order = sorted((i for i in ranked if means[i] is not None), key=lambda i: (-(means[i] or 0.0), i))
    groups: list[int | None] = [None] * len(means)
    leader, group = -1, 0
    for arm in order:
        if leader < 0 or (leader, arm) in worse:
            leader, group = arm, group + 1
        groups[arm] = group
    return groups


def rank_ranges(
    means: Sequence[float | None], pairs: Sequence[Comparison], ranked: Collection[int]
) -> list[tuple[int, int] | None]:
    """Return each ranked arm's best and worst possible rank: behind all that beat it, ahead of all that it beats."""
    worse = _significant(pairs)
    arms = [i for i in ranked if means[i] is not None]
    return [
        (1 + sum((other, arm) in worse for other in arms), len(arms) - sum((arm, other) in worse for other in arms))
        if arm in arms
        else None
        for arm in range(len(means))
    ]


def _significant(pairs: Sequence[Comparison]) -> set[tuple[int, int]]:
    """Return (better, worse) of every pair that differs by more than chance."""
    return {
        (pair.a, pair.b) if pair.diff > 0 else (pair.b, pair.a)
        for pair in pairs
        if pair.diff and pair.p_holm is not None and pair.p_holm <= ALPHA
    }


def smallest_gap(rates: Floats, *, pairs: int = 1, power: float = 0.8, alpha: float = ALPHA) -> float | None:
    """Return the smallest difference of two rates that this design would find with the given power.

    The usual two-sided formula (Cohen, Statistical Power Analysis, 1988) with the spread of per-ticket differences seen
    on this board, the median pair's, and grown as that of a proportion grows towards one half: the arm at the far end
    of the gap varies more where rates are high.

    Args:
        rates: arms by tickets, NaN where an arm has no scored attempt of a ticket.
        pairs: above 1, the gap is the one that the first step of Holm's correction over so many pairs would find.
        power: how often the gap should be found.
        alpha: two-sided level of the test.

    Returns:
        None where no two arms have two tickets in common.
    """
    left, right = np.triu_indices(len(rates), 1)
    d = rates[left] - rates[right]
    n = (~np.isnan(d)).sum(axis=-1)
    d, n = d[n >= 2], n[n >= 2]
    if not d.size:
        return None
    mean = np.nansum(d, axis=-1) / (n + 2)
    variance = (np.nansum(d * d, axis=-1) + 1.0) / (n + 2) - mean**2
    error = float(np.median(np.sqrt(variance / (n + 2))))
    centre = float(np.nanmean(rates))
    centre = max(centre, 1 - centre)
    normal = NormalDist()
    z = normal.inv_cdf(1 - alpha / (2 * pairs)) + normal.inv_cdf(power)
    gap = 0.0
    for _ in range(20):
        far = min(max(centre - gap, 0.5), 0.99)
        near = min(centre, 0.99)
        gap = min(1.0, z * error * math.sqrt((1 + far * (1 - far) / (near * (1 - near))) / 2))
    return gap
