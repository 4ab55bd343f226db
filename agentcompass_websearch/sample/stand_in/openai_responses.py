"""OpenAI's responses as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.signing import check_signed, signature
from agentcompass_websearch.sample.stand_in.utterance import Called, Spent, Utterance, spent_on, told, utterance_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, BadRequest, openai_error

write_error = openai_error

_INCOMPLETE = {"cut": "max_output_tokens", "refused": "content_filter"}


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
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    check_signed((text_of(item.get("summary")), item.get("encrypted_content")) for item in thoughts)
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
    said = utterance_of(move, call_id)
    return write_utterance(body, said, call_id, spent(body, said))


def write_utterance(body: Mapping[str, Any], said: Utterance, name: str, cost: Spent) -> dict[str, Any]:
    """Return the response that says `said` in answer to `body` and tells its `cost`; `name` is part of its ids."""
    kind = "refusal" if said.end == "refused" else "output_text"
    parts = [_part(kind, text) for text in said.texts]
    output: list[dict[str, Any]] = []
    if said.thought:
        summary = [{"type": "summary_text", "text": said.thought}]
        output.append({"type": "reasoning", "id": f"rs_{name}", "summary": summary})
        output[0]["encrypted_content"] = signature(said.thought)
    if parts:
        output.append({"type": "message", "id": f"msg_{name}", "role": "assistant", "content": parts})
        output[-1]["status"] = "completed"
    output += [_call(one, f"fc_{name}_{number}" if number else f"fc_{name}") for number, one in enumerate(said.calls)]
    reason = _INCOMPLETE.get(said.end)
    return {
        "id": f"resp_{name}",
        "object": "response",
        "created_at": int(time.time()),
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "status": "incomplete" if reason else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": body.get("instructions"),
        "output": output,
        "tools": body.get("tools") or [],
        "tool_choice": body.get("tool_choice") or "auto",
        "parallel_tool_calls": True,
        "usage": told(_usage(cost), said.usage),
    }


def spent(body: Mapping[str, Any], said: Utterance) -> Spent:
    """Return the tokens of an answer to request `body`."""
    return spent_on([body["input"], body.get("instructions"), body.get("tools")], said)


def _usage(of: Spent) -> dict[str, Any]:
    return {
        "input_tokens": of.read,
        "input_tokens_details": {"cached_tokens": of.cached, "cache_write_tokens": 0},
        "output_tokens": of.wrote,
        "output_tokens_details": {"reasoning_tokens": of.thought},
        "total_tokens": of.read + of.wrote,
    }


def _part(kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, "refusal": text} if kind == "refusal" else {"type": kind, "text": text, "annotations": []}


def _call(called: Called, item_id: str) -> dict[str, Any]:
    item = {"type": "function_call", "id": item_id, "name": called.name, "arguments": called.arguments}
    item["status"] = "completed"
    return item if called.call_id is None else {**item, "call_id": called.call_id}
