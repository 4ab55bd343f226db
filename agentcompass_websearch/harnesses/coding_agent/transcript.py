"""What happened in an attempt, step by step, readable at any moment: also after a time-out or a cancellation."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agentcompass_websearch.harnesses.coding_agent.session import Reply, Spent, Turn
from agentcompass_websearch.records import ModelCall, Usage


def now() -> datetime:
    """Return the present as an aware datetime."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Step:
    """One turn of the model and the replies to its calls. `said` is what it was told before the turn.

    `tools_s` is the wall time until all calls of the turn were answered; None without a call.
    """

    number: int
    said: str
    turn: Turn
    started_at: datetime
    finished_at: datetime
    replies: tuple[Reply, ...] = ()
    tools_s: float | None = None


@dataclass(slots=True)
class Transcript:
    """The steps of an attempt so far, and what they cost.

    `elapsed_s` runs from its making to its end, or so far. `besides` was paid for answers of which no turn has come.
    """

    started_at: datetime = field(default_factory=now)
    finished_at: datetime = field(default_factory=now)
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    elapsed_s: float = 0.0
    besides: Spent = field(default_factory=Spent)
    _began: float = field(default_factory=time.monotonic)

    def add(self, said: str, turn: Turn, started_at: datetime) -> Step:
        """Add the step of a turn that has just come in."""
        step = Step(len(self.steps) + 1, said, turn, started_at, started_at)
        self.steps.append(step)
        self.note(*turn.notes)
        self._touch(step)
        return step

    def close(self, step: Step, replies: tuple[Reply, ...], tools_s: float | None) -> None:
        """Complete a step by the replies to its calls."""
        step.replies, step.tools_s = replies, tools_s
        self._touch(step)

    def _touch(self, step: Step) -> None:
        self.end()
        step.finished_at = self.finished_at

    def end(self) -> None:
        """Note that the attempt ends now: the time since the last step was its time too, such as a hanging model's."""
        self.finished_at = now()
        self.elapsed_s = time.monotonic() - self._began

    def note(self, *notes: str) -> None:
        """Keep what a reader of the result should know, each sentence once."""
        self.notes += [text for text in dict.fromkeys(notes) if text not in self.notes]

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """One record for each turn."""
        return tuple(
            ModelCall(step.number, turn.seconds, turn.usage, turn.usd, turn.stop, turn.tries)
            for step in self.steps
            for turn in (step.turn,)
        )

    @property
    def queue_s(self) -> float:
        """Seconds in which turns waited for room under the cost cap."""
        return sum(step.turn.queue_s for step in self.steps)

    @property
    def usage(self) -> Usage | None:
        """The tokens of all answers together; None if those of any are unknown."""
        total = Usage()
        for usage in (*(step.turn.usage for step in self.steps), self.besides.usage):
            if usage is None:
                return None
            total += usage
        return total
