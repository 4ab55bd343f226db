"""A short run in bad weather, killed once on the way; ``perf/chaos.py`` is the long one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.chaos import Weather
from tests.support.chaos_run import Plan, Ran, Stored, problems, run

SEED = 11


def test_faults_and_a_kill_change_no_verdict_and_every_call_is_accounted_for(tmp_path: Path) -> None:
    calm = run(Plan(Weather(SEED, faults=False), 4, 2, 8), tmp_path / "calm")
    bad = run(Plan(Weather(SEED, hang_s=0.3, retry_after_s=0.2), 4, 2, 8, kills=(3,)), tmp_path / "bad")
    assert problems(bad, calm) == []
    assert any(one.verdict["correct"] for one in bad.final)
    met = {f"{who} {what}" for who in ("model", "vendor") for what in ("429", "500", "hang", "cut-json")}
    assert met | {"model empty turn", "model odd id"} <= set(bad.world.seen)

    # What would be a problem is found to be one.
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
        assert problems(_with(bad, place, instead), calm), what


def _with(ran: Ran, place: int, instead: list[Stored]) -> Ran:
    final = [*ran.final[:place], *instead, *ran.final[place + 1 :]]
    return replace(ran, stored=[*ran.stored[:-1], final])
