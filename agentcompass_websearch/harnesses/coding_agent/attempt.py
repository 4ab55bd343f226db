"""One attempt at one task, from its prompt to its end, with all that is to be known of it at any moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from agentcompass_websearch import plugins
from agentcompass_websearch.harnesses.coding_agent.budget import CostCapReached
from agentcompass_websearch.harnesses.coding_agent.limits import Deadline, effective_limits
from agentcompass_websearch.harnesses.coding_agent.loop import Answer, run_agent
from agentcompass_websearch.harnesses.coding_agent.prompts import system_prompt
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import ModelFailure
from agentcompass_websearch.harnesses.coding_agent.run import Run
from agentcompass_websearch.harnesses.coding_agent.session import Opening
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import tool_schemas
from agentcompass_websearch.harnesses.coding_agent.toolbox import Toolbox, VendorUnavailable
from agentcompass_websearch.harnesses.coding_agent.transcript import Transcript
from agentcompass_websearch.records import AttemptTelemetry, CallRecord, Stop
from agentcompass_websearch.text import Redactor, clean


@dataclass(frozen=True, slots=True)
class Task:
    """What an attempt is to do. `metadata` is the benchmark's; from it come limits, prompts and model defaults."""

    prompt: str
    system_prompt: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that went wrong, in the host's terms: how severe, its code, one line."""

    severity: Literal["fatal", "error", "warning"]
    code: str
    message: str


_LEAST_SECRET_CHARS: Final = 12

_ISSUE_OF_STOP: Final[Mapping[Stop, Issue]] = {
    "empty_answer": Issue("error", "model_empty_output", "the model gave an empty answer"),
    "max_turns": Issue("error", "harness_max_iterations", "the model used all its turns without an answer"),
    "deadline": Issue("error", "harness_timeout", "time was up before the model gave an answer"),
}


class Attempt:
    """One attempt. `execute` runs it; `answer`, `stop`, `transcript` and `telemetry` can be read at any moment.

    Args:
        run: what it shares with the other attempts.
        task: what it is to do.
        model_key: the key for the model server.
        timeout_s: how long it may take; None for no limit.
    """

    def __init__(self, run: Run, task: Task, *, model_key: str, timeout_s: float | None) -> None:
        self._run = run
        self._task = task
        self._model_key = model_key
        self._timeout_s = timeout_s
        self._redactor = Redactor(filter(_is_secret, [model_key, *run.secrets]))
        self._client = run.vendor_client()
        self._limits = effective_limits(run.limits, task.metadata.get("limits"), run.arm.tools)
        self._toolbox = Toolbox(
            run.arm,
            self._client,
            self._limits,
            tidy=self._tidy,
            breaker=run.vendor_breaker,
            cap=run.cap,
            on_call=_tell_observers,
            model_breaker=run.endpoint.breaker,
        )
        self.system = clean(system_prompt(run.arm.board, task.metadata.get("system_prompts"), task.system_prompt))
        self.transcript = Transcript()
        self.stop: Stop = "cancelled"
        self.answer = ""

    async def execute(self) -> tuple[Issue, ...]:
        """Run the attempt to its end and return what went wrong; the worst comes first."""
        issues = []
        try:
            end = await self._run_agent()
            self.answer, self.stop = end.text, end.stop
            if end.stop in _ISSUE_OF_STOP:
                issues.append(_ISSUE_OF_STOP[end.stop])
        except ModelFailure as failure:
            self.stop = "model_error"
            issues.append(Issue(failure.severity, failure.code, str(failure)))
        except VendorUnavailable as failure:
            self.stop = "vendor_error"
            issues.append(Issue("fatal", "tool_service_failed", str(failure)))
        except CostCapReached as failure:
            self.stop = "budget"
            issues.append(Issue("fatal", "budget_exhausted", str(failure)))
        if self.stop != "vendor_error" and self._toolbox.failures:
            issues.append(Issue("warning", "tool_service_failed", self._observed_failures()))
        return tuple(issues)

    def telemetry(self) -> AttemptTelemetry:
        """Return the record of the attempt so far."""
        transcript = self.transcript
        model_calls = transcript.model_calls
        calls = self._toolbox.records
        return AttemptTelemetry(
            vendor=self._run.arm.record(self._client.fingerprint),
            limits=self._limits.record(),
            tools=self._run.arm.tools,
            calls=calls,
            model_calls=model_calls,
            usage=transcript.usage,
            stop=self.stop,
            turns=len(transcript.steps),
            task_s=max(0.0, transcript.elapsed_s - self._toolbox.queue_s - transcript.queue_s),
            model_s=sum(call.seconds for call in model_calls),
            model_usd=_sum([*(call.usd for call in model_calls), transcript.besides.usd]),
            tool_usd=_sum([call.list_usd for call in calls]),
            notes=tuple(transcript.notes),
            facts=self._run.arm.facts(),
            protocol=self._run.protocol,
        )

    async def _run_agent(self) -> Answer:
        run, arm = self._run, self._run.arm
        if run.vendor_breaker.is_open:
            raise VendorUnavailable(f"vendor {run.vendor_breaker.message}")
        prompt = clean(self._task.prompt)
        session = await run.server.open(
            Opening(
                system=self.system,
                prompt=prompt,
                tools=tool_schemas(arm.tools, arm.tool_names),
                params=run.params,
                default_output_tokens=_output_tokens(self._task.metadata),
                tidy=self._tidy,
                api_key=self._model_key,
            )
        )
        self.transcript = Transcript()
        try:
            return await run_agent(
                session,
                self._toolbox,
                self._limits,
                deadline=Deadline.after(self._timeout_s),
                transcript=self.transcript,
                prompt=prompt,
            )
        finally:
            self.transcript.besides = session.besides
            self.transcript.end()

    def _tidy(self, text: str) -> str:
        return self._redactor.scrub(clean(text))

    def _observed_failures(self) -> str:
        kinds = Counter(error.kind.value for error in self._toolbox.failures)
        told = ", ".join(f"{kind} x {count}" for kind, count in sorted(kinds.items()))
        return f"{self._run.arm.vendor_id} failed in {len(self._toolbox.failures)} calls ({told}); the model was told"


def _is_secret(key: str) -> bool:
    """Whether a key is one: servers that need none are given words like ``ollama``, which pages may well hold."""
    return len(key) >= _LEAST_SECRET_CHARS or any(char.isdigit() for char in key)


def _output_tokens(metadata: Mapping[str, Any]) -> int | None:
    defaults = metadata.get("model_defaults")
    limit = defaults.get("max_output_tokens") if isinstance(defaults, Mapping) else None
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _tell_observers(call: CallRecord) -> None:
    plugins.notify("websearch_tool_called", call=call)
