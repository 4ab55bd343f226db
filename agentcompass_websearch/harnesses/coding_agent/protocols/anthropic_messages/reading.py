"""Reads a response of the Messages protocol."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import Tidy
from agentcompass_websearch.harnesses.coding_agent.protocols.message import (
    CONTEXT_FULL,
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
    tidied,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.usage import read_messages_usage
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall

PAUSED: Final = "pause_turn"
_REFUSED: Final = "refusal"
_NOTE_OF_STOP: Final = {
    "max_tokens": OUTPUT_LIMIT,
    "model_context_window_exceeded": CONTEXT_FULL,
    _REFUSED: REFUSAL,
}
# Signed by the server: a changed one is refused.
_SIGNED: Final = ("thinking", "redacted_thinking")

type Block = dict[str, Any]


def read_message(body: bytes, *, taken_ids: Collection[str], tidy: Tidy) -> ModelMessage:
    """Return what the model said in the body of a 2xx response.

    Its `native` are the content blocks in their order, thinking unchanged; left out or mended is what cannot be sent
    back: blank text, ids of calls that are missing or taken, and input that is no object.

    Args:
        body: the response as it came.
        taken_ids: ids that earlier calls of the attempt have.
        tidy: what each text but that of thinking goes through.

    Raises:
        ModelFailure: it is no message: not JSON, an error object, or without content.
    """
    data = decode(body, tidy)
    blocks = _content(data, tidy)
    stop = stop_word(data.get("stop_reason"), tidy)
    reader = CallReader(taken_ids, cut=stop in _NOTE_OF_STOP, tidy=tidy)
    native: list[Block] = []
    calls: list[ToolCall] = []
    for block in blocks:
        kind = block.get("type")
        # What stands beside a refusal is not meant to be run.
        if kind == "tool_use" and stop != _REFUSED:
            call = reader.read(block.get("id"), block.get("name"), block.get("input"))
            calls.append(call)
            read = {"id": call.call_id, "name": call.name, "input": dict(call.arguments.values)}
            native.append(tidied(block, tidy) | read)
        elif kind in _SIGNED:
            native.append(sendable(block))
        elif kind != "tool_use" and (kind != "text" or text_in(block.get("text")).strip()):
            native.append(tidied(block, tidy))
    text = "".join(tidy(text_in(block.get("text"))) for block in blocks if block.get("type") == "text")
    if stop == _REFUSED and not text.strip():
        details = data.get("stop_details")
        text = tidy(text_in(details.get("explanation"))) if isinstance(details, Mapping) else ""
    return message(
        text,
        calls,
        stop=stop,
        reasoning=tidy("\n\n".join(filter(None, (text_in(block.get("thinking")) for block in blocks)))),
        usage=read_messages_usage(data.get("usage")),
        native=native,
        notes=[_NOTE_OF_STOP[stop]] if stop in _NOTE_OF_STOP else [],
    )


def _content(data: Mapping[str, Any], tidy: Tidy) -> list[Block]:
    content, error = data.get("content"), data.get("error")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or (error and not content):
        raise no_answer(error, "content", tidy)
    return objects(content)
