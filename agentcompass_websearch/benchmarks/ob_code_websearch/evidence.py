"""Reads from a trajectory what the tools returned in an attempt, and what the model asked of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.naive_search import read_naive_search
from agentcompass_websearch.records import Evidence, board_of, evidence_from_observations, telemetry_of


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call of a trajectory with its reply. `content` is None where no reply was stored."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]
    content: Any = None


Reader = Callable[[Sequence[ToolCall]], Evidence]
"""Makes evidence of an attempt's tool calls, those of sub-agents included."""


def read_structured(calls: Sequence[ToolCall]) -> Evidence:
    """Read the replies of this package's tools."""
    return evidence_from_observations({"tool_call_id": c.call_id, "name": c.name, "content": c.content} for c in calls)


_READERS: Final[dict[str, Reader]] = {"coding_agent": read_structured, "naive_search_agent": read_naive_search}


def register_reader(harness_id: str, reader: Reader) -> None:
    """Let `reader` make the evidence of attempts by a harness whose tools write in a form of their own."""
    _READERS[harness_id] = reader


def evidence_of(calls: Sequence[ToolCall], harness_id: str, telemetry: Mapping[str, Any]) -> Evidence:
    """Return the evidence of an attempt; of kind ``none`` if it had no search, or nobody can read its tools' replies.

    Raises:
        ValueError: the attempt's telemetry cannot be read.
    """
    record = telemetry_of(telemetry)
    if record is not None and board_of(record.tools) == "no-search":
        return Evidence(kind="none")
    reader = _READERS.get(harness_id) or (read_structured if record is not None else None)
    return reader(calls) if reader else Evidence(kind="none")


def queries_of(calls: Sequence[ToolCall], evidence: Evidence) -> tuple[str, ...]:
    """Return every query that the model wrote, also of searches that failed or were refused."""
    asked = [query for call in calls if isinstance(query := call.arguments.get("query"), str)]
    return tuple(dict.fromkeys([*asked, *(search.query for search in evidence.searches)]))


def tool_calls_of(trajectory: Any, artifacts: Mapping[str, Any] | None) -> list[ToolCall]:
    """Return the tool calls of an attempt in order: those of its trajectory, then those of its sub-agents'.

    Takes the host's objects and their stored form alike; what has neither form is left out.
    """
    children = field_of(artifacts, "sub_agents")
    trajectories = [trajectory, *(field_of(child, "trajectory") for child in _items(children))]
    return [call for one in trajectories for step in steps_of(one) for call in _calls(step)]


def steps_of(trajectory: Any) -> list[Any]:
    """Return the steps of a trajectory, an object of the host's or its stored form."""
    return _items(field_of(trajectory, "steps"))


def field_of(thing: Any, name: str) -> Any:
    """Return a field of an object or of its stored form, None if it has none."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _calls(step: Any) -> Iterator[ToolCall]:
    asked: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for call in _items(field_of(field_of(step, "assistant_content"), "tool_calls")):
        function = field_of(call, "function")
        name = str(field_of(function, "name") or "")
        asked[str(field_of(call, "id") or "")] = (name, _arguments(field_of(function, "arguments")))
    for reply in _items(field_of(step, "observation")):
        call_id = str(field_of(reply, "tool_call_id") or "")
        name, arguments = asked.pop(call_id, ("", {}))
        yield ToolCall(call_id, str(field_of(reply, "name") or name), arguments, field_of(reply, "content"))
    for call_id, (name, arguments) in asked.items():
        yield ToolCall(call_id, name, arguments)


def _arguments(raw: Any) -> Mapping[str, Any]:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            return {}
    return raw if isinstance(raw, Mapping) else {}


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
