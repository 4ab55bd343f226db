"""Limits of an attempt: the user's, the task's, the defaults; and the time kept for the answer."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.limits import Deadline, Limits, effective_limits

BOTH = ("web_search", "web_fetch")


@pytest.mark.parametrize(
    ("asked", "of_task", "limits"),
    [
        ({}, None, Limits(32, 5, 5)),
        ({}, {"max_turns": 7, "max_searches": 0}, Limits(7, 0, 5)),
        ({"max_turns": 0, "max_searches": 0, "max_fetches": 0}, {"max_turns": 7}, Limits(0, 0, 0)),
        ({"max_turns": "unlimited", "max_searches": None}, {"max_searches": "unlimited"}, Limits(None, None, 5)),
        ({"max_fetches": 9}, {"max_fetches": 2}, Limits(32, 5, 9)),
        ({}, {"max_turns": True, "max_searches": -1, "max_fetches": "many"}, Limits(32, 5, 5)),
        ({}, ["of", "another", "benchmark"], Limits(32, 5, 5)),
    ],
)
def test_the_user_comes_before_the_task_and_the_task_before_the_defaults(
    asked: dict[str, Any], of_task: object, limits: Limits
) -> None:
    assert effective_limits(asked, of_task, BOTH) == limits


def test_a_tool_that_is_not_offered_has_nothing_to_use() -> None:
    assert effective_limits({"max_fetches": 3}, None, ("web_search",)) == Limits(32, 5, 0)
    assert effective_limits({}, None, ()) == Limits(32, 0, 0)


def test_limits_are_recorded_by_name() -> None:
    assert Limits(1, None, 3).record() == {"max_turns": 1, "max_searches": None, "max_fetches": 3}


@pytest.mark.parametrize(("timeout_s", "kept_s"), [(1800.0, 120.0), (100.0, 20.0)])
def test_time_is_kept_for_the_answer(timeout_s: float, kept_s: float) -> None:
    deadline = Deadline.after(timeout_s)
    assert deadline.end - deadline.answer_by == pytest.approx(kept_s)
    assert deadline.answer_by > time.monotonic()
    assert not deadline.over


def test_without_a_time_limit_time_is_never_up() -> None:
    assert Deadline.after(None) == Deadline(math.inf, math.inf)
    assert Deadline.after(None).answer_by_with([9.0, 9.0]) == math.inf


@pytest.mark.parametrize(
    ("turns_s", "answer_by"),
    [
        ([], 80),
        ([45], 80),
        ([5, 5], 80),
        ([15, 15], 70),
        ([15, 15, 16, 99], 70),
        ([45, 5], 80),
        ([5, 5, 45], 80),
        ([60, 60], -20),
    ],
    ids=str,
)
def test_a_slow_model_has_the_time_of_two_usual_turns_for_its_answer(turns_s: list[float], answer_by: float) -> None:
    """One turn tells nothing yet: it may have waited for a cold server. Neither does one that was slow for once."""
    assert Deadline(80, 100).answer_by_with(turns_s) == answer_by
