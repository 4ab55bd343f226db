"""Reading runs: finished, partial, failed, broken, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.boards.reader import find_runs, read_run
from agentcompass_websearch.boards.reader.full import read_full
from agentcompass_websearch.boards.reader.runs import result_path
from agentcompass_websearch.errors import UsageError
from perf.board_world import FictionalArm
from tests.boards.conftest import edit, results

Make = Callable[..., list[Path]]


def test_a_finished_run_is_read_whole(finished: Path) -> None:
    (path,) = finished.glob("lumen_deep*/*/*")
    run = read_run(path)
    assert (run.vendor_id, run.board, run.model, run.k) == ("lumen_deep", "search-fetch", "stand-in-1", 3)
    assert (run.status, run.planned_tickets, len(run.attempts), run.problems) == ("completed", 12, 36, ())
    assert all(attempt.scored and attempt.tokens and attempt.task_s for attempt in run.attempts)
    assert len(run.settings) == 1


def test_runs_are_found_in_folders_once_each(finished: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(finished)
    assert len(find_runs([finished])) == 5
    assert find_runs([link, finished, *finished.glob("quarry*")]) == find_runs([finished])


def test_what_holds_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run in"):
        find_runs([tmp_path])
    with pytest.raises(UsageError, match="no such folder"):
        find_runs([tmp_path / "nothing"])


def test_runs_of_other_benchmarks_beside_ours_are_passed_over(copied: Path) -> None:
    ours = find_runs([copied])
    other, broken = ours[0], ours[1]
    edit(other / "run_info.json", lambda data: data["request"]["benchmark"].update(id="widesearch"))
    (broken / "run_info.json").write_text("{")
    assert find_runs([copied]) == [run for run in ours if run != other]
    assert find_runs([other]) == [other]
    with pytest.raises(UsageError, match="no run in"):
        find_runs([other.parent])


@pytest.mark.parametrize("request_", [{}, {"benchmark": {"id": "ob-code-websearch", "params": {}}}])
def test_a_run_that_failed_before_it_began_is_passed_over(copied: Path, request_: dict[str, object]) -> None:
    ours = find_runs([copied])
    failed = copied / "model_ob-code-websearch_coding_agent" / "20261130_044526"
    failed.mkdir(parents=True)
    info = {"error": "no such dataset", "schema_version": "agentcompass.run_info.v3", "status": "failed"}
    (failed / "run_info.json").write_text(json.dumps(info | {"request": request_}))
    assert find_runs([copied]) == ours
    (failed / "details").mkdir()
    assert failed in find_runs([copied])


def test_an_attempt_that_the_infrastructure_voided_has_no_score(finished: Path) -> None:
    (path,) = finished.glob("skiff*/*/*")
    run = read_run(path)
    voided = [attempt for attempt in run.attempts if not attempt.scored]
    assert run.status == "failed"
    assert voided
    assert {(a.lost, a.reason, a.correct) for a in voided} == {("infrastructure", "tool_service_failed", None)}


def test_a_run_that_is_still_going_on_is_read_as_far_as_it_is(copied: Path) -> None:
    """The ticket in hand stands under ``running``: its finished attempts count, the others are not there yet."""
    (path,) = copied.glob("quarry*/*/*")
    edit(path / "run_info.json", lambda info: info.pop("status") and None)
    ticket = next((path / "details/normal").iterdir())
    (path / "details/running").mkdir()
    shutil.move(ticket, path / "details/running" / ticket.name)
    shutil.rmtree(path / "details/running" / ticket.name / "attempt-3")
    edit(path / "details/running" / ticket.name / "task.json", lambda task: task["attempts"].pop("3") and None)
    before = read_run(path)
    edit(path / "details/running" / ticket.name / "attempt-1/result.json", as_the_harness_gave_it)
    run = read_run(path)
    assert (run.status, run.k, len(run.attempts), run.problems) == ("unfinished", 3, 35, ())
    assert run.attempts == before.attempts
    first = next(a for a in run.attempts if a.path.endswith(f"{ticket.name}/attempt-1"))
    assert read_full(run, first).scoring is not None

    unfinished = next(a for a in run.attempts if "/running/" in a.path)
    shutil.move(path / "details/running" / ticket.name, path / "details/normal" / ticket.name)
    assert result_path(run, unfinished).is_file(), "the host moves a ticket's folder when it is done"


def as_the_harness_gave_it(result: dict[str, Any]) -> None:
    """Bring a result into the form that it has until its ticket is finished."""
    meta = result["meta"]
    result |= {"extra": meta["benchmark"], "telemetry": meta["harness"]["telemetry"], "meta": None}
    result["extra"]["scoring"]["decided_by"] = result["extra"]["scoring"].get("decided_by")
    result["extra"]["scoring"]["needles"][0].setdefault("line", None)


def test_planned_tickets_without_any_attempt_count(make_run: Make) -> None:
    (path,) = make_run(FictionalArm("skiff", "search-only", 0.5, unfinished=0.5))
    run = read_run(path)
    assert (run.planned_tickets, len(run.attempts)) == (12, 18)


def test_a_broken_result_is_reported_and_left_out(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    torn, alien = results(path)[:2]
    torn.write_bytes(torn.read_bytes()[:1000])
    alien.write_text('{"status": "completed", "metrics": []}')
    run = read_run(path)
    assert len(run.attempts) == 34
    assert [str(torn) in problem or str(alien) in problem for problem in run.problems] == [True, True]


def test_an_allocated_attempt_without_a_result_is_missing(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    results(path)[0].write_text('{"retry_count": 2}')
    assert len(read_run(path).attempts) == 35


def test_an_older_layout_without_states_is_read(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    for state in list((path / "details").iterdir()):
        for ticket in list(state.iterdir()):
            shutil.move(ticket, path / "details" / ticket.name)
        state.rmdir()
    assert len(read_run(path).attempts) == 36


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("run_info.json", {"schema_version": "agentcompass.run_info.v9"}, "schema 'agentcompass.run_info.v9'"),
        ("run_info.json", {"request": {"benchmark": {"id": "widesearch"}}}, "a run of 'widesearch'"),
        ("details/*/*/task.json", {"schema_version": "agentcompass.task.v9"}, "schema 'agentcompass.task.v9'"),
        ("details/*/*/task.json", {"attempt_plan": {"k": 3, "strategy": "pass"}}, "--attempt-strategy avg"),
    ],
)
def test_runs_that_no_board_can_use_are_refused(copied: Path, file: str, change: dict[str, object], says: str) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    for found in path.glob(file):
        edit(found, lambda data: data | change)
    with pytest.raises(UsageError, match=says):
        read_run(path)


def test_records_of_a_newer_version_are_refused(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    edit(results(path)[0], lambda r: r["meta"]["benchmark"]["scoring"].update(schema=2))
    with pytest.raises(UsageError, match="newer version"):
        read_run(path)


def test_a_run_info_that_is_no_json_is_one_line_with_its_place(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    (path / "run_info.json").write_text("{")
    with pytest.raises(UsageError, match=r"cannot read .*run_info\.json"):
        read_run(path)


def test_a_run_whose_evidence_nobody_can_read_is_reported_and_left_out(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    edit(path / "run_info.json", lambda i: i["request"].update(harness={"id": "openai_chat"}))
    for file in results(path):
        edit(file, lambda r: r["meta"]["harness"].pop("telemetry") and None)
        edit(file, lambda r: r["meta"]["benchmark"]["scoring"].update(evidence="none"))
    run = read_run(path)
    assert run.attempts == ()
    assert "left out, since nobody can read what tools of openai_chat replied" in run.problems[-1]


def test_another_harness_is_an_arm_named_after_it(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    edit(path / "run_info.json", lambda i: i["request"].update(harness={"id": "naive_search_agent"}))
    for file in results(path):
        edit(file, lambda r: r["meta"]["harness"]["telemetry"].pop("websearch") and None)
    run = read_run(path)
    assert (run.vendor_id, run.board) == ("naive_search_agent", "search-fetch")
    assert sum(len(attempt.search_s) for attempt in run.attempts) == sum(
        json.loads(file.read_text())["metrics"]["search_calls"] for file in results(path)
    )


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "1e308", "-5.0"])
def test_a_number_that_measures_nothing_is_unknown_and_its_attempt_counts(copied: Path, number: str) -> None:
    (path,) = copied.glob("quarry*/*/*")
    file = results(path)[0]
    stored = json.loads(file.read_text())
    stored["metrics"].update(task_seconds=12345.0, model_cost_usd=12345.0)
    for call in stored["meta"]["harness"]["telemetry"]["websearch"]["calls"]:
        call.update(service_s=12345.0, list_usd=12345.0, reported_usd=12345.0)
    file.write_text(json.dumps(stored).replace("12345.0", number))
    run = read_run(path)
    odd = next(a for a in run.attempts if path / a.path / "result.json" == file)
    assert run.problems == ()
    assert odd.scored
    assert (odd.task_s, odd.model_usd, odd.search_s, odd.search_usd) == (None, None, (), None)
    assert odd.tokens is not None
    assert (odd.searches.list_usd, odd.searches.reported_usd, odd.searches.reported) == (0.0, 0.0, 0)
    assert odd.searches.unpriced == odd.searches.billed > 0
    assert read_full(run, odd).evidence.searches


def test_names_are_one_line_without_control_characters(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    for file in results(path):
        edit(
            file,
            lambda r: r["meta"]["harness"]["telemetry"]["websearch"]["vendor"].update(id="q\x1b[2J\n\x00\x07uarry"),
        )
        edit(file, lambda r: r["issues"].append({"severity": "error", "code": "odd\x1b\ncode"}))
    edit(path / "run_info.json", lambda i: i["request"]["model"].update(id="stand\x1b-in\t1"))
    run = read_run(path)
    assert (run.vendor_id, run.model) == ("q[2J uarry", "stand-in 1")
    assert "odd code" in {attempt.reason for attempt in run.attempts}


def test_calls_that_failed_and_were_billed_are_counted(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    file = results(path)[0]
    edit(file, lambda r: r["meta"]["harness"]["telemetry"]["websearch"]["calls"][0].update(ok=False, billed=True))
    attempt = next(a for a in read_run(path).attempts if path / a.path / "result.json" == file)
    assert (attempt.searches.failed, attempt.searches.failed_billed) == (1, 1)
    edit(file, lambda r: r["meta"]["harness"]["telemetry"]["websearch"]["calls"][0].update(billed=False))
    attempt = next(a for a in read_run(path).attempts if path / a.path / "result.json" == file)
    assert (attempt.searches.failed, attempt.searches.failed_billed) == (1, 0)
