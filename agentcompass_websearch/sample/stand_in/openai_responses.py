"""OpenAI's responses as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move, Say
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, BadRequest, openai_error, tokens

write_error = openai_error


def read_request(body: Mapping[str, Any]) -> Heard:
    """Return what a request says; all of it has to be in the request, since nothing is kept here.

    Raises:
        BadRequest: the body is not a request for a response that can be answered.
    """
    for name in ("previous_response_id", "conversation", "background"):
        if body.get(name):
            raise BadRequest(f"this server keeps nothing; leave '{name}' out and send the whole conversation")
    given = body.get("input")
    items = listed({**body, "input": [{"role": "user", "content": given}]} if isinstance(given, str) else body, "input")
    outputs = [item for item in items if item.get("type") == "function_call_output"]
    replies = {str(item.get("call_id")): text_of(item.get("output")) for item in outputs}
    prompts = [text_of(item.get("content")) for item in items if item.get("role") in ("system", "developer")]
    return Heard(
        system="\n".join([text_of(body.get("instructions")), *prompts]).strip("\n"),
        said=[text_of(item.get("content")) for item in items if item.get("role") == "user"],
        tools=[tool_of(tool.get("name"), tool.get("parameters")) for tool in dicts(body.get("tools"))],
        exchanges=[
            exchange_of(item.get("call_id"), item.get("name"), item.get("arguments"), replies)
            for item in items
            if item.get("type") == "function_call"
        ],
        may_call=body.get("tool_choice") != "none",
    )


def write_response(body: Mapping[str, Any], move: Move, call_id: str) -> dict[str, Any]:
    """Return the response that answers request `body` with `move`; a call gets `call_id`."""
    item: dict[str, Any]
    if isinstance(move, Say):
        written = move.text
        part = {"type": "output_text", "text": written, "annotations": []}
        item = {"type": "message", "id": f"msg_{call_id}", "role": "assistant", "content": [part]}
    else:
        written = json.dumps(dict(move.arguments))
        item = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": move.name}
        item["arguments"] = written
    read, wrote = tokens(json.dumps([body["input"], body.get("instructions"), body.get("tools")])), tokens(written)
    return {
        "id": f"resp_{call_id}",
        "object": "response",
        "created_at": int(time.time()),
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "output": [item | {"status": "completed"}],
        "tools": body.get("tools") or [],
        "tool_choice": body.get("tool_choice") or "auto",
        "parallel_tool_calls": True,
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": wrote,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + wrote,
        },
    }
