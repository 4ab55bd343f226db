"""What an attempt took: seconds, calls, tokens and dollars, each absent where it is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import field_of, steps_of
from agentcompass_websearch.records import AttemptTelemetry, CallRecord, Evidence
from agentcompass_websearch.tools.errors import POLICY

_VENDOR_FAILURES: Final = frozenset(str(kind) for kind, policy in POLICY.items() if policy.fatal != "never")


def from_telemetry(telemetry: AttemptTelemetry) -> dict[str, float]:
    """Return the measures of an attempt by this package's harness, by metric id."""
    searches = [call for call in telemetry.calls if call.op == "search" and reached_vendor(call)]
    fetches = [call for call in telemetry.calls if call.op == "fetch" and reached_vendor(call)]
    times = [call.service_s for call in searches if call.service_s is not None]
    usage, model_usd, tool_usd = telemetry.usage, telemetry.model_usd, telemetry.tool_usd
    known = {
        "task_seconds": telemetry.task_s,
        "model_seconds": telemetry.model_s,
        "search_calls": len(searches),
        "fetch_calls": len(fetches),
        "search_seconds": sum(times) if times else None,
        "vendor_failures": sum(not c.ok and c.error_kind in _VENDOR_FAILURES for c in telemetry.calls),
        "prompt_tokens": usage.input if usage else None,
        "completion_tokens": usage.output if usage else None,
        "total_tokens": usage.total if usage else None,
        "model_cost_usd": model_usd,
        "tool_cost_usd": tool_usd,
        "cost_usd": model_usd + tool_usd if model_usd is not None and tool_usd is not None else None,
    }
    return _numbers(known)


def from_trajectory(trajectory: Any, artifacts: Any, evidence: Evidence) -> dict[str, float]:
    """Return what can be known of an attempt by another harness: from its steps, those of sub-agents included."""
    children = field_of(artifacts, "sub_agents")
    parts = [trajectory, *(field_of(c, "trajectory") for c in (children if isinstance(children, list | tuple) else ()))]
    metrics = [field_of(step, "metric") for part in parts for step in steps_of(part)]
    prompt = _total(field_of(metric, "prompt_tokens_len") for metric in metrics)
    completion = _total(field_of(metric, "completion_tokens_len") for metric in metrics)
    model_ms = _total(field_of(metric, "llm_infer_ms") for metric in metrics)
    known = {
        "task_seconds": _seconds(field_of(trajectory, "started_at"), field_of(trajectory, "finished_at")),
        "model_seconds": model_ms / 1000 if model_ms is not None else None,
        "search_calls": len(evidence.searches) if evidence.kind != "none" else None,
        "fetch_calls": len(evidence.fetches) if evidence.kind != "none" else None,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion if prompt is not None and completion is not None else None,
    }
    return _numbers(known)


def reached_vendor(call: CallRecord) -> bool:
    """Return whether a call was sent, or answered from a recording of one that was."""
    return call.tries > 0 or call.replayed


def tells_list_price(call: CallRecord) -> bool:
    """Return whether `list_usd` of a call is the price of one, not the zero of a call that was not charged."""
    return call.list_usd is not None and reached_vendor(call) and (call.ok or call.billed is not False)


def _numbers(known: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in known.items() if value is not None}


def _total(values: Iterable[Any]) -> float | None:
    """Return the sum if there are values and all of them are numbers."""
    numbers = list(values)
    if not numbers or not all(isinstance(n, int | float) and not isinstance(n, bool) and n >= 0 for n in numbers):
        return None
    return float(sum(numbers))


def _seconds(started: Any, finished: Any) -> float | None:
    try:
        begin, end = (t if isinstance(t, datetime) else datetime.fromisoformat(str(t)) for t in (started, finished))
        seconds = (end - begin).total_seconds()
    except (TypeError, ValueError):
        return None
    return seconds if seconds > 0 else None
