"""Paired tests: calibrated, exact on small cases, and corrected for many pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.boards.statistics import compare_all, difference_interval, holm, sign_flip_p
from perf import board_calibration as calibration

POINTS = [(n, p) for n in calibration.TICKETS for p in calibration.RATES]


@pytest.mark.parametrize(("tickets", "rate"), POINTS)
def test_like_arms_are_called_different_one_time_in_twenty(tickets: int, rate: float) -> None:
    assert 0.03 <= calibration.false_positives(2_000, tickets, rate) <= 0.07


@pytest.mark.parametrize(("tickets", "rate"), POINTS)
def test_never_more_often_when_arms_share_what_tickets_are_hard(tickets: int, rate: float) -> None:
    assert calibration.false_positives(1_000, tickets, rate, shared=1.0) <= 0.07


@pytest.mark.parametrize(("tickets", "rate"), [(30, 0.75), (100, 0.5), (100, 0.92)])
def test_holm_holds_the_error_of_the_whole_family(tickets: int, rate: float) -> None:
    assert calibration.family_errors(1_000, tickets, rate) <= 0.06


@pytest.mark.parametrize(("tickets", "rate"), POINTS)
def test_the_interval_of_a_difference_covers_no_difference(tickets: int, rate: float) -> None:
    assert calibration.difference_coverage(1_000, tickets, rate) >= 0.93


def test_p_is_that_of_all_sign_patterns() -> None:
    """Five wins of one size and no loss: 2 of 32 patterns are as far out, half of that as mid-p."""
    p = sign_flip_p([[1.0] * 5 + [0.0] * 20], flips=200_000)
    assert p[0] == pytest.approx(2 / 32 / 2, abs=2e-3)


def test_sums_of_thirds_that_are_equal_stay_ties() -> None:
    """0.1 + 0.2 is not 0.3 in floats: a test on sums must not tell such ties apart."""
    d = np.array([1 / 3, 2 / 3, -1 / 3, 1.0, -2 / 3, 1 / 3])
    p_thirds, p_units = sign_flip_p(np.stack([d, np.round(d * 3)]), seed=1)
    assert p_thirds == p_units


def test_alike_arms_and_tickets_not_in_common() -> None:
    nothing, one_ticket = sign_flip_p([[0.0, 0.0, np.nan], [1.0, np.nan, np.nan]])
    assert nothing == 1.0
    assert one_ticket == pytest.approx(0.5, abs=0.01)


def test_an_interval_has_a_width_also_where_arms_never_differed() -> None:
    low, high = difference_interval([0.0] * 98)
    assert float(high) == pytest.approx(0.0196, abs=1e-4)
    assert float(low) == -float(high)
    low, high = difference_interval([np.nan, np.nan])
    assert (float(low), float(high)) == (-1.0, 1.0)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_value_nor_turns_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_pairs_use_the_tickets_that_both_arms_have() -> None:
    rates = np.array([[1.0, 1.0, 0.0, np.nan], [0.0, 1.0, np.nan, 1.0], [np.nan, np.nan, np.nan, np.nan]])
    ab, ac, bc = compare_all(rates)
    assert (ab.a, ab.b, ab.tickets, ab.diff) == (0, 1, 2, 0.5)
    assert ab.p_holm == ab.p
    assert [(pair.tickets, pair.diff, pair.ci95, pair.p, pair.p_holm) for pair in (ac, bc)] == [(0, *[None] * 4)] * 2


def test_the_same_seed_gives_the_same_board() -> None:
    rates = np.random.default_rng(0).integers(0, 4, size=(4, 50)) / 3
    assert compare_all(rates, seed=7) == compare_all(rates, seed=7)
