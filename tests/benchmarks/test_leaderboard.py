"""The leaderboard over the attempts of a run, and the report that the host writes with it."""

from __future__ import annotations

import json
from statistics import stdev
from types import SimpleNamespace
from typing import Any

import pytest
from agentcompass.runtime.metrics import MetricReport
from agentcompass.runtime.results.render import render_summary_markdown

from agentcompass_websearch.benchmarks.ob_code_websearch import leaderboard as leaderboard_module
from agentcompass_websearch.benchmarks.ob_code_websearch.benchmark import ObCodeWebsearchBenchmark
from agentcompass_websearch.records import CallRecord, Usage
from tests.benchmarks.support import attempt, detail, telemetry


def report(details: list[dict[str, Any]], *, k: int = 3, strategy: str = "avg", hierarchy: Any = None) -> MetricReport:
    """Aggregate as the host does, through JSON and back."""
    request: Any = SimpleNamespace(execution=SimpleNamespace(attempts=SimpleNamespace(k=k, strategy=strategy)))
    config = SimpleNamespace(aggregation_mode="micro_weighted", category_hierarchy=hierarchy)
    made = ObCodeWebsearchBenchmark().aggregate_metrics(json.loads(json.dumps(details)), request, config)
    return MetricReport.model_validate(json.loads(json.dumps(made.model_dump(mode="json"), allow_nan=False)))


def table(details: list[dict[str, Any]], **plan: Any) -> dict[str, Any]:
    found: dict[str, Any] = report(details, **plan).extra["leaderboard"]
    return found


def values(made: MetricReport) -> dict[str, float | None]:
    return {s.metric_id: s.reference_value if made.evaluation_failed else s.value for s in made.series}


def timed(seconds: float, *search_s: float, **changes: Any) -> dict[str, Any]:
    calls = tuple(
        CallRecord("c", "search", "tolvane_search", 1, n, True, service_s=s, tries=1, list_usd=0.005)
        for n, s in enumerate(search_s, 1)
    )
    return attempt(True, record=telemetry(task_s=seconds, calls=calls, tool_usd=0.005 * len(calls), **changes))


def test_completion_is_mean_and_sample_deviation_of_the_repeats() -> None:
    details = [
        detail("a", attempt(True), attempt(True), attempt(False)),
        detail("b", attempt(True), attempt(False), attempt(False)),
    ]
    got = table(details)
    assert got["completion"] == {
        "mean": pytest.approx(0.5),
        "sd": pytest.approx(stdev([1.0, 0.5, 0.0])),
        "per_repeat": [1.0, 0.5, 0.0],
    }
    assert got["correct_official"] == got["correct_published"] == got["recovered"] == got["completion"]
    assert (got["tickets"], got["repeats"], got["attempts"], got["judge"]) == (2, 3, 6, "published")
    assert (got["vendor_id"], got["board"]) == ("tolvane_search", "search-only")
    made = report(details)
    assert values(made)["board.completion.published"] == pytest.approx(0.5)
    assert next(s.value for s in made.series if s.series_id == "correct.avg@3") == pytest.approx(0.5)


def test_one_repeat_has_no_deviation() -> None:
    got = table([detail("a", attempt(True), k=1), detail("b", attempt(False), k=1)], k=1)
    assert got["completion"] == {"mean": 0.5, "sd": None, "per_repeat": [0.5]}


def test_medians_and_means_are_pooled_over_attempts() -> None:
    details = [
        detail("a", timed(1.0, 0.5), timed(2.0, 0.1, 0.3), timed(9.0), k=3),
        detail("b", timed(4.0, 0.7), timed(5.0), timed(6.0, usage=Usage(10, 0, 0, 5), model_usd=0.4), k=3),
    ]
    got = table(details)
    assert got["median_task_s"] == 4.5
    assert got["mean_search_s"] == pytest.approx((0.5 + 0.1 + 0.3 + 0.7) / 4)
    assert got["median_tokens"] == 2400
    assert got["median_model_usd"] == 0.02
    assert got["median_tool_usd"] == pytest.approx(0.0025)
    assert got["median_cost_usd"] == pytest.approx(0.0225)
    assert got["list_usd"] == {"search": 0.005, "fetch": None}
    assert got["searches"] == {"calls": 4, "all_zero": False}
    assert values(report(details))["board.cost.median"] == pytest.approx(0.0225)


def test_calls_that_were_not_charged_do_not_tell_the_list_price() -> None:
    def fetch(**call: Any) -> CallRecord:
        return CallRecord("c", "fetch", "tolvane_search", 1, 1, **{"ok": False, "tries": 1, "list_usd": 0.0} | call)

    refused, turned_away = fetch(billed=False), fetch(billed=False, tries=0)
    charged = (fetch(ok=True, list_usd=0.001), fetch(list_usd=0.001, billed=True))

    def price(*calls: CallRecord) -> Any:
        return table([detail("a", attempt(True, record=telemetry(calls=calls)), k=1)], k=1)["list_usd"]["fetch"]

    assert price(refused, turned_away, *charged) == 0.001
    assert price(refused, turned_away) is None
    assert price(fetch(ok=True, billed=False)) == 0.0, "what is free, and says so, costs nothing"


def test_what_is_unknown_is_left_out_and_counted_never_zero() -> None:
    details = [
        detail("a", timed(1.0, usage=None, model_usd=None), timed(1.0), k=2),
        detail("b", timed(1.0), timed(1.0, model_usd=0.04), k=2),
    ]
    got = table(details, k=2)
    assert got["median_model_usd"] == 0.02
    assert got["median_tokens"] == 2400
    assert got["unknown"] == {"tokens": 1, "model_usd": 1}
    blind = table([detail("a", timed(1.0, model_usd=None), k=1)], k=1)
    assert (blind["median_model_usd"], blind["median_cost_usd"], blind["mean_search_s"]) == (None, None, None)
    assert blind["median_tool_usd"] == 0.0


def test_a_fatal_attempt_voids_the_score_and_leaves_a_reference() -> None:
    details = [
        detail("a", attempt(True), attempt(True), attempt(None, fatal="tool_service_failed")),
        detail("b", attempt(True), attempt(False), attempt(True)),
    ]
    got = table(details)
    assert got["completion"] == {
        "mean": None,
        "sd": None,
        "per_repeat": None,
        "reference": {
            "mean": pytest.approx(2 / 3),
            "sd": pytest.approx(stdev([1.0, 0.0, 1.0])),
            "per_repeat": [1.0, 0.0, 1.0],
            "tickets": 1,
        },
        "why": "1 of 2 tickets have a FATAL issue or lack an attempt",
    }
    assert got["failures"] == {
        "attempts": 1,
        "codes": {"tool_service_failed": 1},
        "missing_attempts": 0,
        "vendor_failures": 0,
    }
    made = report(details)
    assert made.evaluation_failed
    assert all(series.value is None for series in made.series)
    assert values(made)["board.completion.published"] == pytest.approx(2 / 3)
    assert values(made)["board.failures"] == 1
    assert "tool_service_failed: 1 attempts" in render_summary_markdown("m", "B", made)


def test_only_fatal_attempts_leave_no_number_at_all() -> None:
    details = [detail("a", attempt(None, fatal="x"), attempt(None, fatal="x"), attempt(None, fatal="x"))]
    got = table(details)
    assert got["completion"]["reference"] == {"mean": None, "sd": None, "per_repeat": None, "tickets": 0}
    assert {row: value for row, value in values(report(details)).items() if row.startswith("board.")} == {
        row: None for row in values(report(details)) if row.startswith("board.")
    }


@pytest.mark.parametrize(
    ("attempts", "passed"),
    [([False], None), ([False, False], None), ([True], 1.0), ([None, False, False], None), ([False] * 3, 0.0)],
)
def test_too_few_attempts_are_unknown_not_success(attempts: list[bool | None], passed: float | None) -> None:
    details = [detail("a", *map(attempt, attempts)), detail("b", attempt(True), attempt(True), attempt(False))]
    made = report(details)
    (series,) = [s for s in made.series if s.series_id == "correct.pass@3"]
    assert series.value == (1.0 if passed is None else (passed + 1.0) / 2)
    assert series.counts.evaluated == (1 if passed is None else 2)
    completion = made.extra["leaderboard"]["completion"]
    if len(attempts) == 3 and None not in attempts:
        assert completion["mean"] == pytest.approx(1 / 3)
    else:
        assert completion["mean"] is None
        assert completion["reference"]["mean"] == pytest.approx(2 / 3)


def test_a_ticket_without_any_attempt_has_no_score() -> None:
    assert table([detail("a"), detail("b", *[attempt(True)] * 3)])["completion"]["reference"]["tickets"] == 1
    assert table([detail("a"), detail("b", *[attempt(True)] * 3)])["failures"]["missing_attempts"] == 3


def test_strategy_pass_has_no_repeats_to_compare() -> None:
    details = [
        detail("a", attempt(True), strategy="pass"),
        detail("b", attempt(False), attempt(False), attempt(False), strategy="pass"),
    ]
    made = report(details, strategy="pass")
    assert [s.series_id for s in made.series] == ["correct.pass@3"]
    got = made.extra["leaderboard"]
    assert got["completion"] == {"mean": None, "sd": None, "per_repeat": None}
    assert got["median_task_s"] is None
    assert "strategy pass" in got["why"]
    assert got["failures"]["missing_attempts"] == 0
    assert "why" not in table([detail("a", attempt(True), k=1, strategy="pass")], k=1, strategy="pass")


def test_mixed_fingerprints_are_reported_with_what_differs() -> None:
    other = {"ticket": "t", "model": {"id": "n"}, "vendor": {"id": "tolvane_search"}}
    details = [detail("a", attempt(True), attempt(True, fingerprint_parts=other), k=2)]
    assert table(details, k=2)["fingerprint"] == {"uniform": False, "arms": 2, "differing": ["model"]}
    made = report(details, k=2)
    assert values(made)["board.arms"] == 2
    assert "MIXED: attempts differ in model" in render_summary_markdown("m", "B", made)
    one = table([detail("a", attempt(True), k=1), detail("b", attempt(True), k=1)], k=1)
    assert one["fingerprint"] == {"uniform": True, "arms": 1, "differing": []}


def test_a_run_that_never_searched_is_flagged_unless_it_could_not() -> None:
    details = [detail("a", timed(1.0), k=1)]
    assert table(details, k=1)["searches"] == {"calls": 0, "all_zero": True}
    assert "NO ATTEMPT SEARCHED" in render_summary_markdown("m", "B", report(details, k=1))
    bare = [detail("a", timed(1.0, tools=()), k=1)]
    assert table(bare, k=1)["searches"] == {"calls": 0, "all_zero": False}
    assert table(bare, k=1)["board"] == "no-search"


def test_where_the_needles_come_from_is_said() -> None:
    details = [detail("a", attempt(True), k=1), detail("b", attempt(True, needles_origin="derived"), k=1)]
    assert table(details, k=1)["needles"] == {"origins": {"row": 1, "derived": 1}, "per_ticket": 2.0, "own": False}
    assert "not the benchmark's own" in render_summary_markdown("m", "B", report(details, k=1)).replace("&#x27;", "'")


@pytest.mark.parametrize("k", [1, 3])
def test_summary_shows_the_table_right_after_the_score(k: int) -> None:
    runs = [attempt(True), attempt(True), attempt(False)][:k]
    text = render_summary_markdown("m", "B", report([detail("a", *runs, k=k), detail("b", *runs, k=k)], k=k))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    first = next(n for n, line in enumerate(rows) if "Task completion" in line or "board.completion" in line)
    assert first <= 3
    assert ("± 0.5774 SD (repeats: 1.0000, 1.0000, 0.0000)" in rows[first]) is (k == 3)
    assert "3.00 s" in text
    assert "0.005000 USD" in text
    assert "(origin: row)" in text


def test_rows_have_a_value_of_their_own_for_each_category() -> None:
    made = report([detail("a", timed(1.0), k=1), detail("a2", timed(2.0), k=1), detail("b", timed(9.0), k=1)], k=1)
    (series,) = [s for s in made.series if s.metric_id == "board.task_time.median"]
    assert {name: part.value for name, part in series.categories.items()} == {"a": 1.5, "b": 9.0}
    assert series.value == 2.0


def test_category_hierarchies_are_supported() -> None:
    hierarchy = {"overall": {"aggregation": "unweighted", "children": {"a": {}, "b": {}}}}
    made = report([detail("a", timed(1.0), k=1), detail("b", timed(9.0), k=1)], k=1, hierarchy=hierarchy)
    (series,) = [s for s in made.series if s.metric_id == "board.task_time.median"]
    assert series.hierarchy["overall/a"].value == 1.0


def test_details_of_another_form_cost_the_leaderboard_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no table today")

    monkeypatch.setattr(leaderboard_module, "leaderboard", broken)
    made = report([detail("a", attempt(True), k=1)], k=1)
    assert made.extra["leaderboard"] == {"error": "RuntimeError: no table today"}
    assert values(made)["correct"] == 1.0


@pytest.mark.parametrize(
    "meta", [None, {}, {"harness": {"telemetry": {"websearch": {"schema": 99}}}}, {"benchmark": None}]
)
def test_attempts_without_records_still_have_a_completion(meta: Any) -> None:
    one = attempt(True) | {"meta": meta}
    got = table([detail("a", one, k=1)], k=1)
    assert got["completion"]["mean"] == 1.0
    assert got["fingerprint"] == {"uniform": None, "arms": 0, "differing": []}
    assert got["vendor_id"] is None
