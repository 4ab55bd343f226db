"""What the stand-in says in one turn, before a protocol writes it; and the tokens that it takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentcompass_websearch.sample.stand_in.conversation import Move, Say
from agentcompass_websearch.sample.stand_in.wire import tokens

type End = Literal["said", "called", "cut", "refused"]
type UsageForm = Literal["numbers", "text", "none"]


@dataclass(frozen=True, slots=True)
class Called:
    """One tool call. `arguments` is JSON text, or what a server makes of it; without a `call_id` none is written."""

    call_id: str | None
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Utterance:
    """A turn: parts of text, calls, what was thought before, why it ended, and how its tokens are told.

    `cached` is the share of the request that is said to come from a prompt cache; with `legacy` one more call is there,
    in a form that is out of use.
    """

    texts: Sequence[str] = ()
    calls: Sequence[Called] = ()
    thought: str = ""
    end: End = "said"
    usage: UsageForm = "numbers"
    cached: float = 0.0
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens of one turn; `cached` are those of the read ones that came from a cache, `thought` of the written."""

    read: int = 0
    cached: int = 0
    wrote: int = 0
    thought: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.read + other.read,
            self.cached + other.cached,
            self.wrote + other.wrote,
            self.thought + other.thought,
        )


def utterance_of(move: Move, call_id: str) -> Utterance:
    """Return what a well-behaved model says to make `move`; a call gets `call_id`."""
    if isinstance(move, Say):
        return Utterance((move.text,))
    return Utterance(calls=(Called(call_id, move.name, json.dumps(dict(move.arguments))),), end="called")


def spent_on(read: Any, said: Utterance) -> Spent:
    """Return the tokens of a turn; `read` is what of the request a model reads."""
    taken = tokens(json.dumps(read))
    thought = tokens(said.thought)
    arguments = [one.arguments if isinstance(one.arguments, str) else json.dumps(one.arguments) for one in said.calls]
    return Spent(taken, int(taken * said.cached), thought + sum(map(tokens, [*said.texts, *arguments])), thought)


def told(counts: dict[str, Any], form: UsageForm) -> dict[str, Any] | None:
    """Return a usage object in the form asked for: numbers, numbers as text, or none at all."""
    if form == "none":
        return None
    return {name: str(count) if form == "text" and isinstance(count, int) else count for name, count in counts.items()}
