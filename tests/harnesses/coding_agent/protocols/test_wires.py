"""What holds over every wire: the same conversation, the same failures, the same things learned from refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import EMPTY_TURN, OUTPUT_LIMIT, TEXT_CALL
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall
from agentcompass_websearch.records import Usage
from tests.harnesses.coding_agent.protocols.asking import KEY, ask, ask_and_reply, server_of, session_on
from tests.support.fake_model import DROPS, FakeModel, Reply, answers, call, calls, fails, says, sends

SEARCH = call("web_search", {"query": "acme"}, "callSearch")
FETCH = call("web_fetch", {"url": "https://docs.acme.example/a"}, "callFetch")
NOW = "Answer now."


@pytest.fixture(params=sorted(SERVERS))
def protocol(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def tool_choice(body: Mapping[str, Any]) -> object:
    choice = body.get("tool_choice")
    return choice["type"] if isinstance(choice, Mapping) else choice


def texts(body: object) -> str:
    """All that a request says, for finding words in it."""
    return json.dumps(body, ensure_ascii=False)


def shape(calls: tuple[ToolCall, ...]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(made.call_id, made.name, dict(made.arguments.values)) for made in calls]


async def test_a_conversation_with_reasoning_calls_and_an_answer(protocol: str) -> None:
    script = [
        calls(SEARCH, FETCH, reasoning_content="hm", content="I look."),
        calls(call("web_search", {"query": "more"}, "callMore")),
        says("done"),
    ]
    with FakeModel(*script, strict=True) as model:
        session = await session_on(protocol, model)
        first = await ask_and_reply(session)
        second = await ask_and_reply(session)
        session.say(NOW)
        last = await ask(session, answer_now=True)
    assert (first.text, first.reasoning) == ("I look.", "hm")
    assert shape(first.calls) == [
        ("callSearch", "web_search", {"query": "acme"}),
        ("callFetch", "web_fetch", {"url": "https://docs.acme.example/a"}),
    ]
    assert shape(second.calls) == [("callMore", "web_search", {"query": "more"})]
    assert (last.text, last.calls, last.notes) == ("done", (), ())
    assert first.usage == last.usage == Usage(input=10, output=5)
    assert first.usd == pytest.approx(60e-6)
    assert [tool_choice(body) for body in model.bodies] == ["auto", "auto", "none"]
    assert NOW in texts(model.bodies[2])
    assert NOW not in texts(model.bodies[1])
    for earlier, later in zip(model.bodies, model.bodies[1:], strict=False):
        assert later["tools"] == earlier["tools"]


async def test_the_request_has_prompts_tools_and_key(protocol: str) -> None:
    with FakeModel(says("done"), strict=True) as model:
        await ask(await session_on(protocol, model, prompt="Köln → 東京", default_output_tokens=77))
    request = model.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in texts(request.body)
    for words in ("Be good.", "Köln → 東京", "web_search", "web_fetch", '"query"', "77"):
        assert words in texts(request.body)


async def test_without_tools_and_system_prompt_neither_is_sent(protocol: str) -> None:
    with FakeModel(says("done"), strict=True) as model:
        await ask(await session_on(protocol, model, tools=(), system=""), answer_now=True)
    assert not {"tools", "tool_choice", "system", "instructions"} & set(model.bodies[0])


async def test_what_the_user_adds_at_once_joins_the_task(protocol: str) -> None:
    with FakeModel(says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        session.say(NOW)
        await ask(session)
    assert '"Do it.\\n\\nAnswer now."' in texts(model.bodies[0])


@pytest.mark.parametrize("call_id", [None, "", "same"])
async def test_each_call_has_one_id_of_its_own_that_its_reply_bears(protocol: str, call_id: str | None) -> None:
    made = [call("web_search", {"query": "a"}, call_id), call("web_search", {"query": "b"}, call_id)]
    both = calls(*made)
    if call_id is None:
        both = answers({"content": None, "tool_calls": made}, "tool_calls")
    with FakeModel(both, both, says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        ids = [c.call_id for _ in range(2) for c in (await ask_and_reply(session)).calls]
        await ask(session)
    assert len(set(ids)) == 4


@pytest.mark.parametrize("arguments", ['{"query": "cut', "[1]", "42", None, ""])
async def test_arguments_that_are_no_object_are_sent_back_as_an_empty_one(protocol: str, arguments: object) -> None:
    made = call("web_search", "", "callSearch")
    made["function"]["arguments"] = arguments
    with FakeModel(calls(made), says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        (found,) = (await ask_and_reply(session)).calls
        await ask(session)
    assert (dict(found.arguments.values), found.arguments.text) == ({}, "{}")
    assert bool(found.arguments.fault) == bool(arguments)


async def test_no_call_of_a_response_that_was_cut_is_run(protocol: str) -> None:
    with FakeModel(calls(SEARCH, finish_reason="length"), says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        turn = await ask_and_reply(session)
        await ask(session)
    assert "output limit" in turn.calls[0].arguments.fault
    assert turn.notes == (OUTPUT_LIMIT,)
    assert turn.stop in ("length", "max_tokens")


async def test_a_response_that_was_cut_while_thinking_is_an_empty_answer(protocol: str) -> None:
    with FakeModel(says("", "length", reasoning_content="for too long"), strict=True) as model:
        turn = await ask(await session_on(protocol, model))
    assert (turn.text, turn.calls, turn.reasoning) == ("", (), "for too long")
    assert set(turn.notes) == {OUTPUT_LIMIT, EMPTY_TURN}


async def test_a_call_written_as_text_is_noted(protocol: str) -> None:
    with FakeModel(says('<tool_call>{"name": "web_search"}</tool_call>')) as model:
        assert (await ask(await session_on(protocol, model))).notes == (TEXT_CALL,)


async def test_usage_that_is_missing_is_unknown(protocol: str) -> None:
    with FakeModel(says("done", usage=None)) as model:
        turn = await ask(await session_on(protocol, model))
    assert (turn.usage, turn.usd) == (None, None)


async def test_a_key_that_the_model_echoes_is_removed(protocol: str) -> None:
    made = call("web_search", {"query": KEY}, "callSearch")
    with FakeModel(calls(made, content=f"my key is {KEY}"), says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        turn = await ask_and_reply(session)
        await ask(session)
    assert KEY not in texts([turn.text, turn.calls[0].arguments.text, model.bodies])
    assert "********" in texts(model.bodies[1])


async def test_surrogates_of_the_model_do_not_stop_the_next_request(protocol: str) -> None:
    made = call("web_search", {"query": "x\ud835"}, "callSearch")
    with FakeModel(calls(made, content="y\ud835", reasoning_content="z\ud835"), says("done"), strict=True) as model:
        session = await session_on(protocol, model)
        turn = await ask_and_reply(session)
        await ask(session)
    assert (turn.text, turn.reasoning) == ("y\ufffd", "z\ufffd")
    assert turn.calls[0].arguments.values == {"query": "x\ufffd"}


async def test_a_turn_that_failed_leaves_no_trace_in_the_history(protocol: str) -> None:
    with FakeModel(fails(400, "no"), says("done")) as model:
        session = await session_on(protocol, model)
        with pytest.raises(ModelFailure):
            await ask(session)
        await ask(session)
    assert model.bodies[0] == model.bodies[1]


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429, retry_after="0"),
        fails(500),
        fails(529, "Overloaded"),
        fails(408),
        sends("<h1>bad gateway</h1>", 502),
        sends({}),
        sends({"error": {"code": 429, "message": "slow down"}}),
        sends({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        sends('{"id": "x", "outp'),
        DROPS,
        Reply(b"{" + b"x" * 1000, cut=True),
    ],
)
async def test_passing_trouble_is_sat_out(protocol: str, trouble: Reply) -> None:
    with FakeModel(trouble, says("done")) as model:
        turn = await ask(await session_on(protocol, model))
    assert (turn.text, turn.tries) == ("done", 2)


@pytest.mark.parametrize(
    ("trouble", "fault"),
    [
        (fails(401, f"bad key {KEY}"), Fault.AUTH),
        (fails(402, "pay"), Fault.QUOTA),
        (fails(403, "not for you"), Fault.AUTH),
        (fails(400, "Your credit balance is too low to access the API"), Fault.QUOTA),
        (fails(404, "no such model"), Fault.NOT_FOUND),
        (sends("<html>ok</html>"), Fault.NOT_JSON),
        (fails(400, "m does not support tools"), Fault.NO_TOOLS),
    ],
)
async def test_a_wrong_set_up_ends_the_run_at_the_first_request(protocol: str, trouble: Reply, fault: Fault) -> None:
    with FakeModel(then=trouble) as model:
        server = server_of(protocol, model)
        for expected in (fault, Fault.STOPPED):
            with pytest.raises(ModelFailure) as caught:
                await ask(await session_on(protocol, server))
            assert (caught.value.fault, caught.value.code) == (expected, "model_access_failed")
            assert KEY not in str(caught.value)
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None
    assert len(model.requests) == 1


@pytest.mark.parametrize("words", ["prompt is too long: 9 tokens > 8 maximum", "maximum context length is 8 tokens"])
async def test_a_conversation_that_is_too_long_is_told(protocol: str, words: str) -> None:
    with FakeModel(fails(400, words)) as model, pytest.raises(ModelFailure, match="longer than the model's context"):
        await ask(await session_on(protocol, model))


class TestRefusals:
    async def test_a_setting_that_is_refused_from_the_start_ends_the_run(self, protocol: str) -> None:
        refusal = fails(400, "`temperature` is deprecated for this model.")
        params = {"temperature": 0}
        with FakeModel(refusal, says("done")) as model:
            server = server_of(protocol, model)
            with pytest.raises(ModelFailure, match="parameter 'temperature' refused") as caught:
                await ask(await session_on(protocol, server, params=params))
            assert (caught.value.severity, caught.value.code) == ("fatal", "model_access_failed")
            with pytest.raises(ModelFailure, match="not asked again"):
                await ask(await session_on(protocol, server, params=params))
        assert len(model.requests) == 1

    @pytest.mark.parametrize(
        ("params", "refusal"),
        [
            (
                {"max_tokens": 8000},
                "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is "
                "4096 tokens and your request has 1000 input tokens (8000 > 4096 - 1000).",
            ),
            ({"max_tokens": 200000}, "max_tokens is too large: 200000. This model supports at most 16384 tokens."),
            ({"reasoning_effort": "medium"}, "provider does not support parameters: ['reasoning_effort'], for model=m"),
            ({"extra_body": {"top_k": 3}}, "top_k: Extra inputs are not permitted"),
        ],
    )
    async def test_a_setting_is_named_as_its_user_knows_it(
        self, protocol: str, params: dict[str, Any], refusal: str
    ) -> None:
        (name,) = params.get("extra_body", params)
        words = f"parameter '{'max_[a-z]*_?tokens' if name == 'max_tokens' else name}' refused"
        with FakeModel(fails(400, refusal)) as model, pytest.raises(ModelFailure, match=words) as caught:
            await ask(await session_on(protocol, model, params=params))
        assert caught.value.code == "model_access_failed"
        assert len(model.requests) == 1

    async def test_later_it_ends_the_attempt_alone(self, protocol: str) -> None:
        with FakeModel(calls(SEARCH), fails(400, "`temperature` is deprecated for this model.")) as model:
            session = await session_on(protocol, model, params={"temperature": 0})
            await ask_and_reply(session)
            with pytest.raises(ModelFailure) as caught:
                await ask(session)
        assert (caught.value.severity, caught.value.code) == ("error", "model_invalid_output")

    async def test_what_is_said_is_never_a_setting(self, protocol: str) -> None:
        words = "messages.0: input refused: 'input' may not hold this, nor may `messages`"
        with FakeModel(fails(400, words)) as model, pytest.raises(ModelFailure) as caught:
            await ask(await session_on(protocol, model))
        assert caught.value.fault is Fault.REFUSED
        assert caught.value.severity == "error"

    async def test_a_server_that_cannot_forbid_calls_gets_no_tools_instead(self, protocol: str) -> None:
        script = [calls(SEARCH), fails(400, "tool_choice 'none' is not supported"), says("one"), says("two")]
        with FakeModel(*script) as model:
            server = server_of(protocol, model)
            session = await session_on(protocol, server)
            await ask_and_reply(session)
            assert (await ask(session, answer_now=True)).text == "one"
            await ask(await session_on(protocol, server), answer_now=True)
        assert ["tools" in body for body in model.bodies] == [True, True, False, False]

    async def test_a_server_that_takes_no_notice_gets_no_tools_either(self, protocol: str) -> None:
        with FakeModel(calls(SEARCH), calls(FETCH), says("one"), says("two")) as model:
            server = server_of(protocol, model)
            session = await session_on(protocol, server)
            await ask_and_reply(session)
            turn = await ask(session, answer_now=True)
            await ask(await session_on(protocol, server), answer_now=True)
        assert (turn.text, turn.calls) == ("one", ())
        assert turn.usage == Usage(input=20, output=10)
        assert turn.usd == pytest.approx(120e-6)
        assert ["tools" in body for body in model.bodies] == [True, True, False, False]
        assert "callFetch" not in texts(model.bodies)

    async def test_what_was_paid_before_a_failure_is_part_of_the_turn(self, protocol: str) -> None:
        with FakeModel(calls(SEARCH), fails(500), says("one")) as model:
            turn = await ask(await session_on(protocol, model), answer_now=True)
        assert (turn.text, turn.tries, turn.usage) == ("one", 2, Usage(input=20, output=10))
        assert turn.usd == pytest.approx(120e-6)

    async def test_a_server_that_takes_no_choice_gets_none(self, protocol: str) -> None:
        script = [fails(400, "Unknown parameter: 'tool_choice'", None, "tool_choice"), calls(SEARCH), says("done")]
        with FakeModel(*script) as model:
            session = await session_on(protocol, model)
            await ask_and_reply(session)
            await ask(session, answer_now=True)
        assert [("tools" in body, "tool_choice" in body) for body in model.bodies] == [
            (True, True),
            (True, False),
            (False, False),
        ]

    @pytest.mark.parametrize(
        "words", ["Unexpected role 'user' after role 'tool'", "conversation roles must alternate user/assistant/..."]
    )
    @pytest.mark.parametrize("status", [400, 500])
    async def test_a_template_without_words_after_replies_gets_them_in_the_last_reply(
        self, protocol: str, words: str, status: int
    ) -> None:
        script = [calls(SEARCH, FETCH), fails(status, words), says("one")]
        with FakeModel(*script, strict=True) as model:
            session = await session_on(protocol, model)
            await ask_and_reply(session, '{"n": 1}')
            session.say(NOW)
            turn = await ask(session, answer_now=True)
        assert (turn.text, turn.tries) == ("one", 1)
        joined = json.dumps('{"n": 1}\n\nAnswer now.')
        assert joined not in texts(model.bodies[1])
        assert texts(model.bodies[2]).count(joined) == 1
        assert texts(model.bodies[2]).count(NOW) == 1

    async def test_what_many_attempts_learn_at_the_same_time_fails_none_of_them(self, protocol: str) -> None:
        def reply(body: dict[str, Any]) -> Reply:
            if "tool_choice" in body:
                return fails(400, "Unknown parameter: 'tool_choice'", None, "tool_choice")
            return says("done")

        with FakeModel(then=reply) as model:
            server = server_of(protocol, model)
            sessions = [await session_on(protocol, server) for _ in range(12)]
            turns = await asyncio.gather(*map(ask, sessions))
        assert [(turn.text, turn.tries) for turn in turns] == [("done", 1)] * 12

    async def test_a_server_that_refuses_everything_is_not_asked_for_ever(self, protocol: str) -> None:
        words = (
            "Unexpected role 'user' after role 'tool'; roles must alternate; system role not supported; 'store' "
            "'include' 'cache_control' 'tool_choice' 'max_tokens' 'max_completion_tokens' are not supported; "
            "reasoning_content is missing; thought_signature is missing; encrypted content is not supported"
        )
        with FakeModel(calls(SEARCH, reasoning_content="hm"), then=fails(400, words)) as model:
            session = await session_on(protocol, model, default_output_tokens=9)
            await ask_and_reply(session)
            session.say(NOW)
            with pytest.raises(ModelFailure):
                await ask(session, answer_now=True)
        assert 3 <= len(model.requests) <= 12

    async def test_a_refusal_that_teaches_nothing_is_not_asked_twice(self, protocol: str) -> None:
        with FakeModel(fails(400, "roles must alternate")) as model, pytest.raises(ModelFailure):
            await ask(await session_on(protocol, model, system=""))
        assert len(model.requests) == 1


async def test_a_request_that_cannot_be_sent_is_one_of_configuration(protocol: str) -> None:
    with FakeModel() as model, pytest.raises(ModelFailure, match="the request cannot be sent") as caught:
        await ask(await session_on(protocol, model, params={"top_p": float("nan")}))
    assert caught.value.code == "model_access_failed"
    assert model.requests == []


class TestParameters:
    @pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
    async def test_the_output_limit_may_be_spelled_in_any_way(self, protocol: str, name: str) -> None:
        with FakeModel(says("done")) as model:
            await ask(await session_on(protocol, model, params={name: 9}, default_output_tokens=4000))
        limits = {k: v for k, v in model.bodies[0].items() if k.startswith("max_")}
        assert list(limits.values()) == [9]

    async def test_the_rest_goes_out_as_it_is(self, protocol: str) -> None:
        params = {
            "temperature": 0,
            "extra_body": {"top_k": 3},
            "extra_headers": {"x-team": "search"},
            "extra_query": {"version": "1"},
            "timeout": 5,
        }
        with FakeModel(says("done")) as model:
            await ask(await session_on(protocol, model, params=params))
        body = model.bodies[0]
        assert (body["temperature"], body["top_k"]) == (0, 3)
        assert not {"extra_body", "extra_headers", "extra_query", "timeout"} & set(body)
        assert model.requests[0].headers["x-team"] == "search"
        assert model.requests[0].path.endswith("?version=1")
