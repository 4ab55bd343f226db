"""OpenAI's chat completions as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.utterance import Called, Spent, Utterance, spent_on, told, utterance_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, openai_error

write_error = openai_error

_FINISH = {"said": "stop", "called": "tool_calls", "cut": "length", "refused": "content_filter"}


def read_request(body: Mapping[str, Any]) -> Heard:
    """Return what a request says.

    Raises:
        BadRequest: the body is not a chat completion request that can be answered.
    """
    messages = listed(body, "messages")
    replies = {str(m.get("tool_call_id")): text_of(m.get("content")) for m in messages if m.get("role") == "tool"}
    calls = [call for m in messages if m.get("role") == "assistant" for call in dicts(m.get("tool_calls"))]
    functions = [_function(tool) for tool in dicts(body.get("tools"))]
    return Heard(
        system="\n".join(text_of(m.get("content")) for m in messages if m.get("role") in ("system", "developer")),
        said=[text_of(m.get("content")) for m in messages if m.get("role") == "user"],
        tools=[tool_of(function.get("name"), function.get("parameters")) for function in functions],
        exchanges=[
            exchange_of(call.get("id"), _function(call).get("name"), _function(call).get("arguments"), replies)
            for call in calls
        ],
        may_call=body.get("tool_choice") != "none",
    )


def write_response(body: Mapping[str, Any], move: Move, call_id: str) -> dict[str, Any]:
    """Return the chat completion that answers request `body` with `move`; a call gets `call_id`."""
    said = utterance_of(move, call_id)
    return write_utterance(body, said, call_id, spent(body, said))


def write_utterance(body: Mapping[str, Any], said: Utterance, name: str, cost: Spent) -> dict[str, Any]:
    """Return the completion that says `said` in answer to `body` and tells its `cost`; `name` is part of its id."""
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if said.end == "refused":
        message["refusal"] = "".join(said.texts)
    elif said.texts:
        parts = [{"type": "text", "text": text} for text in said.texts]
        message["content"] = said.texts[0] if len(parts) == 1 else parts
    if said.calls:
        message["tool_calls"] = [_call(one) for one in said.calls]
    if said.legacy:
        message["function_call"] = {"name": "functions", "arguments": "{}"}
    if said.thought:
        message["reasoning_content"] = said.thought
    return {
        "id": f"chatcmpl-{name}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": _FINISH[said.end]}],
        "usage": told(_usage(cost), said.usage),
    }


def spent(body: Mapping[str, Any], said: Utterance) -> Spent:
    """Return the tokens of an answer to request `body`."""
    return spent_on([body["messages"], body.get("tools")], said)


def _usage(of: Spent) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": of.read,
        "completion_tokens": of.wrote,
        "total_tokens": of.read + of.wrote,
    }
    usage |= {"prompt_tokens_details": {"cached_tokens": of.cached}} if of.cached else {}
    return usage | ({"completion_tokens_details": {"reasoning_tokens": of.thought}} if of.thought else {})


def _call(called: Called) -> dict[str, Any]:
    written = {"type": "function", "function": {"name": called.name, "arguments": called.arguments}}
    return written if called.call_id is None else {"id": called.call_id, **written}


def _function(holder: Mapping[str, Any]) -> dict[str, Any]:
    function = holder.get("function")
    return function if isinstance(function, dict) else {}
