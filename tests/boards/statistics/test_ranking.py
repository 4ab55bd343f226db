"""Groups, ranges of ranks, and the gap a design can see."""

from __future__ import annotations

import numpy as np
import pytest

from agentcompass_websearch.boards.statistics import Comparison, rank_ranges, smallest_gap, tied_groups
from perf import board_calibration as calibration


def pair(a: int, b: int, diff: float, p: float) -> Comparison:
    return Comparison(a, b, 100, diff, (diff - 0.1, diff + 0.1), p, p)


MEANS = [0.70, 0.80, 0.60, None]
# 1 beats 2; 0 is tied with both.
PAIRS = [pair(0, 1, -0.1, 0.2), pair(0, 2, 0.1, 0.3), pair(1, 2, 0.2, 0.001)]


def test_a_group_is_its_leader_and_all_that_cannot_be_told_from_it() -> None:
    assert tied_groups(MEANS, PAIRS, ranked=[0, 1, 2, 3]) == [1, 1, 2, None]


def test_the_range_of_ranks_shows_ties_across_a_boundary() -> None:
    assert rank_ranges(MEANS, PAIRS, ranked=[0, 1, 2, 3]) == [(1, 3), (1, 2), (2, 3), None]


def test_arms_that_may_not_be_ranked_count_for_nobody() -> None:
    assert tied_groups(MEANS, PAIRS, ranked=[0, 2]) == [1, None, 1, None]
    assert rank_ranges(MEANS, PAIRS, ranked=[0, 2]) == [(1, 2), None, (1, 2), None]


@pytest.mark.parametrize(("tickets", "rate"), [(100, 0.5), (100, 0.75), (100, 0.92), (300, 0.92)])
def test_a_gap_of_that_size_is_found_four_times_in_five(tickets: int, rate: float) -> None:
    assert 0.7 <= calibration.power_at_smallest_gap(1_000, tickets, rate) <= 0.9


def test_the_gap_shrinks_with_tickets_and_grows_with_pairs() -> None:
    rng = np.random.default_rng(0)
    few, many = (calibration.boards(rng, 1, n, 0.75, arms=6)[0] / 3 for n in (50, 200))
    gaps = [smallest_gap(many), smallest_gap(few), smallest_gap(few, pairs=15)]
    assert None not in gaps
    assert gaps == sorted(gaps, key=lambda gap: gap or 0.0)
    assert (gaps[1] or 0) == pytest.approx(2 * (gaps[0] or 0), rel=0.3)


def test_no_gap_can_be_named_for_one_arm_or_one_ticket() -> None:
    assert smallest_gap(np.array([[1.0, 0.0]])) is None
    assert smallest_gap(np.array([[1.0], [0.0]])) is None
    assert smallest_gap(np.array([[1.0, np.nan], [np.nan, 0.0]])) is None
