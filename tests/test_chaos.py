"""A run in bad weather, killed once on the way, over each protocol; ``perf/chaos.py`` is the long one."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.chaos import FAULTS, Asked, Chosen, Weather
from tests.support.chaos_run import Plan, Ran, problems, run

ODD = {"empty turn", "wrong id", "calls beyond the budget"}
PLAN = Plan(Weather(11, hang_s=0.3, retry_after_s=0.2), tickets=4, repeats=2, concurrency=8)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The run in good weather, over one protocol: the others have to come to the same."""
    plan = replace(PLAN, weather=Weather(PLAN.weather.seed, faults=False))
    return run(plan, tmp_path_factory.mktemp("calm"))


def test_faults_and_a_kill_change_no_verdict_and_every_call_is_accounted_for(tmp_path: Path, calm: Ran) -> None:
    bad = run(replace(PLAN, kills=(3,)), tmp_path)
    assert problems(bad, calm) == []
    assert any(one.verdict["correct"] for one in bad.final)
    assert {f"{who} {fault}" for who in ("model", "vendor") for fault in FAULTS} <= set(bad.world.seen)
    assert {turn.odd for turn in bad.world.chosen.values()} >= ODD
    _find_what_would_be_a_problem(bad, calm)


@pytest.mark.parametrize(("protocol", "vendor"), [("openai-responses", "tavily_basic"), ("anthropic", "jina")])
def test_the_other_protocols_and_other_vendors_come_to_the_same(
    tmp_path: Path, calm: Ran, protocol: str, vendor: str
) -> None:
    bad = run(replace(PLAN, repeats=1, protocol=protocol, vendor=vendor), tmp_path)
    assert problems(bad, calm) == []
    assert {f"model {fault}" for fault in FAULTS} <= set(bad.world.seen)
    assert {turn.odd for turn in bad.world.chosen.values()} >= ODD


def _find_what_would_be_a_problem(bad: Ran, calm: Ran) -> None:
    """Change one thing at a time of a run that is in order."""
    place, one = next((place, one) for place, one in enumerate(bad.final) if len(one.calls) > 1)
    other = next(other for other in bad.final if other.ticket != one.ticket)
    wrong = {
        "lost": [],
        "other tokens": [replace(one, tokens=one.tokens + 1)],
        "a call too many": [replace(one, calls=(*one.calls, one.calls[0]))],
        "a call too few": [replace(one, calls=one.calls[1:])],
        "another verdict": [replace(one, verdict={**one.verdict, "compiled": not one.verdict["compiled"]})],
        "an issue": [replace(one, issues=("fatal tool_service_failed",))],
        "done twice": [one, one],
        "another's conversation": [replace(one, conversation=other.conversation)],
    }
    for what, instead in wrong.items():
        final = [*bad.final[:place], *instead, *bad.final[place + 1 :]]
        assert problems(replace(bad, stored=[*bad.stored[:-1], final]), calm), what

    asked = next(asked for asked in bad.world.asked if (asked.op, asked.fault) == ("search", "ok"))
    seen = bad.world.seen
    begun = len(bad.world.spoken)
    others = [replace(bad.world.spoken[one.conversation], number=begun + n) for n in range(9)]
    worlds: dict[str, dict[str, Any]] = {
        "over its budget": {"asked": [*bad.world.asked, *[Asked(asked.conversation, "search", "x", "ok")] * 2]},
        "a call of nobody": {"asked": [*bad.world.asked, replace(asked, conversation=-1)]},
        "a fault too many": {"seen": seen + Counter({"model 500": seen.total()})},
        "no odd turns": {"chosen": {("t", turn): Chosen(calls=True) for turn in range(200)}},
        "a request that is none": {"refused": ["unpaired"]},
        "begun anew without need": {"spoken": [*bad.world.spoken, *others]},
    }
    for what, changed in worlds.items():
        world = copy.copy(bad.world)
        for name, value in changed.items():
            setattr(world, name, value)
        assert problems(replace(bad, world=world), calm), what

    runs: dict[str, dict[str, Any]] = {
        "tried again without need": {"retried": {one.conversation: "model_timeout"}},
        "an analyzer stumbled": {"analyzers": Counter({"LLMInferLatencyAnalyzer": 1})},
        "an exit code": {"code": 1},
    }
    for what, changed in runs.items():
        assert problems(replace(bad, **changed), calm), what
