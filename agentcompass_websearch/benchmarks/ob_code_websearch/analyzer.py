"""The host's analyzer of this benchmark: says of each attempt why it failed."""

from __future__ import annotations

from typing import Any

from agentcompass.runtime import ANALYZERS, AnalysisResult, AnalyzerCategory, BaseAnalyzer, RunRequest, RunResult
from agentcompass.runtime.models.result import IssueSeverity

from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import evidence_of, tool_calls_of
from agentcompass_websearch.benchmarks.ob_code_websearch.loss import loss_of
from agentcompass_websearch.records import telemetry_of, to_builtins


@ANALYZERS.register()
class WebSearchAnalyzer(BaseAnalyzer):
    """Runs after every attempt, and again by ``agentcompass analysis``, from what is stored alone."""

    id = "WebSearchAnalyzer"
    description = (
        "Why an attempt at ob-code-websearch failed: never searched, not retrieved, retrieved but unused, uncited, "
        "ungrounded, not compiled, no answer, out of turns, or infrastructure."
    )
    category = AnalyzerCategory.ABILITY  # type: ignore[assignment]  # the host declares text, and uses this
    datasets = ["ob-code-websearch"]  # noqa: RUF012 - the host's way to declare
    distribution_fields = {  # noqa: RUF012
        "reason": "value_counts",
        "searches": "numeric_stats",
        "fetches": "numeric_stats",
    }

    async def analysis(self, task: Any, prepared: Any, result: RunResult, req: RunRequest, plan: Any) -> AnalysisResult:
        """Return the reason and the needles that say so; a bad case, with score 1, is an attempt that did not pass."""
        calls = tool_calls_of(result.trajectory, result.artifacts)
        loss = loss_of(
            result.extra.get("scoring") or {},
            telemetry_of(result.telemetry),
            evidence_of(calls, req.harness.id, result.telemetry),
            fatal=any(issue.severity is IssueSeverity.FATAL for issue in result.issues),
        )
        failed = loss.reason != "passed"
        return AnalysisResult(task_id=task.task_id, is_badcase=failed, details=to_builtins(loss), score=float(failed))
