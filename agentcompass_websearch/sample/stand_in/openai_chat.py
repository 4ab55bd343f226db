"""OpenAI's chat completions as the wire of a conversation: request body to `Conversation`, move to response body."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Conversation, Exchange, Move, Say, Tool
from agentcompass_websearch.sample.stand_in.mood import Mood, Moods
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, BadRequest, call_id, mood_of_call, tokens


def read_request(body: Mapping[str, Any], moods: Moods) -> tuple[Conversation, Mood]:
    """Return the conversation so far and its mood.

    Raises:
        BadRequest: the body is not a chat completion request that can be answered.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise BadRequest("'messages' must be a list of at least one message")
    if body.get("stream"):
        raise BadRequest("this server does not stream; leave 'stream' out")
    said = [_text(m) for m in messages if m.get("role") == "user"]
    replies = {m.get("tool_call_id"): _text(m) for m in messages if m.get("role") == "tool"}
    calls = [call for m in messages if m.get("role") == "assistant" for call in _dicts(m.get("tool_calls"))]
    conversation = Conversation(
        task=said[0] if said else "",
        tools=[] if body.get("tool_choice") == "none" else [_tool(tool) for tool in _dicts(body.get("tools"))],
        exchanges=[_exchange(call, replies.get(call.get("id"), "")) for call in calls],
        hurry=len(said) > 1,
    )
    begun = next((mood for call in calls if (mood := mood_of_call(call.get("id")))), None)
    return conversation, begun or moods.begin(json.dumps([messages, body.get("tools")], sort_keys=True))


def write_response(body: Mapping[str, Any], conversation: Conversation, mood: Mood, move: Move) -> dict[str, Any]:
    """Return the chat completion that answers request `body` with `move`."""
    turn = len(conversation.exchanges)
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if isinstance(move, Say):
        message["content"] = written = move.text
    else:
        written = json.dumps(dict(move.arguments))
        function = {"name": move.name, "arguments": written}
        message["tool_calls"] = [{"id": call_id(mood, turn), "type": "function", "function": function}]
    finish = "stop" if isinstance(move, Say) else "tool_calls"
    read, wrote = tokens(json.dumps([body["messages"], body.get("tools")])), tokens(written)
    return {
        "id": f"chatcmpl-{mood.name}-{turn + 1}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
    }


def _tool(tool: Mapping[str, Any]) -> Tool:
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadRequest("each of 'tools' must hold a 'function' with a 'name'")
    parameters = function.get("parameters") or {}
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return Tool(function["name"], frozenset(properties or ()))


def _exchange(call: Mapping[str, Any], reply: str) -> Exchange:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (TypeError, ValueError):
        arguments = {}
    return Exchange(
        str(call.get("id")), str(function.get("name")), arguments if isinstance(arguments, dict) else {}, reply
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in _dicts(content))
    return content if isinstance(content, str) else ""


def _dicts(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
