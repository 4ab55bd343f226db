"""The clustered interval: calibrated where it should be, honest where little is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.boards.statistics import rate_interval
from agentcompass_websearch.boards.statistics.intervals import effective_size
from perf import board_calibration as calibration

POINTS = [(n, p) for n in calibration.TICKETS for p in calibration.RATES]
BOARDS = 2_000


@pytest.mark.parametrize(("tickets", "rate"), POINTS)
def test_the_interval_covers_the_truth_as_often_as_it_says(tickets: int, rate: float) -> None:
    assert 0.93 <= calibration.coverage(calibration.clustered, BOARDS, tickets, rate) <= 0.97


@pytest.mark.parametrize(("tickets", "rate"), POINTS)
def test_pooled_repeats_would_not(tickets: int, rate: float) -> None:
    assert calibration.coverage(calibration.pooled, BOARDS, tickets, rate) < 0.93


def test_a_percentile_bootstrap_would_not_either() -> None:
    assert calibration.coverage(calibration.percentile_bootstrap, BOARDS, 30, 0.92) < 0.91


def one(passes: list[int], attempts: list[int] | int) -> tuple[float, float]:
    low, high = rate_interval(passes, attempts)
    return float(low), float(high)


def test_all_pass_and_all_fail_have_a_width_and_mirror_each_other() -> None:
    low, high = one([3] * 100, 3)
    assert high == 1.0
    assert 0.96 < low < 0.99
    assert one([0] * 100, 3) == pytest.approx((0.0, 1.0 - low))


def test_one_ticket_says_next_to_nothing_about_others() -> None:
    low, high = one([3], 3)
    assert (low < 0.05, high) == (True, 1.0)
    low, high = one([2], 3)
    assert (low < 0.05, high > 0.95) == (True, True)


def test_with_one_repeat_it_is_wilsons_interval() -> None:
    """81 of 100: the textbook figure."""
    assert one([1] * 81 + [0] * 19, 1) == pytest.approx((0.7222, 0.8749), abs=1e-3)


def test_nothing_scored_is_nothing_known() -> None:
    assert one([0, 0], 0) == (0.0, 1.0)


def test_repeats_that_always_agree_count_as_one_and_those_that_never_do_in_full() -> None:
    tickets = 400
    agree = np.repeat([3.0, 0.0], tickets // 2)
    differ = np.repeat([1.0, 2.0], tickets // 2)
    threes = np.full(tickets, 3.0)
    assert effective_size(agree, threes) == pytest.approx(tickets, rel=0.01)
    assert effective_size(differ, threes) == pytest.approx(3 * tickets, rel=0.01)


def test_tickets_without_a_scored_attempt_change_nothing() -> None:
    assert one([3, 2, 0, 1, 0], [3, 3, 3, 2, 0]) == one([3, 2, 0, 1], [3, 3, 3, 2])


@given(st.lists(st.integers(0, 4).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), min_size=1, max_size=40))
def test_it_is_an_interval_around_the_rate_within_zero_and_one(tickets: list[tuple[int, int]]) -> None:
    low, high = one([y for y, _ in tickets], [m for _, m in tickets])
    assert 0.0 <= low <= high <= 1.0
    if total := sum(m for _, m in tickets):
        assert low <= sum(y for y, _ in tickets) / total <= high
