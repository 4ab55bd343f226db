"""The harness ``coding_agent`` as the host sees it: preflight, sessions, results. All else is free of the host."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from agentcompass.errors import StageFailure
from agentcompass.runtime import (
    HARNESSES,
    AssistantContent,
    BaseHarness,
    EnvironmentSession,
    EnvironmentSpec,
    HarnessPlan,
    ModelSpec,
    PreparedTask,
    RunRequest,
    RunResult,
    StepInfo,
    TaskStatus,
    Trajectory,
    TrajMetric,
)
from agentcompass.runtime.llm import select_api_protocol
from agentcompass.runtime.models.result import ExecutionIssue, IssuePhase, IssueSeverity

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.arm import Arm, Caps, resolve_arm
from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Issue, Task
from agentcompass_websearch.harnesses.coding_agent.config import CodingAgentConfig
from agentcompass_websearch.harnesses.coding_agent.model import checked_params, key_to_send, server_url
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.harnesses.coding_agent.protocols.params import request_params
from agentcompass_websearch.harnesses.coding_agent.run import Run, check_cost_cap
from agentcompass_websearch.harnesses.coding_agent.transcript import Step, Transcript
from agentcompass_websearch.host_log import leave_out_tracebacks
from agentcompass_websearch.records import Usage, to_builtins

_log: Final = logging.getLogger("agentcompass.plugins.websearch.coding_agent")
_ENVIRONMENT: Final = "host_process"

leave_out_tracebacks()


@dataclass(slots=True)
class CodingAgentPlan(HarnessPlan):
    """What an attempt is planned with; the host puts the attempt's time limit into `timeout`."""

    config: CodingAgentConfig = field(kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)


@dataclass(slots=True)
class Session:
    """An attempt from its start to the collection of its result."""

    run: Run
    model_key: str = field(repr=False)
    attempt: Attempt | None = None


@HARNESSES.register()
class CodingAgentHarness(BaseHarness):
    """A turn-limited agent that answers a task with web_search and web_fetch of one vendor."""

    id = "coding_agent"
    description = "Turn-limited agent with web_search and web_fetch of any search vendor, for comparing vendors."
    config_class = CodingAgentConfig
    plan_class = CodingAgentPlan
    parallel_attempts_safe = True
    default_run_timeout_seconds = 1800.0

    def __init__(self) -> None:
        self._run: Run | None = None
        self._warned = False
        self._told: set[str] = set()

    def supports(self, environment: EnvironmentSpec, model: ModelSpec) -> bool:
        """Return whether attempts can run there; the model's protocol is checked too."""
        if model.api_protocols:
            _protocol(model)
        return bool(environment.id == _ENVIRONMENT)

    def build_config(self, req: RunRequest) -> CodingAgentConfig:
        """Check all parameters before anything is written or spent.

        Raises:
            UsageError: a parameter, the vendor, a key, or a model parameter is wrong or missing.
        """
        config = super().build_config(req)
        if not isinstance(config, CodingAgentConfig):
            raise UsageError("harnesses.coding_agent cannot be read")
        arm = _arm(config)
        checked_params(req.model.params)
        server_url(req.model.base_url, _protocol(req.model))
        key_to_send(req.model.raw_api_key, req.model.base_url, _protocol(req.model))
        if config.max_cost_usd is not None:
            check_cost_cap(arm, _prices(config, req.model))
        if req.execution.max_retries == 0 and not self._warned:
            self._warned = True
            _log.warning(
                "max_retries is 0: one failure of model server or vendor leaves the whole run without an official "
                "score; set --max-retries 2"
            )
        return config

    def build_plan(self, req: RunRequest, environment: EnvironmentSpec) -> CodingAgentPlan:
        """Plan one attempt."""
        config = self.build_config(req)
        return CodingAgentPlan(config.inject_network_restriction_notice, config=config)

    async def start_session(self, env: EnvironmentSession, req: RunRequest, plan: HarnessPlan) -> Session:
        """Open the vendor and the model server with the first attempt of the run, and take the attempt's key."""
        if self._run is None:
            self._run = _open_run(_own(plan).config, req.model)
        # With --wrap-api-key the key belongs to the session, and can be read only here.
        return Session(self._run, key_to_send(req.model.api_key, req.model.base_url, _protocol(req.model)))

    async def execute_task(
        self, session: Session, prepared: PreparedTask, req: RunRequest, plan: HarnessPlan
    ) -> RunResult:
        """Run the attempt.

        Raises:
            StageFailure: it ended with a fatal issue; the evidence so far comes with it.
        """
        _refuse_other_input(prepared)
        task = Task(prepared.input.prompt, prepared.input.system_prompt, prepared.metadata)
        session.attempt = Attempt(session.run, task, model_key=session.model_key, timeout_s=_own(plan).timeout)
        issues = await session.attempt.execute()
        fatal = next((issue for issue in issues if issue.severity == "fatal"), None)
        result = _result(prepared, session.attempt, [issue for issue in issues if issue is not fatal])
        if fatal:
            self._tell(prepared.task_id, fatal)
            raise StageFailure(_host_issue(fatal), result)
        return result

    async def collect_result(
        self, session: Session, prepared: PreparedTask, req: RunRequest, plan: HarnessPlan, result: RunResult
    ) -> RunResult:
        """Add what an attempt had reached when the host stopped it."""
        if result.trajectory is not None or session.attempt is None:
            return result
        partial = _result(prepared, session.attempt, ())
        return replace(
            result,
            trajectory=partial.trajectory,
            final_answer=result.final_answer or partial.final_answer,
            telemetry=partial.telemetry | result.telemetry,
        )

    def _tell(self, task_id: str, issue: Issue) -> None:
        """Log why an attempt is void, each reason once a run: the host says only that some attempts are."""
        if not any(told in issue.message for told in self._told):
            self._told.add(issue.message)
            _log.error("%s is void (%s): %s", task_id, issue.code, issue.message)


def _own(plan: HarnessPlan) -> CodingAgentPlan:
    if not isinstance(plan, CodingAgentPlan):
        raise TypeError(f"coding_agent was given a plan of type {type(plan).__name__}")
    return plan


def _arm(config: CodingAgentConfig) -> Arm:
    return resolve_arm(
        config.vendor,
        api_key=config.vendor_api_key,
        options=config.vendor_options,
        tools=config.tools,
        caps=Caps(config.max_results, config.snippet_chars, config.fetch_chars),
        own_prices=config.vendor_price,
        tool_names=config.tool_names,
        on_failure=config.vendor_failure,
        concurrency=config.vendor_concurrency,
        rate_per_s=config.vendor_rate_per_s,
        fetch_api_key=config.fetch_api_key,
    )


def _prices(config: CodingAgentConfig, model: ModelSpec) -> ModelPrices:
    url = server_url(model.base_url, _protocol(model))
    return ModelPrices(model.id, url, config.model_price, params=request_params(model.params))


def _protocol(model: ModelSpec) -> str:
    """Return the protocol to speak: the first of the user's that we can, Chat Completions where there is none."""
    return str(select_api_protocol(model.api_protocol, list(SERVERS), component=CodingAgentHarness.id))


def _open_run(config: CodingAgentConfig, model: ModelSpec) -> Run:
    prices = _prices(config, model)
    # Loading published prices takes a moment, which must not count as time of an attempt; one without is told of now.
    prices.cost_usd(Usage(input=1, output=1))
    return Run(
        _arm(config),
        protocol=_protocol(model),
        model_id=model.id,
        base_url=server_url(model.base_url, _protocol(model)),
        params=checked_params(model.params),
        limits={"max_turns": config.max_turns, "max_searches": config.max_searches, "max_fetches": config.max_fetches},
        prices=prices,
        max_cost_usd=config.max_cost_usd,
        model_secret=model.raw_api_key,
    )


def _refuse_other_input(prepared: PreparedTask) -> None:
    task_input = prepared.input
    given = [name for name in ("media", "files", "messages") if getattr(task_input, name)]
    problem = f"a task with {' and '.join(given)}" if given else ""
    if not isinstance(task_input.prompt, str) or not task_input.prompt.strip():
        problem = "a task without a text prompt"
    if problem:
        message = f"coding_agent answers text tasks; this is {problem}"
        raise StageFailure(ExecutionIssue(IssueSeverity.FATAL, IssuePhase.SETUP, "input_unsupported", message))


def _result(prepared: PreparedTask, attempt: Attempt, issues: Sequence[Issue]) -> RunResult:
    return RunResult(
        task_id=prepared.task_id,
        status=TaskStatus.COMPLETED,
        category=prepared.category,
        final_answer=attempt.answer,
        trajectory=_trajectory(attempt.transcript, attempt.system),
        issues=[_host_issue(issue) for issue in issues],
        telemetry={"websearch": to_builtins(attempt.telemetry())},
    )


def _host_issue(issue: Issue) -> ExecutionIssue:
    return ExecutionIssue(IssueSeverity(issue.severity), IssuePhase.RUN, issue.code, issue.message)


def _trajectory(transcript: Transcript, system: str) -> Trajectory:
    return Trajectory(
        steps=[_step(step, system if step.number == 1 else "") for step in transcript.steps],
        started_at=transcript.started_at,
        finished_at=transcript.finished_at,
    )


def _step(step: Step, system: str) -> StepInfo:
    turn = step.turn
    calls = [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments.text},
        }
        for call in turn.calls
    ]
    return StepInfo(
        step_id=step.number,
        system_prompt=system,
        user_content=step.said,
        tools=[{"name": call.name, "arguments": call.arguments.text} for call in turn.calls],
        assistant_content=AssistantContent(turn.text, turn.reasoning, calls),
        observation=_observation(step),
        metric=TrajMetric(
            prompt_tokens_len=turn.usage.input if turn.usage else None,
            completion_tokens_len=turn.usage.output if turn.usage else None,
            llm_infer_ms=round(1000 * turn.seconds, 2),
            env_action_ms=None if step.tools_s is None else round(1000 * step.tools_s, 2),
            stop_reason=turn.stop or None,
        ),
        started_at=step.started_at,
        finished_at=step.finished_at,
    )


def _observation(step: Step) -> list[Any]:
    return [{"tool_call_id": reply.call_id, "name": reply.name, "content": reply.content} for reply in step.replies]
