"""Reads a Chat Completions response, whatever a server makes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import Tidy
from agentcompass_websearch.harnesses.coding_agent.protocols.message import (
    CONTENT_FILTER,
    OUTPUT_LIMIT,
    REFUSAL,
    CallReader,
    ModelMessage,
    decode,
    message,
    no_answer,
    objects,
    sendable,
    stop_word,
    text_in,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.dialect import DETAILS, EXTRA, REASONING
from agentcompass_websearch.harnesses.coding_agent.protocols.usage import read_usage
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall

_CUT: Final = ("length", "max_tokens", "model_length")
_BROKEN_OFF: Final = "error"


def read_completion(body: bytes, *, taken_ids: Collection[str], tidy: Tidy) -> ModelMessage:
    """Return the message in the body of a 2xx response.

    Its `native` is the assistant message: the keys of the protocol, always with text and arguments that servers can
    read again, and beside them what some servers want back and `ChatDialect.written` leaves out for all others.

    Args:
        body: the response as it came.
        taken_ids: ids that earlier calls of the attempt have.
        tidy: what each text goes through.

    Raises:
        ModelFailure: it is no completion: not JSON, an error object, or without a choice.
    """
    data = decode(body, tidy)
    choice = _choice(data, tidy)
    said: Mapping[str, Any] = choice["message"]
    stop = stop_word(choice.get("finish_reason"), tidy)
    text = tidy(_text(said.get("content")))
    notes = []
    refusal = text_in(said.get("refusal"))
    if not text.strip() and refusal.strip():
        text = tidy(refusal)
        notes.append(REFUSAL)
    cut = stop.lower() in _CUT
    if cut:
        notes.append(OUTPUT_LIMIT)
    if stop == "content_filter":
        notes.append(CONTENT_FILTER)
    reader = CallReader(taken_ids, cut=cut, tidy=tidy)
    raw_calls = objects(said.get("tool_calls"))
    calls = [reader.read(raw.get("id"), *_function(raw)) for raw in raw_calls]
    reasoning = tidy(text_in(said.get(REASONING) or said.get("reasoning")) or _thinking(said.get("content")))
    native: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        native["tool_calls"] = [_written(call, raw) for call, raw in zip(calls, raw_calls, strict=True)]
        native[REASONING] = reasoning
        if DETAILS in said:
            native[DETAILS] = sendable(said[DETAILS])
    usage = read_usage(data.get("usage"))
    return message(text, calls, stop=stop, reasoning=reasoning, usage=usage, native=native, notes=notes)


def _choice(data: Mapping[str, Any], tidy: Tidy) -> Mapping[str, Any]:
    choice = next(iter(objects(data.get("choices"))), {})
    said = choice.get("message")
    error = data.get("error") or choice.get("error")
    if choice.get("finish_reason") == _BROKEN_OFF:
        raise no_answer(error, "end", tidy)
    if isinstance(said, Mapping) and (said.get("content") or said.get("tool_calls") or not error):
        return choice
    raise no_answer(error, "choices", tidy)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _text_of_part(part) for part in parts)


def _text_of_part(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("type") not in ("text", "output_text", None):
        return ""
    return text_in(part.get("text"))


def _thinking(content: object) -> str:
    """Return what parts of content that are no answer hold of the model's thoughts, as Mistral's models give them."""
    return "\n\n".join(
        "".join(text_in(piece.get("text")) for piece in objects(part.get("thinking"))) or text_in(part.get("thinking"))
        for part in objects(content)
        if part.get("type") == "thinking"
    )


def _function(raw: Mapping[str, Any]) -> tuple[object, object]:
    function = raw.get("function")
    return (function.get("name"), function.get("arguments")) if isinstance(function, Mapping) else (None, None)


def _written(call: ToolCall, raw: Mapping[str, Any]) -> dict[str, Any]:
    written: dict[str, Any] = {
        "id": call.call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments.text},
    }
    return written | ({EXTRA: sendable(raw[EXTRA])} if EXTRA in raw else {})
