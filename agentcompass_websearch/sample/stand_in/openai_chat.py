"""OpenAI's chat completions as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move, Say
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, openai_error, tokens

write_error = openai_error


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
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if isinstance(move, Say):
        message["content"] = written = move.text
    else:
        written = json.dumps(dict(move.arguments))
        function = {"name": move.name, "arguments": written}
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
    finish = "stop" if isinstance(move, Say) else "tool_calls"
    read, wrote = tokens(json.dumps([body["messages"], body.get("tools")])), tokens(written)
    return {
        "id": f"chatcmpl-{call_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
    }


def _function(holder: Mapping[str, Any]) -> dict[str, Any]:
    function = holder.get("function")
    return function if isinstance(function, dict) else {}
