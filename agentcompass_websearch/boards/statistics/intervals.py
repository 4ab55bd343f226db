"""The interval of a pass rate over tickets with repeats.

Repeats of a ticket resemble each other, so n tickets times k repeats hold less information than n * k independent
attempts. The interval is Wilson's score interval (J. Am. Stat. Assoc. 22, 1927) at the effective sample size, as survey
statistics does it (Dean and Pagano, J. Surv. Stat. Methodol. 3, 2015; Kish, Survey Sampling, 1965, for the design
effect). Two changes keep it calibrated where clusters are few or rates are near 0 or 1:

* the correlation within a ticket cannot be told from a board on which nearly every ticket is all-pass (or all-fail), so
  the estimate is shrunk to one half, with the weight of two tickets against the tickets that depart from the majority;
* the quantile is Student's with n squared degrees of freedom, which is very wide for one ticket and normal from ten on.

``perf/board_calibration.py`` measures the coverage.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from agentcompass_websearch.boards.statistics.summaries import Floats

PRIOR_CORRELATION = 0.5
PRIOR_TICKETS = 2.0


def rate_interval(passes: ArrayLike, attempts: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return lower and upper end of the interval for the pass rate over the population of tickets.

    Args:
        passes: passed attempts per ticket, shape (..., tickets).
        attempts: scored attempts per ticket, of the same shape or broadcast to it; tickets with none do not count.
        level: coverage asked for.

    Returns:
        Two arrays of shape (...). Without a scored attempt: 0 and 1.
    """
    y = np.asarray(passes, dtype=float)
    m = np.broadcast_to(np.asarray(attempts, dtype=float), y.shape)
    size = effective_size(y, m)
    total = m.sum(axis=-1)
    rate = np.divide(y.sum(axis=-1), total, out=np.full_like(total, 0.5), where=total > 0)
    tickets = (m > 0).sum(axis=-1)
    z = stdtrit(np.maximum(tickets, 1) ** 2, 0.5 + level / 2)
    known = size > 0
    z2 = np.divide(z * z, size, out=np.zeros_like(size), where=known)
    centre = (rate + z2 / 2) / (1 + z2)
    half = np.sqrt(z2 * rate * (1 - rate) + z2 * z2 / 4) / (1 + z2)
    lo = np.where(known, np.clip(centre - half, 0.0, rate), 0.0)
    hi = np.where(known, np.clip(centre + half, rate, 1.0), 1.0)
    return lo, hi


def effective_size(y: Floats, m: Floats) -> Floats:
    """Return how many independent attempts would tell as much as `y` passes of `m` attempts a ticket."""
    total = m.sum(axis=-1)
    safe_total = np.maximum(total, 1.0)
    rate = (y.sum(axis=-1) / safe_total)[..., None]
    tickets = (m > 0).sum(axis=-1).astype(float)
    squares = ((y - rate * m) ** 2).sum(axis=-1)
    spread = (rate * (1 - rate))[..., 0]
    # Design effect: the clustered variance of the rate over its variance were all attempts independent.
    clustered = squares * np.divide(tickets, tickets - 1, out=np.zeros_like(tickets), where=tickets > 1)
    independent = spread * total
    usable = (independent > 0) & (tickets > 1)
    effect = np.divide(clustered, independent, out=np.ones_like(total), where=usable)
    repeats = (m * m).sum(axis=-1) / safe_total
    correlation = np.clip((effect - 1) / np.maximum(repeats - 1, 1e-9), 0.0, 1.0)
    departing = np.where(rate >= 0.5, y < m, y > 0).sum(axis=-1) * usable
    shrunk = (departing * correlation + PRIOR_TICKETS * PRIOR_CORRELATION) / (departing + PRIOR_TICKETS)
    size: Floats = total / (1 + np.maximum(repeats - 1, 0.0) * shrunk)
    return size
