"""Arranging runs into arms: repeats either way, and mixtures refused with what differs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcompass_websearch.boards.reader import Table, arrange, find_runs, read_runs
from agentcompass_websearch.errors import UsageError
from perf.board_world import FictionalArm, World
from tests.boards.conftest import edit, results

Make = Callable[..., list[Path]]
ARM = FictionalArm("quarry", "search-fetch", 0.8)


def tables(*paths: Path, allow_mixed: bool = False) -> list[Table]:
    return arrange(read_runs(find_runs(paths)), allow_mixed=allow_mixed)


def test_arms_are_told_apart_by_vendor_id_board_and_model(make_run: Make) -> None:
    runs = make_run(
        ARM,
        FictionalArm("quarry", "search-only", 0.8),
        FictionalArm("quarry", "search-fetch", 0.8, model="other-1"),
        FictionalArm("mill", "search-fetch", 0.8),
    )
    arranged = tables(*runs)
    assert [table.board for table in arranged] == ["search-fetch", "search-only"]
    assert [arm.id for arm in arranged[0].arms] == [
        "mill/search-fetch/stand-in-1",
        "quarry/search-fetch/other-1",
        "quarry/search-fetch/stand-in-1",
    ]


def test_a_run_without_an_attempt_is_no_arm(copied: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    before = {arm.vendor_id for table in arrange(read_runs(find_runs([copied]))) for arm in table.arms}
    shutil.rmtree(run / "details")
    runs = read_runs(find_runs([copied]))
    assert {arm.vendor_id for table in arrange(runs) for arm in table.arms} == before - {"quarry"}
    assert [problem for one in runs for problem in one.problems] == [f"{run}: no attempt is stored in it yet"]


def test_separate_runs_are_repeats_like_those_of_one_run(make_run: Make) -> None:
    (one,) = tables(*make_run(ARM, folder="one"))
    (many,) = tables(*make_run(ARM, folder="many", separate=True))
    assert (one.arms[0].repeats, many.arms[0].repeats) == (3, 3)
    assert len(many.arms[0].runs) == 3
    assert set(one.arms[0].attempts) == set(many.arms[0].attempts)
    assert {slot: a.correct for slot, (_, a) in one.arms[0].attempts.items()} == {
        slot: a.correct for slot, (_, a) in many.arms[0].attempts.items()
    }


def test_runs_over_different_tickets_complete_each_other(make_run: Make, world: World) -> None:
    first, second = (World(tickets, world.sites) for tickets in (world.tickets[:5], world.tickets[5:]))
    (table,) = tables(*make_run(ARM, folder="a", world=first), *make_run(ARM, folder="b", world=second))
    assert (table.arms[0].repeats, len(table.tickets), len(table.arms[0].attempts)) == (3, 12, 36)


def test_attempts_of_one_arm_must_have_been_made_alike(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    edit(results(path)[5], lambda r: r["meta"]["benchmark"]["scoring"]["fingerprint_parts"]["vendor"].update(depth=2))
    with pytest.raises(UsageError) as refused:
        tables(path)
    assert "quarry/search-fetch/stand-in-1: attempts of one arm were not made alike" in str(refused.value)
    assert "vendor.depth" in str(refused.value)
    assert "--allow-mixed" in str(refused.value)
    (table,) = tables(path, allow_mixed=True)
    assert "vendor.depth" in table.warnings[0]


@pytest.mark.parametrize(("part", "value"), [("judge", {"policy": "official"}), ("prompts", "other"), ("package", "9")])
def test_the_arms_of_one_board_must_have_been_made_alike(copied: Path, part: str, value: object) -> None:
    (other,) = copied.glob("quarry*/*/*")
    for file in results(other):
        edit(file, lambda r: r["meta"]["benchmark"]["scoring"]["fingerprint_parts"].update({part: value}))
    with pytest.raises(UsageError, match=rf"(?s)search-fetch: the arms of one board were not made alike.*{part}"):
        tables(copied)


@pytest.mark.parametrize(("part", "value"), [("ticket", "0" * 64), ("limits", {"max_searches": 9})])
def test_arms_must_have_had_the_same_tickets_and_budgets(copied: Path, part: str, value: object) -> None:
    (other,) = copied.glob("quarry*/*/*")
    for file in results(other):
        edit(file, lambda r: r["meta"]["benchmark"]["scoring"]["fingerprint_parts"].update({part: value}))
    with pytest.raises(UsageError, match=rf"(?s)not given the same tickets or budgets, first at ticket .*{part}"):
        tables(copied)


def test_vendors_models_and_tools_may_differ(copied: Path) -> None:
    assert len(tables(copied)) == 3


def test_kinds_of_evidence_are_not_mixed(copied: Path) -> None:
    (other,) = copied.glob("quarry*/*/*")
    for file in results(other):
        edit(file, lambda r: r["meta"]["benchmark"]["scoring"].update(evidence="text"))
    with pytest.raises(UsageError, match=r"(?s)evidence was read in different ways.*text: quarry"):
        tables(copied)


def test_kinds_of_evidence_are_not_mixed_within_an_arm_either(copied: Path) -> None:
    (other,) = copied.glob("quarry*/*/*")
    for file in results(other)[:1]:
        edit(file, lambda r: r["meta"]["benchmark"]["scoring"].update(evidence="text"))
    with pytest.raises(UsageError, match=r"(?s)evidence was read in different ways.*structured: .*text: quarry"):
        tables(copied)
    assert "different ways" in tables(copied, allow_mixed=True)[0].warnings[0]


def _go_on(path: Path, name: str) -> Path:
    """Copy a run as the host does when it is resumed."""
    resumed = path.with_name(name)
    shutil.copytree(path, resumed)
    day = f"{name[:4]}-{name[4:6]}-{name[6:8]}T00:00:00+00:00"
    edit(
        resumed / "run_info.json",
        lambda i: i.update(run_id=name, started_at=day, reused_from={"run_id": path.name}),
    )
    return resumed


def test_of_a_run_and_those_that_went_on_with_it_each_attempt_counts_once_and_the_newest(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    newest = _go_on(_go_on(path, "20261201_000000"), "20261202_000000")
    made_anew = results(newest)[0]
    edit(made_anew, lambda r: r.update(started_at="2026-12-02T00:00:01+00:00"))
    table = next(t for t in tables(copied) if t.board == "search-fetch")
    arm = next(arm for arm in table.arms if arm.vendor_id == "quarry")
    assert table.warnings == ()
    assert (len(arm.attempts), arm.repeats) == (36, 3)
    assert {arm.runs[run].run_id for run, _ in arm.attempts.values()} == {newest.name}


def test_what_a_run_that_went_on_has_not_reached_yet_counts_from_the_earlier_one(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    resumed = _go_on(path, "20261201_000000")
    results(resumed)[0].unlink()
    table = next(t for t in tables(copied) if t.board == "search-fetch")
    arm = next(arm for arm in table.arms if arm.vendor_id == "quarry")
    assert (len(arm.attempts), arm.repeats) == (36, 3)
    assert sorted(arm.runs[run].run_id for run, _ in arm.attempts.values()).count(resumed.name) == 35


def test_a_copy_that_nothing_explains_is_refused_and_with_allow_mixed_counts_once(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    copy = path.with_name("20261201_000000")
    shutil.copytree(path, copy)
    edit(copy / "run_info.json", lambda i: i.update(run_id=copy.name, started_at="2026-12-01T00:00:00+00:00"))
    with pytest.raises(UsageError, match=r"36 attempt\(s\) are there twice"):
        tables(copied)
    table = next(t for t in tables(copied, allow_mixed=True) if t.board == "search-fetch")
    arm = next(arm for arm in table.arms if arm.vendor_id == "quarry")
    assert len(arm.attempts) == 36
    assert {arm.runs[run].run_id for run, _ in arm.attempts.values()} == {copy.name}


def test_a_clock_that_was_set_back_does_not_count_a_resumed_run_twice(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    middle = _go_on(path, "20261201_000000")
    last = _go_on(middle, "20261202_000000")
    for run, day in ((middle, "2026-01-02"), (last, "2026-01-01")):
        edit(run / "run_info.json", lambda i, day=day: i.update(started_at=f"{day}T00:00:00+00:00"))
    edit(results(last)[0], lambda r: r["trajectory"].update(started_at="2026-01-01T00:00:01+00:00"))
    table = next(t for t in tables(copied) if t.board == "search-fetch")
    arm = next(arm for arm in table.arms if arm.vendor_id == "quarry")
    assert (len(arm.attempts), arm.repeats) == (36, 3)
    assert {arm.runs[run].run_id for run, _ in arm.attempts.values()} == {last.name}


def test_what_differs_is_shown_without_secrets(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    for number, file in enumerate(results(path)[:2]):
        changed = {"temperature": number / 10, "extraHeaders": {"x": "canary"}, "extra_body": {"accessToken": "canary"}}
        edit(
            file, lambda r, c=changed: r["meta"]["benchmark"]["scoring"]["fingerprint_parts"]["model"].update(params=c)
        )
    with pytest.raises(UsageError, match=r"model\.params\.temperature") as refused:
        tables(copied)
    assert "canary" not in str(refused.value)
