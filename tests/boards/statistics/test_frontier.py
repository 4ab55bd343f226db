"""The Pareto frontier under joint resampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentcompass_websearch.boards.statistics import dominated_share
from agentcompass_websearch.boards.statistics.frontier import medians_of_draws

RNG = np.random.default_rng(5)
TICKETS = 60


def spread(around: float) -> NDArray[np.float64]:
    return around * RNG.uniform(0.8, 1.2, size=(TICKETS, 3))


def test_an_arm_that_loses_everywhere_is_dominated_and_a_trade_off_is_not() -> None:
    good = RNG.binomial(3, 0.8, TICKETS) / 3
    bad = RNG.binomial(3, 0.4, TICKETS) / 3
    passed = np.stack([good, bad, bad])
    dollars = np.stack([spread(0.05), spread(0.09), spread(0.01)])
    seconds = np.stack([spread(30), spread(60), spread(60)])
    shares = dominated_share(passed, ((dollars,), (seconds,)))
    assert shares[0] == 0.0
    assert shares[1] > 0.99
    assert shares[2] == 0.0


def test_losing_by_a_hair_is_not_being_dominated() -> None:
    passed = np.stack([RNG.binomial(3, 0.7, TICKETS) / 3 for _ in range(2)])
    seconds = np.stack([spread(30), spread(30)])
    assert max(dominated_share(passed, ((seconds,),))) < 0.95


def test_twins_do_not_dominate_each_other_and_unknown_values_do_not_count() -> None:
    passed = np.stack([np.ones(TICKETS)] * 2)
    seconds = np.stack([spread(30)] * 2)
    seconds[:, 0, 0] = np.nan
    assert dominated_share(passed, ((seconds,),)) == [0.0, 0.0]


def test_an_axis_is_the_sum_of_the_medians_of_its_parts() -> None:
    """Model dollars and tool dollars have their median each, then add up: here the sum alone decides."""
    passed = np.ones((2, 4))
    model = np.array([[[1.0]] * 4, [[3.0]] * 4])
    tools = np.array([[[5.0]] * 4, [[1.0]] * 4])
    assert dominated_share(passed, ((model, tools),), draws=10) == [1.0, 0.0]


def test_one_arm_has_nobody_to_lose_against() -> None:
    assert dominated_share(np.ones((1, 4)), ((np.ones((1, 4, 1)),),)) == [0.0]


def test_a_draws_median_is_that_of_all_its_known_values() -> None:
    values = RNG.uniform(size=(4, 7, 3))
    values[1, 2] = np.nan
    values[2, :, 1:] = np.nan
    values[3] = np.nan
    drawn = np.stack([RNG.integers(0, 7, size=7) for _ in range(50)] + [np.full(7, 2)])
    times = np.stack([np.bincount(draw, minlength=7) for draw in drawn])
    found = medians_of_draws(values, times)
    for arm, draw in np.ndindex(found.shape):
        known = values[arm, drawn[draw]]
        known = known[~np.isnan(known)]
        assert np.isnan(found[arm, draw]) if not known.size else found[arm, draw] == np.median(known)
    assert np.isnan(found[3]).all()
    assert np.isnan(found[1, -1])
