"""The benchmark as the host runs it: tickets to tasks, attempts to scores, scores to the leaderboard."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from agentcompass.runtime.base import BaseBenchmark, EnvironmentSession
from agentcompass.runtime.config import redact_secrets
from agentcompass.runtime.issues import diagnostic_artifacts, exception_issue, issue_message
from agentcompass.runtime.metrics import (
    AVG_REDUCER,
    NATIVE_REDUCER,
    PASS_REDUCER,
    MetricBreakdown,
    MetricContract,
    MetricDisplay,
    MetricKind,
    MetricReport,
    MetricSeries,
    MetricSpec,
    SeriesCounts,
    SeriesRole,
    aggregate_category_breakdowns,
    metric_series_id,
)
from agentcompass.runtime.metrics.report import select_value_role
from agentcompass.runtime.models import (
    BenchmarkPlan,
    EnvironmentSpec,
    ExecutionPlan,
    PreparedTask,
    RunRequest,
    RunResult,
    TaskInput,
    TaskOutput,
    TaskSpec,
)
from agentcompass.runtime.models.result import IssuePhase, IssueSeverity
from agentcompass.runtime.registry import BENCHMARKS

from agentcompass_websearch import plugins
from agentcompass_websearch.benchmarks.ob_code_websearch import leaderboard, measures, metrics, prompts, scoring
from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import evidence_of, queries_of, tool_calls_of
from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import parts_of
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import RULES_VERSION
from agentcompass_websearch.benchmarks.ob_code_websearch.leaderboard_rows import Row, rows
from agentcompass_websearch.benchmarks.ob_code_websearch.ob_code_websearch import ObCodeWebsearchConfig
from agentcompass_websearch.benchmarks.ob_code_websearch.scored import Attempt, attempts_of
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.select import by_vendor, check_known
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import (
    Ticket,
    ticket_from_builtins,
    ticket_to_builtins,
)
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.host_log import leave_out_tracebacks
from agentcompass_websearch.records import telemetry_of

TASK_TIMEOUT_S: Final = 1800.0

# The host records only loggers of its own name.
_log = logging.getLogger("agentcompass.plugins.websearch.ob_code_websearch")

leave_out_tracebacks()

_AFTER_FAILED_START: Final = (
    "Nothing was run. The host has made an empty run directory: to go on with an earlier run, name it (--reuse RUN_ID)"
)


def _spec(metric: metrics.Metric, kind: MetricKind, *, primary: bool = False) -> MetricSpec:
    return MetricSpec(
        kind=kind,
        reducers=(AVG_REDUCER, PASS_REDUCER) if metric.passes else (AVG_REDUCER,),
        primary=primary,
        role="success" if primary else "component",
        display=MetricDisplay(label=metric.label, unit=metric.unit, precision=metric.precision),
    )


@BENCHMARKS.register()
class ObCodeWebsearchBenchmark(BaseBenchmark):
    """Web search in a coding agent's work: tickets that only current vendor documentation can solve."""

    id = "ob-code-websearch"
    description = (
        "Patches small API clients against current vendor documentation, to compare web search vendors for coding "
        "agents (dataset: https://huggingface.co/datasets/openbenchmarks/OB-Code-Websearch)."
    )
    config_class = ObCodeWebsearchConfig
    collect_artifacts = False
    parallel_attempts_safe = True
    metric_contract = MetricContract(
        metrics={
            **{
                name: _spec(metric, MetricKind.BINARY_SUCCESS, primary=name == metrics.PRIMARY)
                for name, metric in metrics.BINARY.items()
            },
            **{name: _spec(metric, MetricKind.SCALAR) for name, metric in metrics.SCALAR.items()},
        }
    )
    evaluation_timeout_metrics = metrics.of_evaluation_timeout()

    def build_config(self, req: RunRequest) -> ObCodeWebsearchConfig:
        """Return the checked parameters of a request; wrong ones are a ValueError, which the host shows in one line."""
        return ObCodeWebsearchConfig.from_params(req.benchmark.params, model=req.model.id)

    def load_tasks(self, req: RunRequest) -> list[TaskSpec]:
        """Return the tickets as tasks. All that scoring needs is in the task, so that it is read once a run."""
        config = self.build_config(req)
        try:
            dataset = load(config.source(), data_file=config.data_file, needles_file=config.needles_file)
            tickets = by_vendor(dataset.tickets, config.docs_vendor)
        except UsageError as error:
            raise _failed_start(error) from None
        uncited = [ticket.id for ticket in tickets if not ticket.gold_cites]
        if uncited:
            _log.warning("The gold code of %d tickets cites not all of its needles: %s", len(uncited), uncited[:5])
        origin = {"source": dataset.source, "revision": dataset.revision}
        return [_task(ticket, origin) for ticket in tickets]

    def select_tasks(self, tasks: list[TaskSpec], req: RunRequest) -> list[TaskSpec]:
        """Return the tasks that ``sample_ids`` names, all of them if it is not set."""
        wanted = self.build_config(req).sample_ids
        if wanted is None:
            return tasks
        known = [str(task.task_id) for task in tasks]
        try:
            check_known("sample_ids", [name for name in wanted if name not in known], known)
        except UsageError as error:
            raise _failed_start(error) from None
        return [task for task in tasks if task.task_id in wanted]

    def build_plan(self, task: TaskSpec, req: RunRequest, environment: EnvironmentSpec) -> BenchmarkPlan:
        """Return the time limit of an attempt."""
        return BenchmarkPlan(run_timeout_seconds=task.run_timeout_seconds or TASK_TIMEOUT_S)

    async def prepare_task(
        self, task: TaskSpec, env: EnvironmentSession, req: RunRequest, plan: BenchmarkPlan
    ) -> PreparedTask:
        """Return what the harness is given."""
        return self.prepare_evaluation(task, req, plan)

    def prepare_evaluation(self, task: TaskSpec, req: RunRequest, plan: BenchmarkPlan) -> PreparedTask:
        """Return prompts and budgets of a task; a function of the task alone."""
        ticket = ticket_from_builtins(task.metadata["ticket"])
        prompt, system_prompt = prompts.prompts_for(ticket, req.harness.id)
        return PreparedTask(
            task_id=task.task_id,
            category=task.category,
            ground_truth=task.ground_truth,
            input=TaskInput(prompt=prompt, system_prompt=system_prompt),
            output=TaskOutput(answer=f"The complete file {ticket.outfile} in one python block."),
            metadata={
                "limits": ticket.limits.given(),
                "system_prompts": dict(prompts.SYSTEM_PROMPTS),
                "model_defaults": dict(prompts.MODEL_DEFAULTS),
            },
        )

    async def evaluate(
        self,
        task: TaskSpec,
        prepared: PreparedTask,
        result: RunResult,
        req: RunRequest,
        plan: ExecutionPlan,
        env: EnvironmentSession | None = None,
    ) -> RunResult:
        """Return `result` with its score; whatever goes wrong in here is a FATAL issue, never an exception.

        Scored from `task`: of `prepared` the host masks values when it resumes a run. A failure of the harness does not
        stop the scoring of the answer that there is.
        """
        result = replace(result, task_id=task.task_id, category=task.category, ground_truth=task.ground_truth)
        warning = issue_message(result)
        extra = {**result.extra, **({"harness_warning": warning} if warning else {})}
        try:
            scored, record = self._score(task, result, req)
        except Exception as error:  # noqa: BLE001 - the host would drop the ticket from the mean without a word
            _log.exception("Attempt at %s cannot be scored", task.task_id)
            issue = exception_issue(
                error, severity=IssueSeverity.FATAL, phase=IssuePhase.EVALUATE, code="evaluation_setup_failed"
            )
            return replace(
                result,
                metrics={},
                issues=[*result.issues, issue],
                artifacts=diagnostic_artifacts(traceback.format_exc(), result.artifacts),
                extra={**extra, "scoring": {"evaluation_status": "error", "message": issue.message}},
            )
        return replace(result, metrics=scored, extra={**extra, "scoring": record})

    def _score(
        self, task: TaskSpec, result: RunResult, req: RunRequest
    ) -> tuple[dict[str, bool | float], dict[str, Any]]:
        """Return the metrics of an attempt and its record."""
        config = self.build_config(req)
        ticket = ticket_from_builtins(task.metadata["ticket"])
        telemetry = telemetry_of(result.telemetry)
        calls = tool_calls_of(result.trajectory, result.artifacts)
        evidence = evidence_of(calls, req.harness.id, result.telemetry)
        answer = result.final_answer if isinstance(result.final_answer, str) else ""
        score = scoring.score(ticket, answer, evidence, queries_of(calls, evidence), config.judge)
        if telemetry is not None:
            taken = measures.from_telemetry(telemetry)
        else:
            taken = measures.from_trajectory(result.trajectory, result.artifacts, evidence)
        parts = parts_of(
            ticket=ticket.sha,
            prompts=prompts.PROMPT_HASH,
            judge={"policy": config.judge, "rules": RULES_VERSION},
            # The same model is prompted, and keeps its thoughts, in another way over each protocol.
            model={
                "id": req.model.id,
                "params": req.model.params,
                "protocol": telemetry.protocol if telemetry else req.model.api_protocol,
            },
            harness={"id": req.harness.id} | ({} if telemetry else {"params": redact_secrets(req.harness.params)}),
            telemetry=telemetry,
        )
        record = score.record(dataset=task.metadata["dataset"], fingerprint_parts=parts)
        observed: dict[str, bool | float] = self.metric_contract.validate_observations({**score.metrics(), **taken})
        plugins.notify("websearch_attempt_scored", ticket=ticket, verdict=score.deciding, record=telemetry)
        return observed, record

    def aggregate_metrics(self, results: list[dict[str, Any]], req: RunRequest, config: Any) -> MetricReport:
        """Return the host's report with the leaderboard: rows for summary.md, ``extra.leaderboard`` for metrics.json.

        A fault in the leaderboard costs the leaderboard, never the run's report.
        """
        report = super().aggregate_metrics(results, req, config)
        try:
            return _with_leaderboard(report, results, config.category_hierarchy)
        except Exception as error:  # noqa: BLE001 - the run is paid for
            _log.exception("The leaderboard cannot be made")
            extra = {**report.extra, "leaderboard": {"error": f"{type(error).__name__}: {error}"}}
            return report.model_copy(update={"extra": extra})


def _failed_start(error: UsageError) -> UsageError:
    """Return `error` with what to mind next: the host found it only after it had made the run's directory."""
    first, *more = str(error).split("\n")
    end = "" if first.endswith(("?", ".")) else "."
    return UsageError("\n".join([f"{first}{end} {_AFTER_FAILED_START}", *more]))


def _task(ticket: Ticket, origin: dict[str, Any]) -> TaskSpec:
    return TaskSpec(
        task_id=ticket.id,
        question=ticket.text,
        category=ticket.category,
        ground_truth={"code": ticket.gold, "needles": [needle.text for needle in ticket.needles]},
        metadata={"ticket": ticket_to_builtins(ticket), "dataset": origin},
    )


def _with_leaderboard(report: MetricReport, results: Sequence[dict[str, Any]], hierarchy: Any) -> MetricReport:
    attempts = attempts_of(results)
    tickets = [str(detail["task_id"]) for detail in results]
    table = leaderboard.leaderboard(attempts, tickets, k=report.k, strategy=report.strategy)
    series = list(report.series)
    if "why" not in table:
        headline = [item for item in series if item.role == SeriesRole.HEADLINE]
        added = [_series(row, report, attempts, hierarchy) for row in rows(attempts, table)]
        series = [*headline, *added, *(item for item in series if item not in headline)]
    return MetricReport.model_validate(
        {
            **report.model_dump(mode="python"),
            "series": [item.model_dump(mode="python") for item in series],
            "extra": {**report.extra, "leaderboard": table},
        }
    )


def _series(row: Row, report: MetricReport, attempts: Sequence[Attempt], hierarchy: Any) -> MetricSeries:
    """Return a leaderboard row as a series of the report, with a value of its own for each category."""
    template = report.series[0]
    void = {attempt.ticket for attempt in attempts if attempt.fatal}
    categories = {
        name: _breakdown(row, [a for a in attempts if a.category == name], void, part.counts)
        for name, part in template.categories.items()
    }
    whole = _breakdown(row, attempts, void, template.counts)
    reducer = NATIVE_REDUCER if report.k == 1 else AVG_REDUCER
    series = MetricSeries(
        series_id=metric_series_id(row.id, reducer, report.k),
        metric_id=row.id,
        kind=MetricKind.SCALAR,
        reducer=reducer,
        role=SeriesRole.AUXILIARY,
        aggregation="benchmark",
        display=MetricDisplay(label=row.label, unit=row.unit, precision=row.precision),
        k=report.k,
        value=whole.value,
        counts=whole.counts,
        categories=categories,
        hierarchy=aggregate_category_breakdowns(categories, hierarchy)[1],
    )
    return select_value_role(series, evaluation_failed=report.evaluation_failed)


def _breakdown(row: Row, attempts: Sequence[Attempt], void: set[str], counts: SeriesCounts) -> MetricBreakdown:
    valid = [attempt for attempt in attempts if attempt.ticket not in void]
    evaluated = len({attempt.ticket for attempt in valid if row.values(attempt)})
    return MetricBreakdown(
        value=row.value(attempts if row.voided else valid) if evaluated else None,
        counts=SeriesCounts(
            total=counts.total,
            evaluated=evaluated,
            error=counts.error,
            unavailable=counts.total - evaluated - counts.invalidated,
            invalidated=counts.invalidated,
        ),
        aggregation_weight=float(evaluated),
    )
