"""Anthropic's messages as the wire of a conversation: request body to `Heard`, move to response body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Move
from agentcompass_websearch.sample.stand_in.heard import Heard, dicts, exchange_of, listed, text_of, tool_of
from agentcompass_websearch.sample.stand_in.signing import check_signed, signature
from agentcompass_websearch.sample.stand_in.utterance import Called, Spent, Utterance, spent_on, told, utterance_of
from agentcompass_websearch.sample.stand_in.wire import FINGERPRINT, MODEL, BadRequest

_STOP = {"said": "end_turn", "called": "tool_use", "cut": "max_tokens", "refused": "refusal"}
_ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


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
    check_signed((b.get("thinking"), b.get("signature")) for b in of_model if b.get("type") == "thinking")
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
    said = utterance_of(move, call_id)
    return write_utterance(body, said, call_id, spent(body, said))


def write_utterance(body: Mapping[str, Any], said: Utterance, name: str, cost: Spent) -> dict[str, Any]:
    """Return the message that says `said` in answer to `body` and tells its `cost`; `name` is part of its id."""
    content: list[dict[str, Any]] = []
    if said.thought:
        content.append({"type": "thinking", "thinking": said.thought, "signature": signature(said.thought)})
    content += [{"type": "text", "text": text, "citations": None} for text in said.texts]
    content += map(_call, said.calls)
    return {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "system_fingerprint": FINGERPRINT,
        "content": content,
        "stop_reason": _STOP[said.end],
        "stop_sequence": None,
        "usage": told(_usage(cost), said.usage),
    }


def write_error(error: BadRequest) -> dict[str, Any]:
    """Return the body of a refusal."""
    kind = _ERROR_TYPES.get(error.status) or ("invalid_request_error" if error.status < 500 else "api_error")
    return {"type": "error", "error": {"type": kind, "message": str(error)}}


def spent(body: Mapping[str, Any], said: Utterance) -> Spent:
    """Return the tokens of an answer to request `body`."""
    return spent_on([body["messages"], body.get("system"), body.get("tools")], said)


def _usage(of: Spent) -> dict[str, Any]:
    # What comes from the cache is counted apart from the input here.
    usage: dict[str, Any] = {"input_tokens": of.read - of.cached, "output_tokens": of.wrote}
    usage |= {"cache_read_input_tokens": of.cached} if of.cached else {}
    return usage | ({"output_tokens_details": {"thinking_tokens": of.thought}} if of.thought else {})


def _call(called: Called) -> dict[str, Any]:
    block = {"type": "tool_use", "name": called.name, "input": _object_in(called.arguments)}
    return block if called.call_id is None else {"id": called.call_id, **block}


def _object_in(arguments: Any) -> Any:
    """Return the object that JSON text holds: this protocol has no text there; what is no object stays as it is."""
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments
    return read if isinstance(read, dict) else arguments
