"""The Pareto frontier of completion, dollars and seconds, with its uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentcompass_websearch.boards.statistics.summaries import Floats

DRAWS = 1_000
CERTAIN = 0.95
LEAST_TICKETS = 6
"""With fewer, even tickets that all point the same way are no evidence: five do by chance in 2 of 2**5 cases."""


def dominated_share(
    passed: Floats, costs: tuple[tuple[Floats, ...], ...], *, draws: int = DRAWS, seed: int = 0
) -> list[float]:
    """Return per arm the share of draws in which some other arm is at least as good everywhere and better somewhere.

    Tickets are drawn with replacement, the same ones for all arms and all axes (a cluster bootstrap: Efron and
    Tibshirani, An Introduction to the Bootstrap, 1993, ch. 8), so what arms have in common cancels. An arm is called
    dominated from a share of 0.95 on, not because it lost by a hair.

    Args:
        passed: pass rate, arms by tickets.
        costs: what should be small, one tuple an axis; an axis is the sum of the medians of its arrays, each arms by
            tickets by repeats (dollars are the median of model cost plus the median of tool cost). NaN: unknown.
    """
    arms, tickets = passed.shape
    if arms < 2 or not tickets:
        return [0.0] * arms
    rng = np.random.default_rng(seed)
    beaten = np.zeros(arms)
    # All arms' values are looked at in every draw: blocks keep the memory below about 100 MB.
    block = max(1, 2_000_000 // max(1, arms * tickets * max(part.shape[-1] for axis in costs for part in axis)))
    for start in range(0, draws, block):
        chosen = rng.integers(0, tickets, size=(min(block, draws - start), tickets))
        times = np.stack([np.bincount(draw, minlength=tickets) for draw in chosen])
        axes = [-np.nanmean(passed[:, chosen], axis=-1)]
        axes += [np.sum([medians_of_draws(part, times) for part in axis], axis=0) for axis in costs]
        values = np.stack(axes)  # axis, arm, draw: small is good
        other, own = values[:, :, None, :], values[:, None, :, :]
        beats = (other <= own).all(axis=0) & (other < own).any(axis=0)
        beaten += beats.any(axis=0).sum(axis=-1)
    return [float(share) for share in beaten / draws]


def medians_of_draws(values: Floats, times: NDArray[np.integer]) -> Floats:
    """Return the median of each arm's known values in each draw, arms by draws; NaN where a draw has none.

    The values are sorted once and counted as often as their ticket was drawn, instead of sorted anew for every draw.

    Args:
        values: arms by tickets by repeats, NaN: unknown.
        times: how often each ticket was drawn, draws by tickets.
    """
    repeats = values.shape[-1]
    medians = np.full((len(values), len(times)), np.nan)
    for arm, own in enumerate(values.reshape(len(values), -1)):
        order = np.argsort(own)[: int((~np.isnan(own)).sum())]  # NaN sorts last
        if not order.size:
            continue
        ascending = own[order]
        upto = times[:, order // repeats].cumsum(axis=-1)
        total = upto[:, -1]
        lower, upper = ((upto < half[:, None]).sum(axis=-1) for half in ((total + 1) // 2, total // 2 + 1))
        some = total > 0
        medians[arm, some] = (ascending[lower[some]] + ascending[upper[some]]) / 2
    return medians
