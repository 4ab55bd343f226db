"""Judging stored attempts again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcompass_websearch.boards.reader import find_runs, read_runs
from agentcompass_websearch.boards.rejudge import read_needles, rejudge
from agentcompass_websearch.errors import UsageError
from perf.board_world import FictionalArm
from tests.boards.conftest import edit, results

Make = Callable[..., list[Path]]


def test_judged_again_nothing_changes(finished: Path) -> None:
    done = rejudge(read_runs(find_runs([finished])))
    assert len(done.attempts) > 150
    assert (done.changed, done.problems) == ([], ())
    assert not [one for one in done.attempts if one.differs]


def test_the_official_policy_gives_the_stored_official_verdicts(finished: Path) -> None:
    (run,) = finished.glob("mill_fast*/*/*")
    done = rejudge(read_runs([run]), policy="official")
    stored = [json.loads(file.read_text())["metrics"]["correct_official"] for file in results(run)]
    assert sum(one.now for one in done.attempts) == sum(stored)
    assert all(one.decided_by for one in done.changed)


def test_a_verdict_that_was_stored_wrongly_is_found(copied: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    file = results(run)[4]
    was = json.loads(file.read_text())["metrics"]["correct"]
    edit(file, lambda r: r["metrics"].update(correct=not was))
    (changed,) = rejudge(read_runs([run])).changed
    assert (changed.was, changed.now) == (not was, was)


def test_other_needles_give_other_verdicts(finished: Path, tmp_path: Path) -> None:
    (run,) = finished.glob("quarry*/*/*")
    (read,) = read_runs([run])
    ticket = next(attempt.ticket for attempt in read.attempts if attempt.correct)
    file = tmp_path / "needles.json"
    file.write_text(json.dumps({ticket: [{"needle": "X-Nobody-Wrote-This", "kind": "header"}]}))
    done = rejudge([read], needles=read_needles(file))
    assert {one.ticket for one in done.changed} == {ticket}
    assert all(one.missing == ["X-Nobody-Wrote-This"] for one in done.changed)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "null",
        '{"a": 5}',
        '{"a": [{"kind": "header"}]}',
        '{"a": [{"needle": 5}]}',
        '{"a": [{"needle": "x", "kind": "odd"}]}',
        '{"a": []}',
        '{"a": [{"needle": ""}]}',
        '{"a": [{"needle": "two words"}]}',
        '{"a": ' + "[" * 100_000,
    ],
)
def test_a_needles_file_of_another_form_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "needles.json").write_text(text)
    with pytest.raises(UsageError, match="Its form is"):
        read_needles(tmp_path / "needles.json")


def test_needles_of_a_ticket_that_no_run_has_are_refused(finished: Path) -> None:
    with pytest.raises(UsageError, match="no-such-ticket"):
        rejudge(read_runs(find_runs([finished])), needles={"no-such-ticket": []})


def test_voided_attempts_stay_out_and_originals_untouched(make_run: Make) -> None:
    (run,) = make_run(FictionalArm("skiff", "search-fetch", 0.5, outages=0.5))
    before = {file: file.read_bytes() for file in run.rglob("*.json")}
    done = rejudge(read_runs([run]))
    assert 0 < len(done.attempts) < 36
    assert {file: file.read_bytes() for file in run.rglob("*.json")} == before
