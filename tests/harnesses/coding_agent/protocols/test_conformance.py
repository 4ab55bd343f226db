"""Requests are what the makers of the protocols say that they are: each is checked against their own types."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from tests.harnesses.coding_agent.protocols.asking import ask, ask_and_reply, session_on
from tests.support.fake_model import FakeModel, call, calls, says

TYPES: dict[str, Any] = {
    "openai-chat": CompletionCreateParamsNonStreaming,
    "openai-responses": ResponseCreateParamsNonStreaming,
    "anthropic": MessageCreateParamsNonStreaming,
}


def walked(value: Any) -> Any:
    """Return a validated value in full; what is iterable is only validated as it is walked."""
    if isinstance(value, dict):
        return {key: walked(item) for key, item in value.items()}
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return [walked(item) for item in value]
    return value


@pytest.mark.parametrize("protocol", sorted(SERVERS))
async def test_every_request_of_a_conversation_is_of_the_makers_type(protocol: str) -> None:
    adapter = TypeAdapter(TYPES[protocol])
    looks = [call("web_search", {"query": "a"}, "c1"), call("web_fetch", {"url": "https://a.example/"}, "c2")]
    script = [calls(*looks, reasoning_content="hm", content="I look."), calls(call("web_search", "{cut")), says("done")]
    with FakeModel(*script, strict=True) as model:
        session = await session_on(protocol, model, params={"reasoning_effort": "medium"}, default_output_tokens=99)
        await ask_and_reply(session)
        await ask_and_reply(session)
        session.say("Answer now.")
        await ask(session, answer_now=True)
    for body in model.bodies:
        assert walked(adapter.validate_python(body)) == body
