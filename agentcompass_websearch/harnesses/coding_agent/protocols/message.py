"""What a response of any protocol is made into, and the parts of reading that are the same for all of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.arguments import cut_off, read_arguments
from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import Tidy, failure_of_error_object
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import DETAIL_CHARS, Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall
from agentcompass_websearch.records import Usage
from agentcompass_websearch.text import join_surrogates

OUTPUT_LIMIT: Final = "output limit reached"
CONTEXT_FULL: Final = "the model's context is full: the answer was cut"
EMPTY_TURN: Final = "empty turn: neither text nor a tool call"
TEXT_CALL: Final = "a tool call stands in the text and was not run: check the tool parser of the model server"
REFUSAL: Final = "the model refused"
CONTENT_FILTER: Final = "the server's content filter cut the answer"

_STOP_CHARS: Final = 64
_ID_CHARS: Final = 256
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
class ModelMessage:
    """What the model said in one response. Every call has an id that no other call of the attempt has.

    `native` is what goes back into the history, in the protocol's own form.
    """

    text: str
    calls: tuple[ToolCall, ...]
    stop: str
    reasoning: str
    usage: Usage | None
    notes: tuple[str, ...]
    native: Any


def message(
    text: str,
    calls: Iterable[ToolCall],
    *,
    stop: str,
    reasoning: str,
    usage: Usage | None,
    native: Any,
    notes: Iterable[str] = (),
) -> ModelMessage:
    """Make a message; an empty one, and one whose text looks like a call, are noted."""
    made = tuple(calls)
    remarks = [*notes]
    if not made and not text.strip():
        remarks.append(EMPTY_TURN)
    if not made and _holds_call(text):
        remarks.append(TEXT_CALL)
    return ModelMessage(text, made, stop, reasoning, usage, tuple(remarks), native)


class CallReader:
    """Reads the calls of one response, in their order.

    Args:
        taken_ids: ids that earlier calls of the attempt have.
        cut: whether the response was cut, so that none of its calls may run.
        tidy: what each text goes through.
    """

    def __init__(self, taken_ids: Collection[str], *, cut: bool, tidy: Tidy) -> None:
        self._taken = set(taken_ids)
        self._cut = cut
        self._tidy = tidy

    def read(self, call_id: object, name: object, arguments: object) -> ToolCall:
        """Return a call that can be run and sent back, whatever the server made of its parts."""
        unique = _unique_id(call_id, self._taken, self._tidy)
        self._taken.add(unique)
        read = cut_off() if self._cut else read_arguments(tidied(arguments, self._tidy))
        return ToolCall(unique, _name(name, self._tidy), read)


def decode(body: bytes, tidy: Tidy) -> Mapping[str, Any]:
    """Return the JSON object in the body of a 2xx response.

    Raises:
        ModelFailure: there is none.
    """
    data = None
    with suppress(ValueError, RecursionError):
        data = json.loads(body)
    if isinstance(data, Mapping):
        return data
    start = tidy(body.decode("utf-8", "replace")).strip()[:DETAIL_CHARS]
    # What begins like an answer was cut on its way; anything else never was one.
    fault = Fault.BROKEN if start.startswith("{") else Fault.NOT_JSON
    raise ModelFailure(fault, f"the answer is no JSON object: {start or 'nothing'}", status=200)


def no_answer(error: object, missing: str, tidy: Tidy) -> ModelFailure:
    """Return the failure of a 200 response that has an `error` object, or else lacks what is `missing`."""
    if error:
        return failure_of_error_object(error, tidy)
    return ModelFailure(Fault.SERVER, f"the answer has no {missing}", status=200)


def objects(raw: object) -> list[dict[str, Any]]:
    """Return the objects in a list; anything else in it, or in its place, is left out."""
    return [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []


def text_in(value: object) -> str:
    """Return `value` if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def stop_word(value: object, tidy: Tidy) -> str:
    """Return a server's own word for why a response ended, fit for a record."""
    return tidy(text_in(value))[:_STOP_CHARS]


def sendable(value: Any) -> Any:
    """Return what a server gave, fit to be sent back: unchanged, but for what no request can carry.

    That are surrogates, and NaN and infinite numbers, which are no JSON.
    """
    return _mapped(value, join_surrogates)


def tidied(value: Any, tidy: Tidy) -> Any:
    """Return what a server gave with every text in it tidied."""
    return _mapped(value, tidy)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _unique_id(raw: object, taken: set[str], tidy: Tidy) -> str:
    if isinstance(raw, str) and 0 < len(raw) <= _ID_CHARS and raw not in taken and tidy(raw) == raw:
        return raw
    number = len(taken) + 1
    # Nine letters and digits: the one form that every server takes.
    while (made := f"call{number:05}") in taken:
        number += 1
    return made


def _name(raw: object, tidy: Tidy) -> str:
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
