"""A conversation as the policy sees it, whatever protocol it came by, and the moves that the policy can make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_ANNOUNCED_FENCE = re.compile(r"(?:^[^\n]*:\s*)?" + _FENCE.pattern, re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool on offer: its name on the wire and the names of its parameters."""

    name: str
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tool call that was made and the reply that came back, both as text."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]
    reply: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that has been said. `task` is the first user message, `hurry` whether an answer is demanded now."""

    task: str
    tools: Sequence[Tool] = ()
    exchanges: Sequence[Exchange] = ()
    hurry: bool = False

    @property
    def ticket(self) -> str:
        """The task without its code and the line that announces it."""
        return _ANNOUNCED_FENCE.sub("", self.task).strip()

    @property
    def starter(self) -> str:
        """The last code block of the task, empty where there is none."""
        blocks = _FENCE.findall(self.task)
        return blocks[-1][1] if blocks else ""

    def tool_with(self, parameter: str) -> str | None:
        """Return the name of the tool that takes `parameter`, or None."""
        return next((tool.name for tool in self.tools if parameter in tool.parameters), None)


@dataclass(frozen=True, slots=True)
class Use:
    """The move to call a tool."""

    name: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Say:
    """The move to answer."""

    text: str


type Move = Use | Say
