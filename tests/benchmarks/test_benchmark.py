"""The benchmark's side of the host's contract: parameters, tasks, prepared tasks, and scores that never raise."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agentcompass.runtime.models import RunResult, TaskSpec, TaskStatus
from agentcompass.runtime.models.result import ExecutionIssue, IssuePhase, IssueSeverity

from agentcompass_websearch import plugins
from agentcompass_websearch.benchmarks.ob_code_websearch.benchmark import ObCodeWebsearchBenchmark
from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import BINARY
from agentcompass_websearch.benchmarks.ob_code_websearch.prompts import NEUTRAL_PROMPT, SYSTEM_PROMPTS
from agentcompass_websearch.records import to_builtins
from tests.benchmarks.support import (
    DOCS_URL,
    GOLD,
    HEADER,
    answer,
    row,
    searched,
    telemetry,
    trajectory,
    write_jsonl,
)

BENCH = ObCodeWebsearchBenchmark()
PLAN: Any = SimpleNamespace()


def request(harness: str = "coding_agent", harness_params: Any = None, **params: Any) -> Any:
    return SimpleNamespace(
        benchmark=SimpleNamespace(id=BENCH.id, params=params),
        harness=SimpleNamespace(id=harness, params=harness_params or {}),
        model=SimpleNamespace(id="m", params={"temperature": 0}, api_protocol=["anthropic", "openai-chat"]),
    )


@pytest.fixture
def task(tmp_path: Path) -> TaskSpec:
    """The task of one ticket, as it is after a resume: through JSON."""
    path = write_jsonl(tmp_path / "rows.jsonl", [row(max_searches=3)])
    (one,) = BENCH.load_tasks(request(dataset=f"file:{path}"))
    return TaskSpec.from_dict(json.loads(json.dumps(one.to_dict())))


def result(text: Any = None, *, issues: Any = (), **changes: Any) -> RunResult:
    whole: dict[str, Any] = {
        "task_id": "tolvane_01",
        "status": TaskStatus.COMPLETED,
        "final_answer": answer(GOLD) if text is None else text,
        "trajectory": trajectory(searched(DOCS_URL)),
        "telemetry": {"websearch": to_builtins(telemetry())},
        "issues": list(issues),
    }
    return RunResult(**{**whole, **changes})


async def evaluated(task: TaskSpec, one: RunResult, req: Any = None) -> RunResult:
    req = req or request()
    prepared = BENCH.prepare_evaluation(task, req, PLAN)
    return await BENCH.evaluate(task, prepared, one, req, PLAN)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"datset": "sample"}, "no parameter 'datset'; did you mean 'dataset'?"),
        ({"zzz": 1}, "known are: aggregation_mode, category_hierarchy, data_file, dataset"),
        ({"dataset": "tickets"}, "none of the known forms"),
        ({"dataset": "smaple"}, "Did you mean 'sample'?"),
        ({"dataset": "tests"}, "There is a file or folder of that name: write file:tests"),
        ({"judge": "strict"}, "must be one of: published, official"),
        ({"sample_ids": [date(2026, 1, 2)]}, "sample_ids holds 2026-01-02, which is not text: quote it"),
        ({"sample_ids": 7}, "quote it"),
        ({"docs_vendor": []}, "docs_vendor is empty"),
        ({"dataset": "sample", "revision": "v1"}, "revision belongs to a Hub dataset"),
        ({"dataset": "sample", "data_file": "d.jsonl"}, "data_file belongs to a Hub dataset"),
        ({"dataset": "a/b@v1", "revision": "v2"}, "name two revisions"),
        ({"revision": 20260102}, "quote it"),
        ({"needles_file": 7}, "quote it"),
        ({"aggregation_mode": "median"}, "is 'median', but must be one of: category_mean, micro_weighted"),
        ({"aggregation_mode": []}, "aggregation_mode is []"),
    ],
)
def test_wrong_parameters_are_value_errors(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        BENCH.build_config(request(**params))
    assert said in str(refused.value)


def test_parameters_open_nothing_and_have_the_defaults_of_the_page(tmp_path: Path) -> None:
    config = BENCH.build_config(request())
    assert (str(config.source()), config.judge) == ("hf:openbenchmarks/OB-Code-Websearch", "published")
    assert (config.sample_ids, config.docs_vendor, config.data_file) == (None, None, None)
    assert str(BENCH.build_config(request(dataset="a/b", revision="v1")).source()) == "hf:a/b@v1"
    assert BENCH.build_config(request(sample_ids="a, b")).sample_ids == ["a", "b"]
    BENCH.build_config(request(dataset=str(tmp_path / "not-there.jsonl")))


def test_needles_come_from_the_row_a_file_or_the_gold_code(tmp_path: Path) -> None:
    rows = [row(), row(task_id="b", required=None), row(task_id="c", required=None)]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    needles = tmp_path / "needles.json"
    needles.write_text(json.dumps({"b": [{"needle": HEADER}]}), encoding="utf-8")
    tasks = BENCH.load_tasks(request(dataset=str(path), needles_file=str(needles)))
    assert [t.metadata["ticket"]["needles_origin"] for t in tasks] == ["row", "file", "derived"]
    assert tasks[1].ground_truth["needles"] == [HEADER]
    needles.write_text(json.dumps({"d": [{"needle": HEADER}]}), encoding="utf-8")
    with pytest.raises(ValueError, match="ticket 'd': is not in the dataset"):
        BENCH.load_tasks(request(dataset=str(path), needles_file=str(needles)))


def test_tickets_become_tasks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    uncited = GOLD.replace("source:", "see")
    rows = [row(), row(task_id="b", vendor="quell", gold_code=uncited), row(task_id="c", vendor="quell")]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    tasks = BENCH.load_tasks(request(dataset=str(path)))
    assert [(t.task_id, t.category) for t in tasks] == [("tolvane_01", "tolvane"), ("b", "quell"), ("c", "quell")]
    assert tasks[0].ground_truth["code"] == GOLD
    assert "gold code of 1 tickets" in caplog.text
    assert [t.task_id for t in BENCH.load_tasks(request(dataset=str(path), docs_vendor="Quell"))] == ["b", "c"]
    selected = BENCH.select_tasks(tasks, request(sample_ids="c, tolvane_01"))
    assert [t.task_id for t in selected] == ["tolvane_01", "c"]
    assert BENCH.select_tasks(tasks, request()) == tasks


def test_a_failed_start_says_what_to_mind_next(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", [row(task_id="a b"), row(task_id="c d")])
    with pytest.raises(ValueError, match=r"line 1: .*\(and 1 more, below\)\. .*--reuse RUN_ID\)\n  .*line 2: "):
        BENCH.load_tasks(request(dataset=str(path)))
    with pytest.raises(ValueError, match=r"unknown sample_ids: x, y; .*--reuse RUN_ID"):
        BENCH.select_tasks([], request(sample_ids="x,y"))


def test_a_prepared_task_holds_what_the_harness_needs_and_no_gold(task: TaskSpec) -> None:
    prepared = BENCH.prepare_evaluation(task, request(), PLAN)
    assert prepared.metadata == {
        "limits": {"max_searches": 3},
        "system_prompts": SYSTEM_PROMPTS,
        "model_defaults": {"max_output_tokens": 4000},
    }
    assert prepared.input.system_prompt == NEUTRAL_PROMPT
    assert HEADER not in json.dumps([prepared.input.prompt, prepared.input.system_prompt, prepared.metadata])
    assert json.loads(json.dumps(prepared.to_dict())) == prepared.to_dict()
    plan = BENCH.build_plan(task, request(), PLAN)
    assert plan.run_timeout_seconds == 1800


async def test_an_attempt_gets_the_full_set_of_metrics(task: TaskSpec) -> None:
    scored = await evaluated(task, result())
    assert scored.status is TaskStatus.COMPLETED
    assert scored.metrics == BENCH.metric_contract.validate_observations(scored.metrics)
    assert set(scored.metrics) == set(BENCH.metric_contract.metrics)
    assert scored.metrics["correct"] is True
    assert scored.metrics["cost_usd"] == pytest.approx(0.025)
    scoring = scored.extra["scoring"]
    model = {"id": "m", "params": {"temperature": 0}, "protocol": "openai-chat"}
    assert scoring["fingerprint_parts"]["model"] == model
    assert scoring["dataset"]["source"].startswith("file:")
    assert (scored.final_answer, scored.ground_truth) == (answer(GOLD), task.ground_truth)
    json.dumps(scored.extra, allow_nan=False)


async def test_the_judge_parameter_decides(task: TaskSpec) -> None:
    scored = await evaluated(task, result(), request(judge="official"))
    assert scored.extra["scoring"]["judge"] == "official"
    assert scored.extra["scoring"]["fingerprint_parts"]["judge"]["policy"] == "official"


async def test_a_harness_failure_does_not_stop_scoring(task: TaskSpec) -> None:
    issue = ExecutionIssue(IssueSeverity.ERROR, IssuePhase.RUN, "model_empty_output", "no answer")
    scored = await evaluated(task, result("", issues=[issue]))
    assert scored.metrics["correct"] is False
    assert set(BINARY) <= set(scored.metrics)
    assert scored.extra["harness_warning"] == "no answer"
    assert (scored.status, scored.issues) == (TaskStatus.RUN_ERROR, [issue])


@pytest.mark.parametrize(
    "text", [None, 5, {"a": 1}, "\ud835", "x = '\ud835'\n```", "```python\nx = 1\x00\n```", "`" * 10**5]
)
async def test_no_answer_raises(task: TaskSpec, text: Any) -> None:
    scored = await evaluated(task, replace(result(), final_answer=text))
    assert scored.metrics["correct"] is False
    assert scored.extra["scoring"]["evaluation_status"] == "completed"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda t, r: t.metadata.pop("ticket"), "KeyError"),
        (lambda t, r: t.metadata["ticket"].pop("gold"), "gold"),
        (lambda t, r: r.telemetry.update(websearch={"schema": 99}), "schema 99"),
        (lambda t, r: r.telemetry["websearch"].update(task_s=float("nan")), "finite"),
    ],
)
async def test_a_fault_of_the_scorer_is_fatal_and_loses_no_evidence(task: TaskSpec, spoil: Any, said: str) -> None:
    one = result()
    prepared = BENCH.prepare_evaluation(task, request(), PLAN)
    spoil(task, one)
    scored = await BENCH.evaluate(task, prepared, one, request(), PLAN)
    (issue,) = scored.issues
    assert (issue.severity, issue.phase, issue.code) == ("fatal", "evaluate", "evaluation_setup_failed")
    assert said in issue.message
    assert scored.metrics == {}
    assert (scored.final_answer, scored.trajectory) == (one.final_answer, one.trajectory)
    assert scored.extra["scoring"]["evaluation_status"] == "error"
    assert "Traceback" in scored.artifacts["execution_diagnostics"]


async def test_scores_come_from_the_task_and_not_from_what_was_prepared(task: TaskSpec) -> None:
    prepared = BENCH.prepare_evaluation(task, request(), PLAN)
    masked = replace(prepared, ground_truth="********", metadata={})
    scored = await BENCH.evaluate(task, masked, result(), request(), PLAN)
    assert scored.metrics["correct"] is True


async def test_another_harness_is_measured_by_its_trajectory(task: TaskSpec) -> None:
    reply = {
        "tool_call_id": "c1",
        "name": "search",
        "content": json.dumps({"organic": [{"title": "T", "link": DOCS_URL, "snippet": "S"}]}),
    }
    one = result(trajectory=trajectory(reply), telemetry={"iterations_used": 1})
    params = {"max_iterations": 9, "serper_api_key": "secret-value"}
    scored = await evaluated(task, one, request("naive_search_agent", params))
    assert scored.metrics["correct"] is True
    assert scored.metrics["total_tokens"] == 120.0
    assert "cost_usd" not in scored.metrics
    assert scored.extra["scoring"]["evidence"] == "text"
    assert scored.extra["scoring"]["fingerprint_parts"]["harness"] == {
        "id": "naive_search_agent",
        "params": {"max_iterations": 9},
    }
    # Which of them it took is not known.
    assert scored.extra["scoring"]["fingerprint_parts"]["model"]["protocol"] == ["anthropic", "openai-chat"]
    assert "secret-value" not in json.dumps(scored.extra)


async def test_observers_see_each_scored_attempt_and_harm_none(task: TaskSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Observer:
        @plugins.hookimpl
        def websearch_attempt_scored(self, ticket: Any, verdict: Any, record: Any) -> None:
            seen.append((ticket.id, verdict.passed, record.vendor["id"]))
            raise RuntimeError("tracing is down")

    monkeypatch.setattr(plugins, "_observers", lambda: observers)
    observers: list[Any] = []
    plugins.observe(Observer())
    scored = await evaluated(task, result())
    assert seen == [("tolvane_01", True, "tolvane_search")]
    assert scored.metrics["correct"] is True


def test_the_contract_is_one_that_the_host_can_use() -> None:
    contract = BENCH.metric_contract
    assert contract.primary_metric == "correct"
    assert contract.validate_observations(BENCH.evaluation_timeout_metrics) == dict.fromkeys(BINARY, False)
    assert BENCH.description == type(BENCH).__dict__["description"]
    assert (BENCH.collect_artifacts, BENCH.parallel_attempts_safe) == (False, True)
    assert BENCH.evaluation_environment_mode == "none"
    assert BENCH.config_class.__module__.endswith(".ob_code_websearch")
