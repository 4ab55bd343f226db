"""The harness inside the real host: preflight, whole runs, each kind of failure, and what is written to disk."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent import limits
from agentcompass_websearch.records import evidence_from_observations, telemetry_of
from agentcompass_websearch.tools.contract import ErrorKind, Mode, Vendor
from tests.support.fake_model import HANGS, FakeModel, Reply, call, calls, fails, says
from tests.support.fake_vendor import FakeClient, acme, failing

MODEL_KEY = "canary-model-key-0123456789"
VENDOR_KEY = "canary-vendor-key-0123456789"
SEARCH = call("web_search", {"query": "acme"})

TASKS: dict[str, dict[str, Any]] = {}
"""The tasks of the probe benchmark, by id: their metadata. Each test sets its own."""


@pytest.fixture(scope="module")
def host() -> Callable[[list[str]], int]:
    """The host's command line in this process, with a benchmark whose answer is right if it is ``done``."""
    from agentcompass.cli.main import main
    from agentcompass.runtime import BaseBenchmark, PreparedTask, RunResult, TaskSpec
    from agentcompass.runtime.metrics import make_metric_contract
    from agentcompass.runtime.models.task import TaskInput, TaskOutput
    from agentcompass.runtime.registry import BENCHMARKS, HARNESSES, load_builtin_components

    load_builtin_components()
    assert "coding_agent" in HARNESSES.names()

    @BENCHMARKS.register()
    class Probe(BaseBenchmark):
        id = "websearch-probe"
        description = "Tasks that tests set."
        collect_artifacts = False
        parallel_attempts_safe = True
        metric_contract = make_metric_contract(primary="correct", binary=("correct",), scalar=())

        def load_tasks(self, req: Any) -> list[TaskSpec]:
            return [TaskSpec(name, f"Task {name}", "all", "done", metadata) for name, metadata in TASKS.items()]

        async def prepare_task(self, task: TaskSpec, env: Any, req: Any, plan: Any) -> PreparedTask:
            task_input = TaskInput(prompt=task.question, system_prompt="Be good.")
            return PreparedTask(task.task_id, task.category, "done", task_input, TaskOutput(), task.metadata)

        async def evaluate(
            self, task: TaskSpec, prepared: PreparedTask, result: RunResult, req: Any, plan: Any, env: Any = None
        ) -> RunResult:
            result.metrics = {"correct": result.final_answer == "done"}
            return result

    return main


@pytest.fixture(autouse=True)
def _acme(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make ``acme`` the installed vendor, with its key in the environment."""
    monkeypatch.setenv("ACME_API_KEY", VENDOR_KEY)
    use_client(monkeypatch, FakeClient())
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    TASKS.clear()


def use_client(monkeypatch: pytest.MonkeyPatch, client: FakeClient) -> None:
    vendor = acme(client, key_vars=("ACME_API_KEY",), options={"base_url": "where", "depth": "how deep"})

    def resolve(vendor_id: str) -> tuple[Vendor, Mode]:
        if vendor_id == "none":
            from agentcompass_websearch.tools.vendors.none import websearch_vendor

            nothing: Vendor = websearch_vendor()
            return nothing, nothing.modes[""]
        if not vendor_id.startswith("acme"):
            raise UsageError(f"unknown vendor {vendor_id!r}.")
        return vendor, vendor.modes["basic"]

    monkeypatch.setattr(plugins, "resolve", resolve)
    monkeypatch.setattr(plugins, "all_vendors", lambda: ([vendor], []))


class HostRun:
    """One run of the host, and what it left."""

    def __init__(self, main: Callable[[list[str]], int], folder: Path) -> None:
        self._main = main
        self.folder = folder / "results"

    def __call__(self, model: FakeModel | str, *more: str, **params: Any) -> int:
        """Return the exit code; a traceback at the end of a run counts as 1, as the interpreter does."""
        url = model if isinstance(model, str) else model.base_url
        harness_params = json.dumps({"vendor": "acme", **params})
        words = ["run", "websearch-probe", "coding_agent", "m", "--model-base-url", url, "--model-api-key", MODEL_KEY]
        words += ["--results-dir", str(self.folder), "--harness-params", harness_params, "--progress", "none", *more]
        try:
            return self._main(words)
        except RuntimeError:
            return 1

    def result(self, task: str = "a", attempt: int = 1) -> dict[str, Any]:
        (path,) = self.folder.glob(f"*/*/details/*/{task}--*/attempt-{attempt}/result.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def issue(self, task: str = "a") -> tuple[str, str]:
        found = self.result(task)["issues"][0]
        return found["severity"], found["code"]

    def telemetry(self, task: str = "a", attempt: int = 1) -> Any:
        return telemetry_of(self.result(task, attempt)["meta"]["harness"]["telemetry"])

    @property
    def written(self) -> str:
        return "\n".join(p.read_text(encoding="utf-8") for p in self.folder.rglob("*") if p.is_file())


@pytest.fixture
def host_run(host: Callable[[list[str]], int], tmp_path: Path) -> HostRun:
    """Return a run of the host into an empty folder."""
    return HostRun(host, tmp_path)


def by_task(replies: dict[str, Callable[[int], Reply]]) -> Callable[[dict[str, Any]], Reply]:
    """Make a model that does with each task, at its n-th turn, what stands there."""

    def reply(body: dict[str, Any]) -> Reply:
        task = body["messages"][1]["content"].split()[1]
        return replies[task](1 + sum(m["role"] == "assistant" for m in body["messages"]))

    return reply


@pytest.mark.parametrize(
    ("params", "more", "words"),
    [
        ({"vendor": "acmo"}, [], "unknown vendor 'acmo'"),
        ({"vendor": "other"}, [], "Vendors: acme. Keys set: ACME_API_KEY"),
        ({"vendor_api_key": "${NOT_SET_ANYWHERE}"}, [], "set ACME_API_KEY"),
        ({"vendor_options": {"dept": 1}}, [], "did you mean 'depth'"),
        ({"max_turn": 3}, [], "Did you mean 'max_turns'?"),
        ({"max_searches": -1}, [], "max_searches is -1"),
        ({"tools": "web_search"}, [], "tools must be a list"),
        ({"vendor": "none", "tools": ["web_search"]}, [], "has no tools"),
        ({"max_cost_usd": 1}, [], "set model_price"),
        ({}, ["--model-params", '{"stream": true}'], "model parameter 'stream'"),
        ({}, ["--model-api-protocol", "openai-realtime"], "unsupported model api_protocol"),
    ],
)
def test_preflight_refuses_with_one_line_and_writes_and_spends_nothing(
    host_run: HostRun,
    capsys: pytest.CaptureFixture[str],
    params: dict[str, Any],
    more: list[str],
    words: str,
) -> None:
    TASKS["a"] = {}
    with FakeModel() as model:
        assert host_run(model, *more, **params) == 2
    error = capsys.readouterr().err
    last_line = error.strip().splitlines()[-1]
    assert last_line.startswith("Error: ")
    assert words in last_line
    assert VENDOR_KEY not in error
    assert not host_run.folder.exists()
    assert model.requests == []


def test_preflight_refuses_an_address_that_is_none(host_run: HostRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert host_run("127.0.0.1:8000") == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("Error: --model-base-url is no http(s) URL")
    assert not host_run.folder.exists()


def test_a_whole_run(host_run: HostRun, capsys: pytest.CaptureFixture[str]) -> None:
    TASKS.update(a={"limits": {"max_searches": 2}}, b={})
    reply = by_task(
        dict.fromkeys("ab", lambda turn: calls(SEARCH, reasoning_content="hm") if turn == 1 else says("done"))
    )
    with FakeModel(then=reply, strict=True) as model:
        code = host_run(model, "--k", "2", model_price={"input": 1, "output": 10}, vendor_options={"depth": 1})
    assert code == 0
    assert len(model.requests) == 8
    error = capsys.readouterr().err
    assert error.count("set --max-retries 2") == 1

    result = host_run.result("a", 2)
    assert (result["status"], result["final_answer"], result["metrics"]) == ("completed", "done", {"correct": True})
    first, last = result["trajectory"]["steps"]
    assert (first["step_id"], first["system_prompt"], first["user_content"]) == (1, "Be good.", "Task a")
    assert first["assistant_content"]["reasoning_content"] == "hm"
    function = {"name": "web_search", "arguments": '{"query": "acme"}'}
    assert first["assistant_content"]["tool_calls"] == [{"id": "c1", "type": "function", "function": function}]
    assert first["tools"] == [function]
    assert first["metric"]["stop_reason"] == "tool_calls"
    assert first["metric"]["env_action_ms"] >= 0
    assert (first["metric"]["prompt_tokens_len"], first["metric"]["completion_tokens_len"]) == (10, 5)
    assert last["metric"]["env_action_ms"] is None
    assert (last["assistant_content"]["content"], last["assistant_content"]["tool_calls"]) == ("done", [])
    assert "+00:00" in first["started_at"]
    evidence = evidence_from_observations(first["observation"])
    assert [hit.url for hit in evidence.searches[0].hits] == ["https://docs.acme.example/acme"]

    telemetry = host_run.telemetry("a", 2)
    assert telemetry.limits == {"max_turns": 32, "max_searches": 2, "max_fetches": 5}
    assert telemetry.vendor["options"] == {"depth": 1}
    assert (telemetry.stop, telemetry.turns, telemetry.tools) == ("answer", 2, ("web_search", "web_fetch"))
    assert telemetry.model_usd == pytest.approx(120e-6)
    assert telemetry.calls[0].ok
    assert host_run.telemetry("b").limits["max_searches"] == 5
    for secret in (MODEL_KEY, VENDOR_KEY):
        assert secret not in host_run.written + error


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("openai-chat", "/v1/chat/completions"),
        ("openai-responses", "/v1/responses"),
        ("anthropic", "/v1/messages"),
        ('["anthropic", "openai-chat"]', "/v1/messages"),
        ("auto", "/v1/chat/completions"),
    ],
)
def test_the_protocol_is_the_one_that_was_asked_for(host_run: HostRun, asked: str, path: str) -> None:
    TASKS["a"] = {"model_defaults": {"max_output_tokens": 4000}}
    with FakeModel(calls(SEARCH, reasoning_content="hm"), says("done"), strict=True) as model:
        words = ["--model-api-protocol", asked, "--model-params", '{"top_p": 1}']
        code = host_run(model, *words, model_price={"input": 1, "output": 10})
    assert code == 0
    assert [request.path for request in model.requests] == [path] * 2
    result = host_run.result()
    assert (result["status"], result["metrics"]) == ("completed", {"correct": True})
    first, last = result["trajectory"]["steps"]
    assert first["assistant_content"]["reasoning_content"] == "hm"
    function = {"name": "web_search", "arguments": '{"query": "acme"}'}
    assert first["assistant_content"]["tool_calls"] == [{"id": "c1", "type": "function", "function": function}]
    assert last["metric"]["stop_reason"] in ("stop", "end_turn")
    assert host_run.telemetry().model_usd == pytest.approx(120e-6)
    assert MODEL_KEY not in host_run.written


def test_a_setting_that_the_model_refuses_ends_the_run(host_run: HostRun) -> None:
    TASKS.update({name: {} for name in "abc"})
    refusal = fails(400, "Unsupported parameter: 'temperature' is not supported with this model.", None, "temperature")
    with FakeModel(then=refusal) as model:
        assert host_run(model, "--task-concurrency", "1", "--model-params", '{"temperature": 0}') == 1
    assert len(model.requests) == 1
    assert {host_run.issue(name) for name in "abc"} == {("fatal", "model_access_failed")}
    assert "parameter 'temperature' refused" in host_run.result("a")["issues"][0]["message"]


def test_what_the_model_does_wrong_is_scored_and_leaves_its_trace(
    host_run: HostRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_ANSWER_SHARE", 0.5)
    TASKS.update(turns={"limits": {"max_turns": 2}}, empty={}, late={}, refused={}, good={})
    behaviour: dict[str, Callable[[int], Reply]] = {
        "turns": lambda turn: calls(SEARCH),
        "empty": lambda turn: calls(SEARCH) if turn == 1 else says(""),
        "late": lambda turn: calls(SEARCH) if turn == 1 else HANGS,
        "refused": lambda turn: calls(SEARCH) if turn == 1 else fails(400, "too long", "context_length_exceeded"),
        "good": lambda turn: says("done"),
    }
    with FakeModel(then=by_task(behaviour)) as model:
        code = host_run(model, "--execution-params", '{"run_timeout_seconds": 2.0}')
    assert code == 0
    assert {task: host_run.issue(task) for task in behaviour if task != "good"} == {
        "turns": ("error", "harness_max_iterations"),
        "empty": ("error", "model_empty_output"),
        "late": ("error", "harness_timeout"),
        "refused": ("error", "model_invalid_output"),
    }
    for task in behaviour:
        result = host_run.result(task)
        assert result["metrics"] == {"correct": task == "good"}
        assert result["trajectory"]["steps"]
    assert host_run.telemetry("late").stop == "deadline"
    assert len(host_run.telemetry("late").calls) == 1


def test_a_wrong_model_key_is_fatal_and_stops_all_further_calls(
    host_run: HostRun, capsys: pytest.CaptureFixture[str]
) -> None:
    TASKS.update({name: {} for name in "abcd"})
    with FakeModel(then=fails(401, f"Incorrect API key provided: {MODEL_KEY}")) as model:
        assert host_run(model, "--task-concurrency", "1") == 1
    assert len(model.requests) == 1
    assert {host_run.issue(name) for name in "abcd"} == {("fatal", "model_access_failed")}
    assert "not asked again" in host_run.result("d")["issues"][0]["message"]
    assert MODEL_KEY not in host_run.written + capsys.readouterr().err


def test_the_next_run_knows_nothing_of_a_refusal(host_run: HostRun) -> None:
    """The same process goes on with a run that was refused, once the key is right."""
    TASKS.update(a={}, b={})
    with FakeModel(fails(401), then=says("done")) as model:
        assert host_run(model, "--task-concurrency", "1", "--run-id", "one") == 1
        assert len(model.requests) == 1
        assert host_run(model, "--run-id", "two", "--reuse", "one", "--max-retries", "1") == 0
        assert len(model.requests) == 3


def test_a_server_that_is_not_there_is_fatal(host_run: HostRun) -> None:
    TASKS["a"] = {}
    assert host_run("http://127.0.0.1:9/v1") == 1
    assert host_run.issue() == ("fatal", "model_access_failed")
    assert "http://127.0.0.1:9/v1" in host_run.result()["issues"][0]["message"]


def test_a_server_that_is_busy_for_too_long_is_fatal_and_the_steps_are_kept(host_run: HostRun) -> None:
    TASKS["a"] = {}
    with FakeModel(calls(SEARCH), then=fails(429, retry_after="1")) as model:
        assert host_run(model) == 1
    assert host_run.issue() == ("fatal", "model_request_failed")
    result = host_run.result()
    assert len(result["trajectory"]["steps"]) == 1
    assert result["trajectory"]["steps"][0]["observation"]
    assert "HTTP 429" in result["artifacts"]["execution_diagnostics"]
    assert host_run.telemetry().stop == "model_error"


def test_a_busy_server_that_recovers_costs_nothing(host_run: HostRun) -> None:
    TASKS["a"] = {}
    with FakeModel(fails(429), fails(503), says("done")) as model:
        assert host_run(model) == 0
    assert host_run.telemetry().model_calls[0].tries == 3


def test_a_vendor_that_refuses_us_is_fatal_and_is_asked_once(
    host_run: HostRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    client = FakeClient(failing(ErrorKind.AUTH, f"key {VENDOR_KEY} is not valid"))
    use_client(monkeypatch, client)
    TASKS.update(a={}, b={})
    with FakeModel(then=calls(SEARCH)) as model:
        assert host_run(model, "--task-concurrency", "1") == 1
    assert {host_run.issue(name) for name in "ab"} == {("fatal", "tool_service_failed")}
    assert (len(client.asked), len(model.requests)) == (1, 1)
    assert VENDOR_KEY not in host_run.written
    (why,) = [line for line in capsys.readouterr().err.splitlines() if " is void (" in line]
    assert "a is void (tool_service_failed): vendor acme" in why
    assert "; check vendor_api_key, or ACME_API_KEY" in why


def test_under_observe_a_failing_vendor_is_a_warning(host_run: HostRun, monkeypatch: pytest.MonkeyPatch) -> None:
    use_client(monkeypatch, FakeClient(failing(ErrorKind.SERVER)))
    TASKS["a"] = {}
    with FakeModel(calls(SEARCH), says("done")) as model:
        assert host_run(model, vendor_failure="observe") == 0
    result = host_run.result()
    assert (result["status"], host_run.issue()) == ("completed", ("warning", "tool_service_failed"))


def test_an_unknown_price_is_told_once_and_leaves_the_cost_out(
    host_run: HostRun, capsys: pytest.CaptureFixture[str]
) -> None:
    TASKS.update({name: {} for name in "abc"})
    with FakeModel(then=says("done")) as model:
        assert host_run(model, "--k", "2") == 0
    assert capsys.readouterr().err.count("model cost is unknown") == 1
    assert [host_run.telemetry(name).model_usd for name in "abc"] == [None, None, None]
    assert host_run.telemetry("a").protocol == "openai-chat"


def test_the_cost_cap_is_fatal(host_run: HostRun) -> None:
    TASKS.update({name: {} for name in "abc"})
    with FakeModel(then=calls(SEARCH)) as model:
        code = host_run(
            model,
            "--model-params",
            '{"max_tokens": 10}',
            max_cost_usd=0.012,
            model_price={"input": 0, "output": 0},
            max_searches="unlimited",
        )
    assert code == 1
    assert {host_run.issue(name) for name in "abc"} == {("fatal", "budget_exhausted")}
    assert sum(host_run.telemetry(name).tool_usd for name in "abc") == pytest.approx(0.01)


def test_the_hosts_watchdog_leaves_what_was_reached(host_run: HostRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits.Deadline, "after", classmethod(lambda cls, timeout_s: cls(1e18, 1e18)))
    TASKS["a"] = {}
    times = '{"run_timeout_seconds": 0.5, "run_timer_compensation_seconds": 0.1}'
    with FakeModel(calls(SEARCH), then=HANGS) as model:
        assert host_run(model, "--execution-params", times) == 0
    result = host_run.result()
    assert host_run.issue() == ("error", "run_failed")
    assert result["trajectory"]["steps"][0]["observation"]
    assert result["meta"]["harness"]["telemetry"]["timed_out"] is True
    assert host_run.telemetry().stop == "cancelled"
    assert "PhaseTimeoutError" in result["artifacts"]["execution_diagnostics"]


def test_without_search_no_tool_is_offered(host_run: HostRun) -> None:
    TASKS["a"] = {}
    with FakeModel(says("done"), strict=True) as model:
        assert host_run(model, vendor="none") == 0
    assert "tools" not in model.bodies[0]
    assert "tool_choice" not in model.bodies[0]
    assert host_run.telemetry().vendor["id"] == "none"


def test_model_settings_of_the_command_line_reach_the_request(host_run: HostRun) -> None:
    TASKS["a"] = {"model_defaults": {"max_output_tokens": 4000}}
    with FakeModel(then=says("done")) as model:
        assert host_run(model, "--model-params", '{"reasoning_effort": "medium", "temperature": 0}') == 0
    assert (model.bodies[0]["reasoning_effort"], model.bodies[0]["temperature"]) == ("medium", 0)
    assert model.bodies[0]["max_tokens"] == 4000


def test_a_wrapped_key_is_that_of_the_run(host_run: HostRun) -> None:
    TASKS["a"] = {}
    with FakeModel(says(f"done {MODEL_KEY}")) as model:
        assert host_run(model, "--wrap-api-key") == 0
    sent = model.requests[0].headers["authorization"].removeprefix("Bearer ")
    assert MODEL_KEY in base64.b64decode(sent).decode()
    assert sent not in host_run.written
    assert MODEL_KEY not in host_run.written
