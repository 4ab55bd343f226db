"""What the loop knows of a model: a session that is told things and gives turns. One class per wire protocol has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agentcompass_websearch.harnesses.coding_agent.arguments import Arguments
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema
from agentcompass_websearch.records import Usage


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model asks for. `call_id` is unique in the attempt, `name` is the tool's name on the wire."""

    call_id: str
    name: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one `ToolCall`, as the model gets it."""

    call_id: str
    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one request to the model came to.

    `stop` is the server's own word for why it ended (``stop``, ``length``, ``tool_calls``, ...); only `calls` says
    whether there are calls. `seconds` is the try that counted, without the waits between tries and that for room under
    the cost cap, which is `queue_s`. Unknown usage and unknown cost are None. `notes` are oddities for whoever reads
    the result.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    stop: str = ""
    reasoning: str = ""
    seconds: float = 0.0
    tries: int = 1
    queue_s: float = 0.0
    usd: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and US dollars; None: unknown."""

    usage: Usage | None = field(default_factory=Usage)
    usd: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Opening:
    """What a conversation begins with.

    `params` are the user's model parameters, `default_output_tokens` the output limit where they have none (None leaves
    it to the server). An empty `system` is left out; without `tools` the model is offered none. Each text that comes
    from the server goes through `tidy`: cleaning, and removal of secrets.
    """

    system: str
    prompt: str
    tools: tuple[ToolSchema, ...]
    params: Mapping[str, Any]
    default_output_tokens: int | None
    tidy: Callable[[str], str]
    api_key: str = field(default="", repr=False)


class ModelSession(Protocol):
    """A conversation with one model over one wire protocol, its history kept in that protocol's own form."""

    @property
    def besides(self) -> Spent:
        """What was paid for answers of which no turn has come."""
        ...

    def say(self, text: str) -> None:
        """Add `text` as the user's words, before the next turn."""

    def reply(self, replies: Sequence[Reply]) -> None:
        """Answer all calls of the last turn, in their order."""

    async def next_turn(self, *, answer_now: bool, deadline: float) -> Turn:
        """Ask the model for its next turn; with `answer_now` it may call no tool.

        `deadline` is a value of ``time.monotonic()`` by which the turn ends.

        Raises:
            ModelFailure: no turn came of it; the history is as it was before.
            CostCapReached: the request would have cost more than is left.
        """
        ...
