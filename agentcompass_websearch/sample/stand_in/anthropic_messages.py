"""Anthropic's messages as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move, Say
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, BadRequest, tokens


def read_request(body: Mapping[str, Any]) -> Heard:
    """Return what a request says.

    Raises:
        BadRequest: the body is not a request for a message that can be answered.
    """
    messages = listed(body, "messages")
    if not isinstance(body.get("max_tokens"), int):
        raise BadRequest("max_tokens: Field required")
    of_user = [m.get("content") for m in messages if m.get("role") == "user"]
    of_model = [block for m in messages if m.get("role") == "assistant" for block in dicts(m.get("content"))]
    results = [block for content in of_user for block in dicts(content) if block.get("type") == "tool_result"]
    replies = {str(block.get("tool_use_id")): text_of(block.get("content")) for block in results}
    choice = body.get("tool_choice")
    return Heard(
        system=text_of(body.get("system")),
        # A message that holds nothing but results says nothing.
        said=[text_of(content) for content in of_user if text_of(content) or not dicts(content)],
        tools=[tool_of(tool.get("name"), tool.get("input_schema")) for tool in dicts(body.get("tools"))],
        exchanges=[
            exchange_of(block.get("id"), block.get("name"), block.get("input"), replies)
            for block in of_model
            if block.get("type") == "tool_use"
        ],
        may_call=not (isinstance(choice, dict) and choice.get("type") == "none"),
    )


def write_response(body: Mapping[str, Any], move: Move, call_id: str) -> dict[str, Any]:
    """Return the message that answers request `body` with `move`; a call gets `call_id`."""
    block: dict[str, Any]
    if isinstance(move, Say):
        written = move.text
        block = {"type": "text", "text": written, "citations": None}
    else:
        written = json.dumps(dict(move.arguments))
        block = {"type": "tool_use", "id": call_id, "name": move.name, "input": dict(move.arguments)}
    read = tokens(json.dumps([body["messages"], body.get("system"), body.get("tools")]))
    return {
        "id": f"msg_{call_id}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "content": [block],
        "stop_reason": "end_turn" if isinstance(move, Say) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": tokens(written)},
    }


def write_error(error: BadRequest) -> dict[str, Any]:
    """Return the body of a refusal."""
    kind = "not_found_error" if error.status == 404 else "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": str(error)}}
