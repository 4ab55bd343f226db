"""Sessions over the Responses protocol: what is sent, and what of the answers is sent back."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols import ModelServer
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_responses.dialect import REASONING_LEFT_OUT
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Reply
from tests.harnesses.coding_agent.protocols import asking
from tests.harnesses.coding_agent.protocols.asking import ask, ask_and_reply
from tests.support.fake_model import FakeModel, call, calls, fails, says, sends

TASK = {"role": "user", "content": "Do it."}
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "web_search", "arguments": '{"query": "a"}'},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "web_search", "arguments": '{"query": "b"}'},
]
TURN = sends({"id": "resp_1", "status": "completed", "output": OUTPUT, "usage": None})
REPLIES = [
    {"type": "function_call_output", "call_id": "c1", "output": "one"},
    {"type": "function_call_output", "call_id": "c2", "output": "two"},
]


async def session_on(model: FakeModel | str | ModelServer, **changes: Any) -> ModelSession:
    return await asking.session_on("openai-responses", model, **changes)


async def test_the_request_is_one_of_the_protocol() -> None:
    with FakeModel(says("done"), strict=True) as model:
        await ask(await session_on(model))
    assert model.requests[0].path == "/v1/responses"
    body = model.bodies[0]
    tools = body.pop("tools")
    assert body == {
        "model": "m",
        "instructions": "Be good.",
        "input": [TASK],
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "tool_choice": "auto",
    }
    assert [(tool["type"], tool["name"], tool["strict"]) for tool in tools] == [
        ("function", "web_search", False),
        ("function", "web_fetch", False),
    ]
    assert tools[1]["parameters"]["required"] == ["url"]


async def test_items_go_back_unchanged_and_then_the_replies() -> None:
    with FakeModel(TURN, says("done")) as model:
        session = await session_on(model)
        await ask(session)
        session.reply([Reply("c1", "web_search", "one"), Reply("c2", "web_search", "two")])
        session.say("Answer now.")
        await ask(session, answer_now=True)
    assert model.bodies[1]["input"] == [TASK, *OUTPUT, *REPLIES, {"role": "user", "content": "Answer now."}]


class TestParameters:
    @pytest.mark.parametrize(
        ("params", "sent"),
        [
            ({"reasoning_effort": "medium"}, {"effort": "medium"}),
            ({"reasoning": {"effort": "low"}}, {"effort": "low"}),
            ({"reasoning": {"summary": "auto"}, "reasoning_effort": "high"}, {"effort": "high", "summary": "auto"}),
            ({"reasoning": {"effort": "low"}, "reasoning_effort": "high"}, {"effort": "low"}),
            ({"extra_body": {"reasoning_effort": "high"}}, {"effort": "high"}),
        ],
    )
    async def test_the_effort_may_be_spelled_as_in_chat_completions(
        self, params: dict[str, Any], sent: dict[str, Any]
    ) -> None:
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params))
        assert model.bodies[0]["reasoning"] == sent
        assert "reasoning_effort" not in model.bodies[0]

    @pytest.mark.parametrize(
        ("params", "default", "sent"),
        [({}, 4000, 4000), ({}, None, None), ({"max_tokens": 9}, 4000, 9), ({"max_output_tokens": 9}, 4000, 9)],
    )
    async def test_the_output_limit(self, params: dict[str, Any], default: int | None, sent: int | None) -> None:
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params, default_output_tokens=default))
        assert model.bodies[0].get("max_output_tokens") == sent
        assert "max_tokens" not in model.bodies[0]

    async def test_the_users_own_storage_and_inclusions_are_kept(self) -> None:
        params = {"store": True, "include": ["message.output_text.logprobs", "reasoning.encrypted_content"]}
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params))
        assert model.bodies[0]["store"] is True
        assert model.bodies[0]["include"] == ["reasoning.encrypted_content", "message.output_text.logprobs"]


class TestDialect:
    @pytest.mark.parametrize(
        ("words", "param"),
        [
            ("Encrypted content is not supported with this model.", "include"),
            ("litellm.BadRequestError: Encrypted content is not supported with this model.", None),
            ("Unknown parameter: 'include'.", "include"),
        ],
    )
    async def test_a_model_without_encrypted_reasoning_is_not_asked_for_it_again(
        self, words: str, param: str | None
    ) -> None:
        with FakeModel(fails(400, words, None, param), says("one"), says("two")) as model:
            server = asking.server_of("openai-responses", model)
            for _ in range(2):
                turn = await ask(await session_on(server))
                assert (turn.tries, turn.notes) == (1, ())
        assert ["include" in body for body in model.bodies] == [True, False, False]

    async def test_a_server_that_knows_no_storage_is_not_asked_to_store_nothing(self) -> None:
        with FakeModel(fails(400, "store: Extra inputs are not permitted"), says("one")) as model:
            await ask(await session_on(model))
        assert ["store" in body for body in model.bodies] == [True, False]

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
            (400, "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
            (400, "The encrypted content gAAA... could not be verified."),
            (400, "Encrypted content is not supported."),
        ],
    )
    async def test_reasoning_that_is_refused_is_left_out_with_the_ids_that_refer_to_it(
        self, status: int, words: str
    ) -> None:
        with FakeModel(TURN, fails(status, words), says("done"), TURN, says("done")) as model:
            server = asking.server_of("openai-responses", model)
            session = await session_on(server)
            await ask_and_reply(session)
            turn = await ask(session)
            later = await session_on(server)
            await ask_and_reply(later)
            await ask(later)
        assert turn.notes == (REASONING_LEFT_OUT,)
        without_ids = [{k: v for k, v in item.items() if k != "id"} for item in OUTPUT[1:]]
        for body in (model.bodies[2], model.bodies[4]):
            assert body["input"][1:3] == without_ids
            assert [item.get("type") for item in body["input"][3:]] == ["function_call_output"] * 2
        assert model.bodies[1]["input"][1:4] == OUTPUT

    async def test_arguments_that_cannot_be_read_are_mended_in_the_item(self) -> None:
        made = call("web_search", '{"query": "acme worker ba', "c1")
        with FakeModel(calls(made), says("done")) as model:
            session = await session_on(model)
            await ask_and_reply(session)
            await ask(session)
        item = model.bodies[1]["input"][1]
        assert (item["type"], item["arguments"], item["id"]) == ("function_call", "{}", "fc_1")
