"""Reads a response of the Responses protocol."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import Tidy
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
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
    tidied,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.usage import read_usage
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall

_FAILED: Final = ("failed", "cancelled")
_UNFINISHED: Final = ("queued", "in_progress")
# The host's words for why a turn ended, where the protocol has one.
_STOP_OF_REASON: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
_NOTE_OF_STOP: Final = {"length": OUTPUT_LIMIT, "content_filter": CONTENT_FILTER}

type Item = dict[str, Any]


def read_response(body: bytes, *, taken_ids: Collection[str], tidy: Tidy) -> ModelMessage:
    """Return what the model said in the body of a 2xx response.

    Its `native` are the output items in their order, unchanged but for what cannot be sent back: ids of calls that are
    missing or taken, and arguments that are no JSON object.

    Args:
        body: the response as it came.
        taken_ids: ids that earlier calls of the attempt have.
        tidy: what each text but that of reasoning goes through.

    Raises:
        ModelFailure: it is no answer: not JSON, failed, still being made, or without output.
    """
    data = decode(body, tidy)
    items = _output(data, tidy)
    cut = _stop_of_cut(data, tidy)
    reader = CallReader(taken_ids, cut=bool(cut), tidy=tidy)
    native: list[Item] = []
    calls: list[ToolCall] = []
    for item in items:
        if item.get("type") == "function_call":
            call = reader.read(item.get("call_id") or item.get("id"), item.get("name"), item.get("arguments"))
            calls.append(call)
            read = {"call_id": call.call_id, "name": call.name, "arguments": call.arguments.text}
            native.append(tidied(item, tidy) | read)
        elif item.get("type") == "reasoning":
            native.append(sendable(item))
        else:
            native.append(tidied(item, tidy))
    text = "\n\n".join(filter(None, (tidy(_text(item, "output_text", "text")) for item in _messages(items))))
    notes = [_NOTE_OF_STOP[cut]] if cut in _NOTE_OF_STOP else []
    refusal = "".join(_text(item, "refusal", "refusal") for item in _messages(items))
    if not text.strip() and refusal.strip():
        text = tidy(refusal)
        notes.insert(0, REFUSAL)
    return message(
        text,
        calls,
        stop=cut or ("tool_calls" if calls else "stop"),
        reasoning=tidy("\n\n".join(_reasoning(items))),
        usage=read_usage(data.get("usage")),
        native=native,
        notes=notes,
    )


def _output(data: Mapping[str, Any], tidy: Tidy) -> list[Item]:
    status, output, error = data.get("status"), data.get("output"), data.get("error")
    if status in _FAILED:
        raise no_answer(error or f"the response is {status}, without a reason", "", tidy)
    if status in _UNFINISHED:
        raise ModelFailure(Fault.PROVIDER, f"the response is {status}: the server answers in the background")
    if not isinstance(output, list) or (error and not output):
        raise no_answer(error, "output", tidy)
    return objects(output)


def _stop_of_cut(data: Mapping[str, Any], tidy: Tidy) -> str:
    """Return why an incomplete response ended; nothing if it is complete."""
    if data.get("status") != "incomplete":
        return ""
    details = data.get("incomplete_details")
    reason = stop_word(details.get("reason"), tidy) if isinstance(details, Mapping) else ""
    return _STOP_OF_REASON.get(reason, reason) or "incomplete"


def _messages(items: Sequence[Item]) -> Iterator[Item]:
    return (item for item in items if item.get("type", "message") == "message")


def _text(item: Item, kind: str, key: str) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content if key == "text" else ""
    return "".join(text_in(part.get(key)) for part in objects(content) if part.get("type") in (kind, key))


def _reasoning(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if item.get("type") == "reasoning":
            parts = [*objects(item.get("summary")), *objects(item.get("content"))]
            yield from filter(None, (text_in(part.get("text")) for part in parts))
