"""Sessions over the Messages protocol: what is sent, what is marked for the cache, and what goes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols import ModelServer
from agentcompass_websearch.harnesses.coding_agent.protocols.anthropic_messages.session import DEFAULT_OUTPUT_TOKENS
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Reply
from agentcompass_websearch.records import Usage
from tests.harnesses.coding_agent.protocols import asking
from tests.harnesses.coding_agent.protocols.asking import ask, ask_and_reply
from tests.support.fake_model import FakeModel, call, calls, fails, says, sends

MARK = {"cache_control": {"type": "ephemeral"}}
TASK = {"type": "text", "text": "Do it."}
CONTENT = [
    {"type": "thinking", "thinking": "hm", "signature": "EqQB"},
    {"type": "redacted_thinking", "data": "EmwK"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "a"}},
    {"type": "tool_use", "id": "toolu_2", "name": "web_search", "input": {"query": "b"}},
]
USAGE = {"input_tokens": 10, "output_tokens": 5}
TURN = sends({"type": "message", "content": CONTENT, "stop_reason": "tool_use", "usage": USAGE})


def paused(*content: Mapping[str, Any]) -> Any:
    return sends({"type": "message", "content": content, "stop_reason": "pause_turn", "usage": USAGE})


async def session_on(model: FakeModel | str | ModelServer, **changes: Any) -> ModelSession:
    return await asking.session_on("anthropic", model, **changes)


async def test_the_request_is_one_of_the_protocol() -> None:
    with FakeModel(says("done"), strict=True) as model:
        await ask(await session_on(model))
    request = model.requests[0]
    assert request.path == "/v1/messages"
    assert request.headers["anthropic-version"]
    body = dict(request.body)
    tools = body.pop("tools")
    assert body == {
        "model": "m",
        "max_tokens": DEFAULT_OUTPUT_TOKENS,
        "system": [{"type": "text", "text": "Be good."} | MARK],
        "messages": [{"role": "user", "content": [TASK | MARK]}],
        "tool_choice": {"type": "auto"},
    }
    assert [(tool["name"], tool["input_schema"]["required"]) for tool in tools] == [
        ("web_search", ["query"]),
        ("web_fetch", ["url"]),
    ]


async def test_blocks_go_back_unchanged_and_all_replies_in_one_message_before_any_words() -> None:
    with FakeModel(TURN, says("done")) as model:
        session = await session_on(model)
        await ask(session)
        session.reply([Reply("toolu_1", "web_search", "one"), Reply("toolu_2", "web_search", "two")])
        session.say("Answer now.")
        await ask(session, answer_now=True)
    assert model.bodies[1]["messages"] == [
        {"role": "user", "content": [TASK]},
        {"role": "assistant", "content": CONTENT},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "two"},
                {"type": "text", "text": "Answer now."},
            ],
        },
    ]


class TestCache:
    """Marks stand where the next request will begin alike; they never pile up."""

    @staticmethod
    def marked(body: Mapping[str, Any]) -> list[str]:
        places = [("tools", block) for block in body.get("tools", ())]
        places += [("system", block) for block in body.get("system", ())]
        places += [(f"message {n}", block) for n, m in enumerate(body["messages"]) for block in m["content"]]
        return [f"{place}: {block.get('type') or block['name']}" for place, block in places if "cache_control" in block]

    async def test_prompt_task_and_the_latest_replies_are_marked_while_the_conversation_goes_on(self) -> None:
        with FakeModel(TURN, calls(call("web_search", {"query": "c"}, "toolu_3")), says("done"), strict=False) as model:
            session = await session_on(model)
            await ask_and_reply(session)
            await ask_and_reply(session)
            session.say("Answer now.")
            await ask(session, answer_now=True)
        assert [self.marked(body) for body in model.bodies] == [
            ["system: text", "message 0: text"],
            ["system: text", "message 0: text", "message 2: tool_result"],
            ["system: text"],
        ]

    async def test_without_a_system_prompt_the_tools_are_marked_and_without_tools_nothing_but_the_prompt(self) -> None:
        with FakeModel(says("one"), says("two"), says("three")) as model:
            await ask(await session_on(model, system=""))
            await ask(await session_on(model, tools=()))
            await ask(await session_on(model, tools=(), system=""))
        assert [self.marked(body) for body in model.bodies] == [
            ["tools: web_fetch", "message 0: text"],
            ["system: text"],
            [],
        ]

    async def test_a_server_that_refuses_marks_gets_none(self) -> None:
        refusal = fails(400, "system.0.cache_control: Extra inputs are not permitted")
        with FakeModel(refusal, says("one"), says("two")) as model:
            server = asking.server_of("anthropic", model)
            for _ in range(2):
                assert (await ask(await session_on(server))).tries == 1
        assert [bool(self.marked(body)) for body in model.bodies] == [True, False, False]


class TestParameters:
    @pytest.mark.parametrize(
        ("params", "default", "sent"),
        [
            ({}, None, DEFAULT_OUTPUT_TOKENS),
            ({}, 4000, 4000),
            ({"max_tokens": 9}, 4000, 9),
            ({"max_output_tokens": 9}, 4000, 9),
            ({"thinking": {"type": "enabled", "budget_tokens": 2048}}, 4000, 6048),
            ({"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 3000}, 4000, 3000),
            ({"thinking": {"type": "adaptive"}}, 4000, 4000),
        ],
    )
    async def test_the_output_limit_is_always_sent(
        self, params: dict[str, Any], default: int | None, sent: int
    ) -> None:
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params, default_output_tokens=default))
        assert model.bodies[0]["max_tokens"] == sent
        assert "max_output_tokens" not in model.bodies[0]

    async def test_the_effort_may_be_spelled_as_in_chat_completions(self) -> None:
        params = {"reasoning_effort": "high", "output_config": {"format": {"type": "json_schema"}}}
        with FakeModel(says("done")) as model:
            await ask(await session_on(model, params=params))
        assert model.bodies[0]["output_config"] == {"effort": "high", "format": {"type": "json_schema"}}
        assert "reasoning_effort" not in model.bodies[0]

    @pytest.mark.parametrize("params", [{"temperature": 0}, {"extra_body": {"top_k": 3}}])
    async def test_sampling_is_asked_of_the_version_that_knows_it(self, params: dict[str, Any]) -> None:
        with FakeModel(says("one"), says("two"), says("three")) as model:
            await ask(await session_on(model))
            await ask(await session_on(model, params=params))
            await ask(await session_on(model, params=params | {"extra_headers": {"anthropic-version": "own"}}))
        newest, older, own = (request.headers["anthropic-version"] for request in model.requests)
        assert older == "2023-06-01"
        assert newest > older
        assert own == "own"


class TestPauses:
    async def test_a_paused_turn_goes_on_to_its_end(self) -> None:
        first, second = {"type": "text", "text": "one "}, {"type": "text", "text": "two "}
        script = [paused(first), paused(second), TURN, says("done")]
        with FakeModel(*script) as model:
            session = await session_on(model)
            turn = await ask_and_reply(session)
            await ask(session)
        assert (turn.text, turn.stop, turn.usage) == ("one two I look.", "tool_use", Usage(input=30, output=15))
        assert turn.notes == ()
        assert [m["content"] for m in model.bodies[2]["messages"][1:]] == [[first, second]]
        assert model.bodies[3]["messages"][1]["content"] == [first, second, *CONTENT]

    async def test_a_model_that_only_pauses_comes_to_an_end(self) -> None:
        with FakeModel(then=paused(TASK)) as model:
            turn = await ask(await session_on(model))
        assert turn.stop == "pause_turn"
        assert len(model.requests) < 20

    async def test_a_failure_after_a_pause_leaves_no_trace(self) -> None:
        with FakeModel(paused(TASK), fails(400), says("done")) as model:
            session = await session_on(model)
            with pytest.raises(ModelFailure):
                await ask(session)
            await ask(session)
        assert model.bodies[2]["messages"] == model.bodies[0]["messages"]


async def test_input_that_is_nested_too_deeply_is_the_models_fault() -> None:
    deep: Any = {}
    for _ in range(960):
        deep = {"a": deep}
    content = [{"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": deep}]
    with FakeModel(then=sends({"content": content})) as model, pytest.raises(ModelFailure) as caught:
        await ask(await session_on(model))
    assert caught.value.fault is Fault.REFUSED
    assert caught.value.severity == "error"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
async def test_the_base_url_may_be_written_in_any_usual_way(tail: str) -> None:
    with FakeModel(says("done")) as model:
        await ask(await session_on(model.base_url.removesuffix("/v1") + tail))
    assert model.requests[0].path == "/v1/messages"
