"""Whole attempts on a scripted model server: how each kind of end is told, and what is recorded of it."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.harnesses.coding_agent import limits
from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Issue, Task
from agentcompass_websearch.harnesses.coding_agent.loop import ANSWER_NOW
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.records import Usage, telemetry_of, to_builtins
from agentcompass_websearch.tools.contract import ErrorKind
from tests.harnesses.coding_agent.conftest import KEY, MakeRun, attempt_of
from tests.support.fake_model import HANGS, FakeModel, Reply, call, calls, fails, says
from tests.support.fake_vendor import FakeClient, failing

SEARCH = call("web_search", {"query": "acme"})
FETCH = call("web_fetch", {"url": "https://docs.acme.example/a"})


def codes(issues: tuple[Issue, ...]) -> list[tuple[str, str]]:
    return [(issue.severity, issue.code) for issue in issues]


async def test_an_attempt_is_recorded_in_full(make_run: MakeRun) -> None:
    with FakeModel(calls(SEARCH, FETCH), calls(SEARCH), says("done"), strict=True) as model:
        attempt = attempt_of(make_run(model))
        assert await attempt.execute() == ()
    telemetry = attempt.telemetry()
    assert (attempt.answer, telemetry.stop, telemetry.turns) == ("done", "answer", 3)
    assert telemetry.usage is not None
    assert (telemetry.usage.input, telemetry.usage.output) == (30, 15)
    assert telemetry.model_usd == pytest.approx(3 * 60e-6)
    assert telemetry.tool_usd == pytest.approx(0.011)
    assert [(c.call_id, c.op, c.turn, c.n) for c in telemetry.calls] == [
        ("c1", "search", 1, 1),
        ("c2", "fetch", 1, 1),
        ("call00003", "search", 2, 2),
    ]
    assert [c.stop for c in telemetry.model_calls] == ["tool_calls", "tool_calls", "stop"]
    assert telemetry.limits == {"max_turns": 32, "max_searches": 5, "max_fetches": 5}
    assert telemetry.vendor["id"] == "acme_basic"
    assert 0 < telemetry.model_s <= telemetry.task_s
    stored = json.loads(json.dumps(to_builtins(telemetry), allow_nan=False))
    assert telemetry_of({"websearch": stored}) == telemetry


@pytest.mark.parametrize("protocol", sorted(SERVERS))
async def test_an_attempt_is_the_same_over_every_protocol(make_run: MakeRun, protocol: str) -> None:
    script = [calls(SEARCH, FETCH, reasoning_content="hm"), calls(SEARCH, call("unknown", {})), says("done")]
    with FakeModel(*script, strict=True) as model:
        attempt = attempt_of(make_run(model, protocol=protocol, limits={"max_turns": 3}))
        assert await attempt.execute() == ()
    telemetry = attempt.telemetry()
    assert (attempt.answer, telemetry.stop, telemetry.turns, telemetry.notes) == ("done", "answer", 3, ())
    assert [(c.op, c.turn, c.n, c.ok) for c in telemetry.calls] == [
        ("search", 1, 1, True),
        ("fetch", 1, 1, True),
        ("search", 2, 2, True),
    ]
    assert telemetry.usage == Usage(input=30, output=15)
    assert telemetry.model_usd == pytest.approx(3 * 60e-6)
    assert attempt.transcript.steps[0].turn.reasoning == "hm"
    assert ANSWER_NOW in json.dumps(model.bodies[2])


@pytest.mark.parametrize("protocol", sorted(SERVERS))
@pytest.mark.parametrize(
    ("script", "stop", "code"),
    [
        ([says("", "length", reasoning_content="thought for too long")], "empty_answer", "model_empty_output"),
        ([calls(SEARCH, finish_reason="length"), says("")], "empty_answer", "model_empty_output"),
        ([calls(SEARCH), fails(400, "prompt is too long")], "model_error", "model_invalid_output"),
    ],
)
async def test_the_models_own_faults_are_the_same_over_every_protocol(
    make_run: MakeRun, protocol: str, script: list[Reply], stop: str, code: str
) -> None:
    client = FakeClient()
    with FakeModel(*script, strict=True) as model:
        attempt = attempt_of(make_run(model, client, protocol=protocol))
        issues = await attempt.execute()
    assert codes(issues) == [("error", code)]
    assert attempt.stop == stop
    assert len(client.asked) == (1 if stop == "model_error" else 0)


async def test_what_was_paid_for_a_turn_that_failed_later_counts(make_run: MakeRun) -> None:
    # The last turn may not call; that it does is asked about again, and there the server fails.
    with FakeModel(calls(SEARCH), calls(SEARCH), fails(400, "prompt is too long")) as model:
        attempt = attempt_of(make_run(model, limits={"max_turns": 2}))
        assert codes(await attempt.execute()) == [("error", "model_invalid_output")]
    telemetry = attempt.telemetry()
    assert telemetry.turns == 1
    assert telemetry.usage == Usage(input=20, output=10)
    assert telemetry.model_usd == pytest.approx(2 * 60e-6)


async def test_the_tasks_prompts_limits_and_defaults_are_used(make_run: MakeRun) -> None:
    metadata = {
        "limits": {"max_turns": 2, "max_searches": 1},
        "system_prompts": {"search-fetch": "Search and fetch."},
        "model_defaults": {"max_output_tokens": 4000},
        "other": object(),
    }
    with FakeModel(calls(SEARCH), says("done")) as model:
        attempt = attempt_of(make_run(model), metadata=metadata)
        assert await attempt.execute() == ()
    first, second = model.bodies
    assert first["messages"][0] == {"role": "system", "content": "Search and fetch."}
    assert first["max_tokens"] == 4000
    assert second["messages"][-1] == {"role": "user", "content": ANSWER_NOW}
    assert attempt.telemetry().limits["max_searches"] == 1


async def test_the_users_limits_come_first(make_run: MakeRun) -> None:
    with FakeModel(says("done")) as model:
        run = make_run(model, limits={"max_turns": 1}, params={"max_tokens": 9})
        attempt = attempt_of(run, metadata={"limits": {"max_turns": 5}, "model_defaults": {"max_output_tokens": 4000}})
        await attempt.execute()
    assert attempt.telemetry().limits["max_turns"] == 1
    assert model.bodies[0]["max_tokens"] == 9


@pytest.mark.parametrize(
    ("script", "stop", "code"),
    [
        ([calls(SEARCH)], "max_turns", "harness_max_iterations"),
        ([says("")], "empty_answer", "model_empty_output"),
        ([calls(finish_reason="tool_calls", content="")], "empty_answer", "model_empty_output"),
        ([says("", "length", reasoning_content="thought for too long")], "empty_answer", "model_empty_output"),
        ([fails(400, "no")], "model_error", "model_invalid_output"),
        ([fails(400, "too long", "context_length_exceeded")], "model_error", "model_invalid_output"),
    ],
)
async def test_what_the_model_is_to_blame_for_is_an_error(
    make_run: MakeRun, script: list[Reply], stop: str, code: str
) -> None:
    with FakeModel(*script, then=script[-1]) as model:
        attempt = attempt_of(make_run(model, limits={"max_turns": 3}))
        issues = await attempt.execute()
    assert codes(issues) == [("error", code)]
    assert attempt.stop == stop
    assert attempt.telemetry().stop == stop


@pytest.mark.parametrize(
    ("refusal", "code"), [(fails(401), "model_access_failed"), (fails(503), "model_request_failed")]
)
async def test_what_the_model_server_is_to_blame_for_is_fatal_and_the_steps_so_far_are_kept(
    make_run: MakeRun, refusal: Reply, code: str
) -> None:
    with FakeModel(calls(SEARCH), then=refusal) as model:
        attempt = attempt_of(make_run(model))
        issues = await attempt.execute()
    assert codes(issues) == [("fatal", code)]
    assert attempt.stop == "model_error"
    assert len(attempt.transcript.steps) == 1
    assert attempt.telemetry().tool_usd == pytest.approx(0.005)


async def test_a_failing_vendor_is_fatal_and_a_refusing_one_stops_the_run_before_the_next_model_call(
    make_run: MakeRun,
) -> None:
    with FakeModel(then=calls(SEARCH)) as model:
        run = make_run(model, FakeClient(failing(ErrorKind.QUOTA, "no credits left")))
        for expected in (1, 1):
            attempt = attempt_of(run)
            issues = await attempt.execute()
            assert codes(issues) == [("fatal", "tool_service_failed")]
            assert "no credits left" in issues[0].message
            assert attempt.stop == "vendor_error"
            assert len(model.requests) == expected


async def test_under_observe_the_attempt_goes_on_with_a_warning(make_run: MakeRun) -> None:
    with FakeModel(calls(SEARCH, FETCH), says("done")) as model:
        attempt = attempt_of(make_run(model, FakeClient(failing(ErrorKind.SERVER)), on_failure="observe"))
        issues = await attempt.execute()
    assert codes(issues) == [("warning", "tool_service_failed")]
    assert issues[0].message == "acme_basic failed in 2 calls (server x 2); the model was told"
    assert attempt.answer == "done"
    assert [c.error_kind for c in attempt.telemetry().calls] == ["server", "server"]


async def test_the_cost_cap_is_fatal_and_never_passed_by_attempts_at_the_same_time(make_run: MakeRun) -> None:
    with FakeModel(then=calls(SEARCH)) as model:
        run = make_run(model, max_cost_usd=0.012, params={"max_tokens": 100}, limits={"max_searches": "unlimited"})
        attempts = [attempt_of(run) for _ in range(4)]
        ends = await asyncio.gather(*(attempt.execute() for attempt in attempts))
    assert {code for end in ends for code in codes(end)} == {("fatal", "budget_exhausted")}
    spent = [attempt.telemetry() for attempt in attempts]
    total = sum((t.model_usd or 0) + (t.tool_usd or 0) for t in spent)
    assert 0 < total <= 0.012
    assert run.cap.spent_usd == pytest.approx(total)
    assert {t.stop for t in spent} == {"budget"}


async def test_a_model_that_hangs_is_cut_off_in_time_to_answer(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_ANSWER_SHARE", 0.97)
    with FakeModel(calls(SEARCH), HANGS, says("what I have")) as model:
        attempt = attempt_of(make_run(model), timeout_s=10.0)
        assert await attempt.execute() == ()
    assert (attempt.answer, attempt.stop) == ("what I have", "answer")
    assert model.bodies[2]["tool_choice"] == "none"
    assert model.bodies[2]["messages"][-1]["content"] == ANSWER_NOW


async def test_a_model_that_hangs_to_the_end_is_the_deadline(make_run: MakeRun) -> None:
    with FakeModel(calls(SEARCH), then=HANGS) as model:
        attempt = attempt_of(make_run(model), timeout_s=0.4)
        issues = await attempt.execute()
    assert codes(issues) == [("error", "harness_timeout")]
    assert attempt.stop == "deadline"
    assert len(attempt.transcript.steps) == 1
    # The time that it hung is time of the attempt.
    assert attempt.telemetry().task_s >= 0.4


async def test_what_was_reached_can_be_read_after_a_cancellation(make_run: MakeRun) -> None:
    with FakeModel(calls(SEARCH), then=HANGS) as model:
        attempt = attempt_of(make_run(model))
        running = asyncio.create_task(attempt.execute())
        await model.asked(2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    telemetry = attempt.telemetry()
    assert (telemetry.stop, telemetry.turns, len(telemetry.calls)) == ("cancelled", 1, 1)
    assert len(attempt.transcript.steps[0].replies) == 1


async def test_unknown_usage_and_price_stay_unknown(make_run: MakeRun) -> None:
    with FakeModel(calls(SEARCH), says("done", usage=None)) as model:
        attempt = attempt_of(make_run(model, price=None, prices={"search": None}))
        await attempt.execute()
    telemetry = attempt.telemetry()
    assert (telemetry.usage, telemetry.model_usd, telemetry.tool_usd) == (None, None, None)


async def test_a_wait_in_our_own_limiter_is_no_time_of_the_task(make_run: MakeRun) -> None:
    from agentcompass_websearch.tools.contract import Outcome

    client = FakeClient(lambda asked: Outcome((), service_s=0.0, queue_s=5.0, tries=1))
    with FakeModel(calls(SEARCH), says("done")) as model:
        attempt = attempt_of(make_run(model, client))
        await attempt.execute()
    assert attempt.telemetry().task_s == 0.0
    assert attempt.telemetry().calls[0].queue_s == 5.0


async def test_no_key_is_in_anything_that_an_attempt_leaves(make_run: MakeRun) -> None:
    secret = "vendor/canary+key"

    def leaky(asked: Any) -> Any:
        return failing(ErrorKind.BAD_REQUEST, f"key {secret} may not, ?key={quote(secret, safe='')}")(asked)

    with FakeModel(calls(SEARCH, content=f"{KEY} {secret}"), fails(401, f"bad key {KEY}")) as model:
        attempt = attempt_of(make_run(model, FakeClient(leaky), api_key=secret))
        issues = await attempt.execute()
    left = repr([issues, attempt.telemetry(), attempt.transcript, model.bodies])
    assert "********" in left
    assert KEY not in left
    assert secret not in left
    assert quote(secret, safe="") not in left


async def test_headers_that_let_a_request_in_are_secrets_too(make_run: MakeRun) -> None:
    headers = {"Authorization": "Bearer gateway-canary-1", "X-Api-Key": "gateway-canary-2", "X-Team": "web-search-2026"}
    with FakeModel(fails(400, " ".join(headers.values()))) as model:
        issues = await attempt_of(make_run(model, params={"extra_headers": headers})).execute()
    assert "Bearer ******** ******** web-search-2026" in str(issues)


async def test_so_are_queries_that_do(make_run: MakeRun) -> None:
    query = {"key": "gateway-canary-3", "version": "2026-11-30"}
    with FakeModel(fails(400, "/chat?key=gateway-canary-3&version=2026-11-30")) as model:
        issues = await attempt_of(make_run(model, params={"extra_query": query})).execute()
    assert "?key=********&version=2026-11-30" in str(issues)


async def test_a_password_in_the_address_is_one_in_every_spelling(make_run: MakeRun) -> None:
    header = base64.b64encode(b"me:p+ss/w0rd1").decode()
    with FakeModel(fails(400, f"p+ss/w0rd1 p%2Bss%2Fw0rd1 Basic {header}")) as model:
        url = model.base_url.replace("//", "//me:p%2Bss%2Fw0rd1@")
        issues = await attempt_of(make_run(url)).execute()
    assert "******** ******** Basic " in str(issues)
    assert header[6:-4] not in str(issues)


@pytest.mark.parametrize(("key", "kept"), [("not-set", True), ("ollama", True), ("k3y-of-mine", False)])
async def test_a_word_that_stands_for_no_key_is_left_in_texts(make_run: MakeRun, key: str, kept: bool) -> None:
    with FakeModel(says(f"the word {key}")) as model:
        attempt = Attempt(make_run(model), Task("x", None, {}), model_key=key, timeout_s=None)
        await attempt.execute()
    assert (key in attempt.answer) is kept


async def test_lone_surrogates_in_a_prompt_do_not_stop_the_request(make_run: MakeRun) -> None:
    with FakeModel(says("done")) as model:
        attempt = Attempt(make_run(model), Task("x\ud835", None, {}), model_key=KEY, timeout_s=None)
        assert await attempt.execute() == ()
    assert model.bodies[0]["messages"][-1]["content"] == "x\ufffd"


async def test_observers_hear_of_each_call_and_cannot_harm_it(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []

    class Observer:
        @plugins.hookimpl
        def websearch_tool_called(self, call: Any) -> None:
            heard.append(call)
            raise RuntimeError("an observer's own trouble")

    monkeypatch.setattr(plugins, "_observers", lambda: observers)
    observers: list[Any] = []
    plugins.observe(Observer())
    with FakeModel(calls(SEARCH), says("done")) as model:
        attempt = attempt_of(make_run(model))
        assert await attempt.execute() == ()
    assert heard == list(attempt.telemetry().calls)


async def test_attempts_at_the_same_time_share_nothing_that_is_their_own(make_run: MakeRun) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        said = body["messages"][1]["content"]
        turn = sum(m["role"] == "assistant" for m in body["messages"])
        return calls(call("web_search", {"query": said})) if turn < 2 else says(f"answer to {said}")

    with FakeModel(then=answer, strict=True) as model:
        run = make_run(model)
        attempts = [Attempt(run, Task(f"task {n}", "s", {}), model_key=KEY, timeout_s=60) for n in range(20)]
        await asyncio.gather(*(attempt.execute() for attempt in attempts))
    for number, attempt in enumerate(attempts):
        assert attempt.answer == f"answer to task {number}"
        shown = [json.loads(r.content)["query"] for step in attempt.transcript.steps for r in step.replies]
        assert shown == [f"task {number}"] * 2
