"""Arms against each other on the same tickets: paired tests, intervals of differences, correction for many pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentcompass_websearch.boards.statistics.summaries import Floats

FLIPS = 9_999
_BLOCK = 64
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Comparison:
    """Arm `a` against arm `b` (indices): difference of the rates a - b on their common tickets, interval, p values."""

    a: int
    b: int
    tickets: int
    diff: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None


def compare_all(rates: Floats, *, flips: int = FLIPS, seed: int = 0) -> list[Comparison]:
    """Compare every pair of arms; `rates` is arms by tickets, NaN where an arm has no scored attempt of a ticket.

    Holm's correction runs over all pairs given, so give the arms of one table.
    """
    arms = len(rates)
    left, right = np.triu_indices(arms, 1)
    differences = rates[left] - rates[right]
    common = (~np.isnan(differences)).sum(axis=-1)
    p = sign_flip_p(differences, flips=flips, seed=seed)
    lo, hi = difference_interval(differences)
    known = common > 0
    adjusted = np.full(len(p), np.nan)
    adjusted[known] = holm(p[known])
    mean = np.nansum(differences, axis=-1) / np.maximum(common, 1)
    return [
        Comparison(int(a), int(b), int(n), float(d), (float(low), float(high)), float(q), float(q_holm))
        if n
        else Comparison(int(a), int(b), 0, None, None, None, None)
        for a, b, n, d, low, high, q, q_holm in zip(left, right, common, mean, lo, hi, p, adjusted, strict=True)
    ]


def sign_flip_p(differences: ArrayLike, *, flips: int = FLIPS, seed: int = 0) -> Floats:
    """Return the two-sided p value of each row of per-ticket differences (NaN: ticket not in common).

    Under the hypothesis that two arms are alike, each ticket's difference could as well have had the other sign
    (Fisher's randomisation test, The Design of Experiments, 1935; repeats stay together, so their correlation does no
    harm). Counted as mid-p (Lancaster, J. Am. Stat. Assoc. 56, 1961): the differences of k repeats take few values, and
    the plain count would be far too careful on boards with high rates. The same flips serve all rows.
    """
    d = np.nan_to_num(np.atleast_2d(np.asarray(differences, dtype=float)))
    # Whole multiples of 1/27720 add up without rounding, for any number of repeats up to 12: ties stay ties.
    d = np.round(d * 27_720)
    observed = np.abs(d.sum(axis=-1))
    signs = np.random.default_rng(seed).integers(0, 2, size=(d.shape[-1], flips), dtype=np.int8) * 2.0 - 1.0
    p = np.ones(len(d))
    for start in range(0, len(d), _BLOCK):
        rows = slice(start, start + _BLOCK)
        flipped = np.abs(d[rows] @ signs)
        above = (flipped > observed[rows, None] + 0.5).sum(axis=-1)
        equal = (np.abs(flipped - observed[rows, None]) <= 0.5).sum(axis=-1) + 1
        p[rows] = (above + equal / 2) / (flips + 1)
    p[observed == 0] = 1.0
    return p


def difference_interval(differences: ArrayLike) -> tuple[Floats, Floats]:
    """Return the 95 % interval of the mean of per-ticket differences, shape (..., tickets), NaN: not in common.

    Wald's interval after adding two pseudo-tickets, half of one each that either arm wins alone and one on which they
    agree (Agresti and Min, Stat. Med. 24, 2005, carried over from single trials to tickets with repeats). So it has a
    width also where the arms never differed.
    """
    d = np.asarray(differences, dtype=float)
    common = (~np.isnan(d)).sum(axis=-1)
    n = common + 2.0
    mean = np.nansum(d, axis=-1) / n
    variance = (np.nansum(d * d, axis=-1) + 1.0) / n - mean**2
    half = _Z95 * np.sqrt(variance / n)
    unknown = common == 0
    return np.where(unknown, -1.0, np.maximum(mean - half, -1.0)), np.where(unknown, 1.0, np.minimum(mean + half, 1.0))


def holm(p: ArrayLike) -> Floats:
    """Return p values adjusted by Holm's step-down method (Scand. J. Stat. 6, 1979); the last axis is the family."""
    values = np.asarray(p, dtype=float)
    m = values.shape[-1]
    order = np.argsort(values, axis=-1)
    steps = np.take_along_axis(values, order, axis=-1) * np.arange(m, 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(steps, axis=-1), 1.0)
    out: NDArray[np.float64] = np.empty_like(values)
    np.put_along_axis(out, order, adjusted, axis=-1)
    return out
