"""Reads a Chat Completions response, whatever a server makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.arguments import cut_off, read_arguments
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import (
    DETAIL_CHARS,
    Fault,
    ModelFailure,
    failure_of_error_object,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.usage import read_usage
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall
from agentcompass_websearch.records import Usage

OUTPUT_LIMIT: Final = "output limit reached"
EMPTY_TURN: Final = "empty turn: neither text nor a tool call"
TEXT_CALL: Final = "a tool call stands in the text and was not run: check the tool parser of the model server"
REFUSAL: Final = "the model refused"
CONTENT_FILTER: Final = "the server's content filter cut the answer"

_CUT: Final = ("length", "max_tokens")
_NAME_ON_WIRE: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_TEXT_CALL_MARKS: Final = (
    "<tool_call",
    "<function_call",
    "<function=",
    "<invoke name=",
    "<|tool_call",
    "<|python_tag|>",
    "\uff5ctool\u2581call",
    "[TOOL_CALLS]",
)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """The assistant's message of one response. Every call has an id that no other call of the attempt has."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: str
    reasoning: str
    usage: Usage | None
    notes: tuple[str, ...]


def read_completion(body: bytes, *, taken_ids: Collection[str], tidy: Callable[[str], str]) -> ChatMessage:
    """Return the message in the body of a 2xx response.

    Args:
        body: the response as it came.
        taken_ids: ids that earlier calls of the attempt have.
        tidy: what each text goes through.

    Raises:
        ModelFailure: it is no completion: not JSON, an error object, or without a choice.
    """
    data = _decode(body, tidy)
    choice = _choice(data, tidy)
    message: Mapping[str, Any] = choice["message"]
    stop = str(choice.get("finish_reason") or "")
    text = tidy(_text(message.get("content")))
    refusal = message.get("refusal")
    notes = []
    if not text.strip() and isinstance(refusal, str) and refusal.strip():
        text = tidy(refusal)
        notes.append(REFUSAL)
    calls = _calls(message.get("tool_calls"), cut=stop in _CUT, taken_ids=taken_ids, tidy=tidy)
    if stop in _CUT:
        notes.append(OUTPUT_LIMIT)
    if stop == "content_filter":
        notes.append(CONTENT_FILTER)
    if not calls and not text.strip():
        notes.append(EMPTY_TURN)
    if not calls and _holds_call(text):
        notes.append(TEXT_CALL)
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return ChatMessage(
        text=text,
        calls=calls,
        stop=stop,
        reasoning=tidy(reasoning) if isinstance(reasoning, str) else "",
        usage=read_usage(data.get("usage")),
        notes=tuple(notes),
    )


def _decode(body: bytes, tidy: Callable[[str], str]) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        start = tidy(body[: 2 * DETAIL_CHARS].decode("utf-8", "replace").strip())
        # What begins like a completion was cut on its way; anything else never was one.
        fault = Fault.BROKEN if start.startswith("{") else Fault.NOT_JSON
        raise ModelFailure(fault, f"the answer is not JSON: {start or 'nothing'}", status=200) from None
    if not isinstance(data, Mapping):
        raise ModelFailure(Fault.NOT_JSON, "the answer is JSON, but no object", status=200)
    return data


def _choice(data: Mapping[str, Any], tidy: Callable[[str], str]) -> Mapping[str, Any]:
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    choice = choice if isinstance(choice, Mapping) else {}
    message = choice.get("message")
    error = data.get("error") or choice.get("error")
    if isinstance(message, Mapping) and (message.get("content") or message.get("tool_calls") or not error):
        return choice
    if error:
        raise failure_of_error_object(error, tidy)
    raise ModelFailure(Fault.SERVER, "the answer has no choices", status=200)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part if isinstance(part, str) else _text_of_part(part) for part in parts)
    return "".join(texts)


def _text_of_part(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("type") not in ("text", "output_text", None):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _calls(raw: object, *, cut: bool, taken_ids: Collection[str], tidy: Callable[[str], str]) -> tuple[ToolCall, ...]:
    items = [item for item in raw if isinstance(item, Mapping)] if isinstance(raw, list) else []
    ids = set(taken_ids)
    calls = []
    for item in items:
        function = item.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id = _unique_id(item.get("id"), ids)
        ids.add(call_id)
        arguments = function.get("arguments")
        arguments = tidy(arguments) if isinstance(arguments, str) else arguments
        calls.append(
            ToolCall(call_id, _name(function.get("name"), tidy), cut_off() if cut else read_arguments(arguments))
        )
    return tuple(calls)


def _unique_id(raw: object, taken: set[str]) -> str:
    if isinstance(raw, str) and raw and raw not in taken:
        return raw
    number = len(taken) + 1
    while (made := f"call_{number}") in taken:
        number += 1
    return made


def _name(raw: object, tidy: Callable[[str], str]) -> str:
    """Return a name that can be sent back: a server may refuse a history with any other."""
    name = tidy(raw).strip() if isinstance(raw, str) else ""
    if _NAME_ON_WIRE.fullmatch(name):
        return name
    return _NOT_IN_NAME.sub("_", name)[:64] or "unnamed"


def _holds_call(text: str) -> bool:
    """Whether `text` looks like a tool call that the server did not take out of it."""
    if any(mark in text for mark in _TEXT_CALL_MARKS):
        return True
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, Mapping) and "name" in data and ("arguments" in data or "parameters" in data)
