"""Mean and spread over repeats, against the published boards and by hand."""

from __future__ import annotations

import json
import math
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from agentcompass_websearch.boards.statistics import bracket, mean_sd, median, oracle_union, unique_solves

PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text())
FIGURES = [
    pytest.param(mean, sd, id=f"{board}-{arm}")
    for board, arms in PUBLISHED["boards"].items()
    for arm, (mean, sd) in arms.items()
]


def printed(value: float) -> set[float]:
    """What a table of one decimal may show for `value`: rounded or cut."""
    return {round(value + 1e-9, 1), round(value - 1e-9, 1), math.floor(value * 10 + 1e-9) / 10}


def test_three_counts_of_a_hundred_give_the_published_figure() -> None:
    mean, sd = mean_sd([0.81, 0.81, 0.83])
    assert mean is not None
    assert sd is not None
    assert 100 * mean == pytest.approx(81.667, abs=5e-4)
    assert 100 * sd == pytest.approx(1.1547, abs=5e-5)


@pytest.mark.parametrize(("mean", "sd"), FIGURES)
def test_every_published_figure_comes_from_some_pass_counts(mean: float, sd: float) -> None:
    near = range(max(0, round(mean) - 12), min(100, round(mean) + 12) + 1)
    for counts in combinations_with_replacement(near, PUBLISHED["repeats"]):
        m, s = mean_sd([c / PUBLISHED["tickets"] for c in counts])
        if m is not None and s is not None and mean in printed(100 * m) and sd in printed(100 * s):
            return
    pytest.fail(f"no three pass counts of 100 give {mean} ± {sd}")


def test_the_spread_of_one_repeat_is_unknown_and_of_none_everything_is() -> None:
    assert mean_sd([0.4]) == (0.4, None)
    assert mean_sd([]) == (None, None)


def test_a_median_leaves_unknown_values_out() -> None:
    assert median([None, 3.0, 1.0, None, 2.0]) == 2.0
    assert median([4.0, 1.0]) == 2.5
    assert median([None]) is None


def test_the_bracket_counts_unscored_attempts_both_ways() -> None:
    assert bracket(passed=60, scored=90, planned=100) == (0.6, 60 / 90)
    assert bracket(passed=60, scored=100, planned=100) == (0.6, 0.6)
    assert bracket(passed=0, scored=0, planned=3) == (0.0, 1.0)
    assert bracket(passed=0, scored=0, planned=0) is None


def test_union_and_unique_solves() -> None:
    solved = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]], dtype=bool)
    assert oracle_union(solved) == 0.75
    assert unique_solves(solved) == [1, 1, 0]
