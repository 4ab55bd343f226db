"""The numbers of a board against their definitions, recomputed here from the stored files, and honest at the edges."""

from __future__ import annotations

import json
import math
import statistics as stdlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.boards.compile import compile_board
from agentcompass_websearch.boards.reader import arrange, find_runs, read_runs
from agentcompass_websearch.boards.schema import ArmRow, BoardFile, decode, encode
from perf.board_world import FictionalArm, World
from tests.boards.conftest import edit, results

Make = Callable[..., list[Path]]


def board_of(*paths: Path) -> BoardFile:
    runs = read_runs(find_runs(paths))
    return compile_board(runs, arrange(runs))


def row_of(board: BoardFile, name: str, vendor_id: str) -> ArmRow:
    return next(arm for arm in board.boards[name].arms if arm.vendor_id == vendor_id)


def stored(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and content of each result of a run."""
    for file in results(path):
        yield int(file.parent.name.removeprefix("attempt-")), json.loads(file.read_text())


def calls_in(result: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result["meta"]["harness"]["telemetry"]["websearch"].get("calls", [])
    return found


def calls(path: Path, op: str) -> list[dict[str, Any]]:
    return [call for _, result in stored(path) for call in calls_in(result) if call["op"] == op]


def test_the_benchmarks_own_columns(finished: Path) -> None:
    (path,) = finished.glob("lumen_deep*/*/*")
    row = row_of(board_of(finished), "search-fetch", "lumen_deep")
    metrics = [(number, result["metrics"]) for number, result in stored(path)]
    rates = [stdlib.fmean(m["correct"] for n, m in metrics if n == repeat) for repeat in (1, 2, 3)]
    assert row.completion.per_repeat == pytest.approx(rates)
    assert row.completion.mean == pytest.approx(stdlib.fmean(rates))
    assert row.completion.sd == pytest.approx(stdlib.stdev(rates))
    official = [stdlib.fmean(m["correct_official"] for n, m in metrics if n == repeat) for repeat in (1, 2, 3)]
    assert row.correct_official.mean == pytest.approx(stdlib.fmean(official))
    assert row.median_task_s == pytest.approx(stdlib.median(m["task_seconds"] for _, m in metrics))
    assert row.median_tokens == pytest.approx(stdlib.median(m["total_tokens"] for _, m in metrics))
    model = stdlib.median(m["model_cost_usd"] for _, m in metrics)
    tool = stdlib.median(m["tool_cost_usd"] for _, m in metrics)
    assert (row.median_model_usd, row.median_tool_usd) == pytest.approx((model, tool))
    assert row.median_cost_usd == pytest.approx(model + tool)
    searches = calls(path, "search")
    assert row.mean_search_s == pytest.approx(stdlib.fmean(call["service_s"] for call in searches))
    assert (row.list_usd.search, row.list_usd.fetch) == (0.012, 0.001)
    assert (row.tickets, row.repeats, row.attempts, row.completeness) == (12, 3, 36, 1.0)
    assert row.bracket == pytest.approx((row.completion.mean, row.completion.mean))


def test_calls_that_were_not_charged_do_not_tell_the_list_price(copied: Path) -> None:
    (path,) = copied.glob("lumen_deep*/*/*")
    refused = {"ok": False, "error_kind": "target", "billed": False, "list_usd": 0.0}
    for tries, file in enumerate(results(path)[:2]):  # one was turned away by us, one by the vendor
        edit(file, lambda r, tries=tries: calls_in(r)[0].update(refused, tries=tries))
    row = row_of(board_of(copied), "search-fetch", "lumen_deep")
    assert (row.list_usd.search, row.list_usd.fetch) == (0.012, 0.001)


def test_the_bill_beside_the_vendors_own_word(finished: Path) -> None:
    (path,) = finished.glob("lumen_deep*/*/*")
    bill = row_of(board_of(finished), "search-fetch", "lumen_deep").bill.search
    searches = calls(path, "search")
    assert (bill.calls, bill.billed, bill.unpriced, bill.reported) == (len(searches),) * 2 + (0, len(searches))
    assert bill.list_usd == pytest.approx(0.012 * len(searches))
    assert bill.reported_usd == pytest.approx(bill.list_usd)
    assert bill.retried == sum(call["tries"] - 1 for call in searches)
    assert row_of(board_of(finished), "search-fetch", "quarry").bill.search.reported == 0


def test_what_the_model_was_shown_and_what_the_vendor_says_of_itself(finished: Path) -> None:
    (path,) = finished.glob("lumen_deep*/*/*")
    fair = row_of(board_of(finished), "search-fetch", "lumen_deep").fairness
    replies = [
        json.loads(reply["content"]) | {"chars": len(reply["content"])}
        for _, result in stored(path)
        for step in result["trajectory"]["steps"]
        for reply in step["observation"]
    ]
    searches = [reply for reply in replies if "results" in reply]
    fetches = [reply for reply in replies if "results" not in reply]
    assert fair.hits_a_search == pytest.approx(stdlib.fmean(len(search["results"]) for search in searches))
    assert fair.chars_a_search == pytest.approx(stdlib.fmean(search["chars"] for search in searches))
    assert fair.chars_a_fetch == pytest.approx(stdlib.fmean(fetch["chars"] for fetch in fetches))
    assert (fair.facts["site_operator"], fair.facts["cache"]) == ("native", "unknown")
    assert fair.vendor["fetch"] == "native"


def test_replies_whose_length_was_not_recorded_are_unknown(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    for file in results(path):
        edit(
            file,
            lambda r: [c.update(chars=0) for c in r["meta"]["harness"]["telemetry"]["websearch"]["calls"]] and None,
        )
    fair = row_of(board_of(copied), "search-fetch", "quarry").fairness
    assert (fair.chars_a_search, fair.chars_a_fetch, fair.hits_a_search) == (None, None, None)


def test_the_funnel_adds_up_and_ends_in_the_passes(finished: Path) -> None:
    for table in board_of(finished).boards.values():
        for row in table.arms:
            assert sum(row.funnel.values()) == row.planned
            assert min(row.funnel.values()) >= 0
    row = row_of(board_of(finished), "search-fetch", "mill_fast")
    (path,) = finished.glob("mill_fast*/*/*")
    assert row.funnel["passed"] == sum(result["metrics"]["correct_published"] for _, result in stored(path))
    assert row.funnel["no_answer"] == sum(not result["final_answer"] for _, result in stored(path))


def test_policies_that_disagree_are_counted_by_their_rule(finished: Path) -> None:
    (path,) = finished.glob("mill_fast*/*/*")
    row = row_of(board_of(finished), "search-fetch", "mill_fast")
    differing = [r for _, r in stored(path) if r["metrics"]["correct_published"] != r["metrics"]["correct_official"]]
    assert differing
    assert sum(decided.attempts for decided in row.decided) == len(differing)
    assert sum(d.official_passed for d in row.decided) == sum(r["metrics"]["correct_official"] for r in differing)
    assert {d.rule for d in row.decided} == {r["meta"]["benchmark"]["scoring"]["decided_by"] for r in differing}


def test_a_run_that_gave_nothing_is_named_where_it_costs_the_rank(make_run: Make) -> None:
    refused, good = make_run(
        FictionalArm("quarry", "search-fetch", 0.8, outages=1.0), FictionalArm("quarry", "search-fetch", 0.8)
    )
    row = row_of(board_of(refused, good), "search-fetch", "quarry")
    assert row.unranked == f"36 of 72 attempts scored, none of {row.runs[0]}; a rank needs 95 %"
    assert row.runs[0].endswith(refused.name)
    alone = row_of(board_of(refused), "search-fetch", "quarry")
    assert alone.unranked == "0 of 36 attempts scored; a rank needs 95 %"


def test_a_large_gap_is_a_gap_and_a_small_one_a_tie(finished: Path) -> None:
    board = board_of(finished).boards["search-fetch"]
    assert [(arm.vendor_id, arm.group) for arm in board.arms][-1] == ("mill_fast", 2)
    assert {arm.group for arm in board.arms[:-1]} == {1}
    assert [arm.rank for arm in board.arms] == [(1, 2), (1, 2), (3, 3)]
    tie = next(pair for pair in board.pairs if "mill_fast" not in pair.a + pair.b)
    assert tie.p_holm is not None
    assert tie.p_holm > 0.05
    assert board.arms[-1].dominated == 1.0


def test_lift_is_recovered_with_search_minus_without(finished: Path) -> None:
    row = row_of(board_of(finished), "search-fetch", "quarry")
    with_search, without = (
        stdlib.fmean(result["metrics"]["recovered"] for _, result in stored(path))
        for pattern in ("quarry*/*/*", "none*/*/*")
        for path in finished.glob(pattern)
    )
    assert row.lift is not None
    assert row.lift.diff == pytest.approx(with_search - without)
    assert row.lift.baseline == "none/no-search/stand-in-1"
    assert row.lift.ci95[0] < row.lift.diff < row.lift.ci95[1]


def test_without_search_what_counts_is_recovered(finished: Path) -> None:
    board = board_of(finished).boards["no-search"]
    (row,) = board.arms
    assert board.score == "recovered"
    assert row.completion.mean == row.recovered.mean
    assert row.correct_published.mean == 0.0
    assert row.lift is None


def test_too_many_failures_take_the_rank_and_show_the_bracket(finished: Path) -> None:
    (path,) = finished.glob("skiff*/*/*")
    row = row_of(board_of(finished), "search-only", "skiff")
    scored = [result["metrics"]["correct"] for _, result in stored(path) if "correct" in result["metrics"]]
    assert row.completeness == pytest.approx(len(scored) / 36)
    assert row.bracket == pytest.approx((sum(scored) / 36, sum(scored) / len(scored)))
    assert (row.group, row.rank) == (None, None)
    assert row.unranked == f"{len(scored)} of 36 attempts scored; a rank needs 95 %"
    assert row.failures["tool_service_failed"] == 36 - len(scored)


def test_tickets_that_other_arms_have_are_missing_attempts(make_run: Make, world: World) -> None:
    short = World(world.tickets[:6], world.sites)
    whole = make_run(FictionalArm("quarry", "search-fetch", 0.8))
    half = make_run(FictionalArm("mill", "search-fetch", 0.8), world=short)
    board = board_of(*whole, *half).boards["search-fetch"]
    row = next(arm for arm in board.arms if arm.vendor_id == "mill")
    assert (board.tickets, row.tickets, row.planned, row.completeness) == (12, 6, 36, 0.5)
    assert row.funnel["not_finished"] == 18
    assert board.pairs == []


def test_tickets_that_nobody_has_come_to_are_missing_too(make_run: Make) -> None:
    board = board_of(*make_run(FictionalArm("quarry", "search-fetch", 0.8, unfinished=0.5)))
    (row,) = board.boards["search-fetch"].arms
    assert (board.boards["search-fetch"].tickets, row.planned, row.completeness) == (12, 36, 0.5)


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize(("tickets", "repeats"), [(1, 1), (1, 3), (12, 1), (12, 3)])
def test_all_pass_all_fail_one_ticket_one_repeat(
    make_run: Make, world: World, rate: float, tickets: int, repeats: int
) -> None:
    few = World(world.tickets[:tickets], world.sites)
    arms = [FictionalArm(name, "search-fetch", rate) for name in ("quarry", "mill")]
    board = board_of(*make_run(*arms, world=few, repeats=repeats))
    table = board.boards["search-fetch"]
    for row in table.arms:
        assert row.completion.mean == rate
        assert row.completion.sd == (None if repeats == 1 else 0.0)
        assert row.completion.ci95 is not None
        low, high = row.completion.ci95
        assert (low, high)[rate == 1.0] == rate
        assert high - low > (0.9 if tickets == 1 else 0.1)
        assert row.group == 1
    assert table.pairs[0].p_holm == 1.0
    assert json.loads(encode(board), parse_constant=pytest.fail)


def test_attempts_without_measures_are_unknown_never_zero(copied: Path) -> None:
    (path,) = copied.glob("quarry*/*/*")
    for file in results(path):
        edit(
            file, lambda r: [r["metrics"].pop(name) for name in ("total_tokens", "model_cost_usd", "cost_usd")] and None
        )
    row = row_of(board_of(copied), "search-fetch", "quarry")
    assert (row.median_tokens, row.median_model_usd, row.median_cost_usd, row.dominated) == (None,) * 4
    assert row.unknown == {"tokens": 36, "model_usd": 36}
    assert row.median_tool_usd is not None


@pytest.mark.parametrize(("tickets", "shares"), [(5, (None, None)), (6, (0.0, 1.0))])
def test_a_few_tickets_rule_no_arm_out(
    make_run: Make, world: World, tickets: int, shares: tuple[float | None, float | None]
) -> None:
    """An arm that is worse on five tickets of five may be so by chance."""
    arms = [
        FictionalArm("quarry", "search-fetch", 1.0, task_s=10, tokens=1_000, search_usd=0.001),
        FictionalArm("mill", "search-fetch", 0.0, task_s=90, tokens=90_000, search_usd=0.1),
    ]
    board = board_of(*make_run(*arms, world=World(world.tickets[:tickets], world.sites)))
    assert tuple(row_of(board, "search-fetch", arm.vendor_id).dominated for arm in arms) == shares


def test_nothing_scored_at_all(make_run: Make) -> None:
    board = board_of(*make_run(FictionalArm("skiff", "search-fetch", 0.5, outages=1.0)))
    (row,) = board.boards["search-fetch"].arms
    assert (row.completion.mean, row.completion.sd, row.completion.ci95) == (None, None, None)
    assert (row.bracket, row.completeness) == ((0.0, 1.0), 0.0)
    assert json.loads(encode(board), parse_constant=pytest.fail)


def test_models_are_compared_among_themselves(make_run: Make) -> None:
    arms = [FictionalArm(v, "search-fetch", 0.5, model=m) for v in ("quarry", "mill") for m in ("one", "two")]
    table = board_of(*make_run(*arms)).boards["search-fetch"]
    assert len(table.pairs) == 2
    assert [field.model for field in table.fields] == ["one", "two"]


def test_the_same_runs_give_the_same_file_and_it_reads_back(finished: Path) -> None:
    first, second = encode(board_of(finished)), encode(board_of(finished))
    assert first == second
    assert encode(decode(first)) == first
    assert set(json.loads(first)["boards"]) == {"search-fetch", "search-only", "no-search"}


def test_every_number_is_finite(finished: Path) -> None:
    def walk(value: Any) -> Iterator[float]:
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from walk(item)
        elif isinstance(value, float):
            yield value

    assert all(math.isfinite(number) for number in walk(json.loads(encode(board_of(finished)))))
