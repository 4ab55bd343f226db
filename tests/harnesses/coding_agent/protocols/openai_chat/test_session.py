"""Sessions over Chat Completions against a scripted server: what is sent, and what is made of the replies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.model import server_url
from agentcompass_websearch.harnesses.coding_agent.protocols import ModelServer
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Reply
from tests.harnesses.coding_agent.protocols import asking
from tests.harnesses.coding_agent.protocols.asking import KEY, ask
from tests.support.fake_model import FakeModel, call, calls, fails, says, sends


def server_of(model: FakeModel) -> ModelServer:
    return asking.server_of("openai-chat", model)


async def session_on(model: FakeModel | str, server: ModelServer | None = None, **changes: Any) -> ModelSession:
    return await asking.session_on("openai-chat", server or model, **changes)


async def test_the_first_request_has_prompt_tools_and_key() -> None:
    with FakeModel(says("done"), strict=True) as model:
        turn = await ask(await session_on(model))
    assert (turn.text, turn.calls, turn.stop) == ("done", (), "stop")
    assert turn.usd == pytest.approx(60e-6)
    request = model.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"] == [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "Do it."},
    ]
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["web_search", "web_fetch"]
    assert request.body["tool_choice"] == "auto"
    assert set(request.body) == {"model", "messages", "tools", "tool_choice"}


async def test_the_history_holds_the_keys_of_the_protocol_only() -> None:
    odd: dict[str, Any] = {
        "reasoning_content": "hm",
        "annotations": [],
        "audio": None,
        "function_call": {"name": "x", "arguments": ""},
    }
    script = [calls(call("web_search", {"query": "a"}, "x" * 52), **odd), says("done")]
    with FakeModel(*script, strict=True) as model:
        session = await session_on(model)
        first = await ask(session)
        session.reply([Reply("x" * 52, "web_search", "{}")])
        await ask(session)
    assert first.reasoning == "hm"
    echoed, reply = model.bodies[1]["messages"][2:]
    function = {"name": "web_search", "arguments": '{"query": "a"}'}
    assert echoed == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "x" * 52, "type": "function", "function": function}],
    }
    assert reply == {"role": "tool", "tool_call_id": "x" * 52, "content": "{}"}


@pytest.mark.parametrize(
    ("sent", "echoed"),
    [
        ('"{\\"query\\": \\"a\\"}"', '{"query": "a"}'),
        ({"query": "a"}, '{"query": "a"}'),
        ("", "{}"),
        (None, "{}"),
        ('{"query": "cut', "{}"),
    ],
)
async def test_arguments_are_echoed_as_one_json_object(sent: object, echoed: str) -> None:
    made = call("web_search", "")
    made["function"]["arguments"] = sent
    with FakeModel(calls(made), says("done")) as model:
        session = await session_on(model)
        await ask(session)
        session.reply([Reply("c1", "web_search", "{}")])
        await ask(session)
    assert model.bodies[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == echoed


async def test_answer_now_forbids_calls_and_keeps_the_tools_in_sight() -> None:
    with FakeModel(calls(call("web_search", {})), says("done")) as model:
        session = await session_on(model)
        await ask(session)
        session.reply([Reply("c1", "web_search", "{}")])
        session.say("Answer now.")
        await ask(session, answer_now=True)
    assert model.bodies[1]["tool_choice"] == "none"
    assert model.bodies[1]["tools"] == model.bodies[0]["tools"]
    assert model.bodies[1]["messages"][-1] == {"role": "user", "content": "Answer now."}


class TestParameters:
    async def test_the_users_parameters_go_into_the_request(self) -> None:
        params = {
            "temperature": 0,
            "reasoning_effort": "medium",
            "chat_template_kwargs": {"thinking": True},
            "extra_body": {"top_k": 3},
            "extra_headers": {"x-team": "search"},
            "extra_query": {"version": "1"},
            "timeout": 5,
        }
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params))
        body = model.bodies[0]
        assert (body["temperature"], body["reasoning_effort"], body["top_k"]) == (0, "medium", 3)
        assert body["chat_template_kwargs"] == {"thinking": True}
        assert not {"extra_body", "extra_headers", "extra_query", "timeout"} & set(body)
        assert model.requests[0].headers["x-team"] == "search"
        assert model.requests[0].path.endswith("?version=1")

    @pytest.mark.parametrize(
        ("params", "default", "sent"),
        [
            ({}, 4000, {"max_tokens": 4000}),
            ({}, None, {}),
            ({"max_output_tokens": 9}, 4000, {"max_tokens": 9}),
            ({"max_tokens": 9}, 4000, {"max_tokens": 9}),
            ({"max_completion_tokens": 9}, 4000, {"max_completion_tokens": 9}),
            ({"extra_body": {"max_tokens": 9}}, 4000, {"max_tokens": 9}),
        ],
    )
    async def test_the_output_limit_is_the_users_else_the_tasks(
        self, params: dict[str, Any], default: int | None, sent: dict[str, int]
    ) -> None:
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params, default_output_tokens=default))
        assert {k: v for k, v in model.bodies[0].items() if k.startswith("max_")} == sent

    async def test_a_server_that_wants_the_other_name_is_understood_once_for_the_run(self) -> None:
        words = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        script = [fails(400, words, "unsupported_parameter", "max_tokens"), says("one"), says("two")]
        with FakeModel(*script) as model:
            server = server_of(model)
            for _ in range(2):
                turn = await ask(await session_on(model, server, default_output_tokens=7))
                assert turn.tries == 1
        limits = [{k: v for k, v in body.items() if k.startswith("max_")} for body in model.bodies]
        assert limits == [{"max_tokens": 7}, {"max_completion_tokens": 7}, {"max_completion_tokens": 7}]

    async def test_a_server_that_refuses_both_names_is_not_asked_for_ever(self) -> None:
        def refuse(body: dict[str, Any]) -> Any:
            name = next(name for name in body if name.startswith("max_"))
            return fails(400, f"{name} is not supported", param=name)

        refused = pytest.raises(ModelFailure, match="parameter 'max_completion_tokens' refused")
        with FakeModel(then=refuse) as model, refused:
            await ask(await session_on(model, default_output_tokens=7))
        assert len(model.requests) == 2

    async def test_attempts_that_begin_together_all_learn_the_other_name(self) -> None:
        def reply(body: dict[str, Any]) -> Any:
            refusal = fails(400, "max_tokens is not supported", param="max_tokens")
            return refusal if "max_tokens" in body else says("done")

        with FakeModel(then=reply) as model:
            server = server_of(model)
            sessions = [await session_on(model, server, default_output_tokens=7) for _ in range(12)]
            turns = await asyncio.gather(*map(ask, sessions))
        assert {turn.text for turn in turns} == {"done"}

    async def test_a_limit_that_is_too_high_is_not_smuggled_past_the_server(self) -> None:
        refused = pytest.raises(ModelFailure, match="at most 4096")
        with FakeModel(fails(400, "max_tokens must be at most 4096", param="max_tokens")) as model, refused:
            await ask(await session_on(model, default_output_tokens=7))
        assert len(model.requests) == 1


async def test_reasoning_is_sent_back_where_a_server_asks_for_it() -> None:
    refusal = fails(
        400, "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"
    )
    script = [calls(call("web_search", {}), reasoning_content="hm"), refusal, says("done")]
    with FakeModel(*script) as model:
        session = await session_on(model)
        await ask(session)
        session.reply([Reply("c1", "web_search", "{}")])
        await ask(session)
    assert "reasoning_content" not in model.bodies[1]["messages"][2]
    assert model.bodies[2]["messages"][2]["reasoning_content"] == "hm"


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions", "/chat/completions/"])
async def test_the_base_url_may_be_written_in_any_usual_way(tail: str) -> None:
    with FakeModel(says("done")) as model:
        await ask(await session_on(server_url(model.base_url + tail, "openai-chat")))
    assert model.requests[0].path == "/v1/chat/completions"


async def test_a_web_page_in_place_of_an_answer_names_the_address() -> None:
    with FakeModel(then=sends("<html>ok</html>")) as model, pytest.raises(ModelFailure) as caught:
        await ask(await session_on(model))
    assert caught.value.fault is Fault.NOT_JSON
    assert caught.value.code == "model_access_failed"
    assert model.base_url in str(caught.value)
    assert "often ends in /v1" in str(caught.value)
    assert len(model.requests) == 1


async def test_large_replies_and_wide_characters_survive_the_way() -> None:
    text = "Köln → 東京 \U0001f600" * 1000
    with FakeModel(says(text)) as model:
        session = await session_on(model, prompt=text)
        turn = await ask(session)
    assert turn.text == text
    assert model.bodies[0]["messages"][1]["content"] == text


async def test_a_key_that_no_header_can_carry_is_a_fault_of_configuration() -> None:
    with FakeModel() as model, pytest.raises(ModelFailure, match="the request cannot be sent") as caught:
        await ask(await session_on(model, api_key="schlüssel-0123456789"))
    assert caught.value.code == "model_access_failed"
    assert "schlüssel" not in str(caught.value)
    assert model.requests == []
