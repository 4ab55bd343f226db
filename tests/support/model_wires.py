"""How a fake model server says the same thing over each wire, and what a strict server of each wire refuses.

The common form is that of Chat Completions: a message, a word for its end, a usage object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"


@dataclass(frozen=True)
class Said:
    """What the model says, in the common form."""

    message: Mapping[str, Any]
    finish_reason: str | None
    usage: Any


def written(said: Said, path: str) -> dict[str, Any]:
    """Return the response body that says it over the wire of `path`."""
    return _WRITERS.get(path.partition("?")[0], _chat)(said)


def written_error(status: int, message: str, code: str | None, param: str | None, path: str) -> dict[str, Any]:
    """Return the body of an error over the wire of `path`."""
    if path.startswith(MESSAGES):
        kind = code or _ERROR_TYPES.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return {"error": {"message": message, "type": "error", "code": code, "param": param}}


_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _chat(said: Said) -> dict[str, Any]:
    message = {"role": "assistant", **said.message}
    choice = {"index": 0, "finish_reason": said.finish_reason, "message": message}
    return {"id": "cmpl-1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": said.usage}


def _responses(said: Said) -> dict[str, Any]:
    message = said.message
    output: list[dict[str, Any]] = []
    if message.get("reasoning_content"):
        summary = [{"type": "summary_text", "text": message["reasoning_content"]}]
        output.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VjcmV0"})
    if message.get("content"):
        part = {"type": "output_text", "text": message["content"], "annotations": []}
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]})
    for number, call in enumerate(message.get("tool_calls") or (), 1):
        item = {"type": "function_call", "id": f"fc_{number}", "status": "completed", **call["function"]}
        output.append(item | ({"call_id": call["id"]} if "id" in call else {}))
    body: dict[str, Any] = {"id": "resp_1", "object": "response", "model": "m", "error": None, "output": output}
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(said.finish_reason or "")
    body |= {"status": "incomplete" if reason else "completed", "incomplete_details": reason and {"reason": reason}}
    return body | {
        "usage": _renamed(said.usage, {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"})
    }


def _messages(said: Said) -> dict[str, Any]:
    message = said.message
    content: list[dict[str, Any]] = []
    if message.get("reasoning_content"):
        content.append({"type": "thinking", "thinking": message["reasoning_content"], "signature": "c2lnbmVk"})
    if message.get("content"):
        content.append({"type": "text", "text": message["content"]})
    for call in message.get("tool_calls") or ():
        function = call["function"]
        block = {"type": "tool_use", "name": function["name"], "input": _input(function["arguments"])}
        content.append(block | ({"id": call["id"]} if "id" in call else {}))
    stop = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}.get(said.finish_reason or "")
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": stop or said.finish_reason,
        "stop_sequence": None,
        "usage": _renamed(said.usage, {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}),
    }


_WRITERS: Mapping[str, Callable[[Said], dict[str, Any]]] = {CHAT: _chat, RESPONSES: _responses, MESSAGES: _messages}


def _input(arguments: object) -> object:
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments


def _renamed(usage: Any, names: Mapping[str, str]) -> Any:
    return {names.get(k, k): v for k, v in usage.items()} if isinstance(usage, Mapping) else usage


def refusal(path: str, body: Mapping[str, Any]) -> str:
    """Return what a server that is as narrow as can be has against a request; nothing if it takes it.

    Refused are assistant messages without content, roles and keys that are not of the protocol, tool calls without
    exactly one reply each, and on the two wires that sign it, reasoning that did not come back as it was.
    """
    check = {RESPONSES: _refused_items, MESSAGES: _refused_blocks}.get(path.partition("?")[0], _refused_messages)
    return check(body) or ("" if "tools" not in body or "tool_choice" in body else "tools without tool_choice")


_MESSAGE_KEYS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}


def _refused_messages(body: Mapping[str, Any]) -> str:
    for message in body["messages"]:
        keys = _MESSAGE_KEYS.get(message["role"])
        if keys is None:
            return f"unknown role {message['role']}"
        if not isinstance(message.get("content"), str):
            return "content is missing"
        if set(message) - keys:
            return f"unknown keys {set(message) - keys}"
    called = [call["id"] for message in body["messages"] for call in message.get("tool_calls", ())]
    replied = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    return _unpaired(called, replied)


_ITEM_KEYS = {
    "reasoning": {"type", "id", "summary", "encrypted_content"},
    "function_call": {"type", "id", "call_id", "name", "arguments", "status"},
    "function_call_output": {"type", "call_id", "output"},
    "message": {"type", "id", "role", "status", "content"},
}


def _refused_items(body: Mapping[str, Any]) -> str:
    if body.get("store") is not False or "reasoning.encrypted_content" not in body.get("include", ()):
        return "nothing is stored here, so reasoning has to be asked for encrypted"
    before = ""
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind not in _ITEM_KEYS or set(item) - _ITEM_KEYS[kind]:
            return f"unknown item or keys: {item}"
        if kind == "reasoning" and (item.get("encrypted_content") != "c2VjcmV0" or "summary" not in item):
            return "reasoning has been changed"
        if before == "reasoning" and kind not in ("function_call", "message"):
            return "Item 'rs_1' of type 'reasoning' was provided without its required following item."
        before = kind
    called = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
    replied = [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"]
    return _unpaired(called, replied)


_BLOCK_KEYS = {
    "text": {"type", "text", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "cache_control"},
}


def _refused_blocks(body: Mapping[str, Any]) -> str:
    if not isinstance(body.get("max_tokens"), int):
        return "max_tokens: Field required"
    if json.dumps(body).count('"cache_control"') > 4:
        return "A maximum of 4 blocks with cache_control may be provided."
    messages = body["messages"]
    if [m["role"] for m in messages] != [("user", "assistant")[n % 2] for n in range(len(messages))]:
        return "roles must alternate"
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        blocks = message["content"]
        for block in blocks:
            if set(block) - _BLOCK_KEYS.get(block["type"], set()):
                return f"messages.{number}: unknown block or keys: {block}"
            if block["type"] == "text" and not block["text"].strip():
                return f"messages.{number}: text content blocks must be non-empty"
            if block["type"] == "thinking" and block["signature"] != "c2lnbmVk":
                return f"messages.{number}: Invalid `signature` in `thinking` block"
            if block["type"] == "tool_use" and not isinstance(block["input"], dict):
                return f"messages.{number}: tool_use.input: Input should be a valid dictionary"
        replied = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if [block["type"] for block in blocks[: len(replied)]] != ["tool_result"] * len(replied):
            return f"messages.{number}: tool_result blocks must come first"
        if unpaired := _unpaired(open_calls, replied):
            return f"messages.{number}: {unpaired}"
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return _unpaired(open_calls, [])


def _unpaired(called: list[str], replied: list[str]) -> str:
    paired = called == replied and len(set(called)) == len(called)
    return "" if paired else f"each call needs one reply, in order: {called} {replied}"
