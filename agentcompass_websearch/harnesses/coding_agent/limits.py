"""What an attempt may use: turns, searches, fetches, and time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, Final

from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH

UNLIMITED: Final = "unlimited"
DEFAULTS: Final[Mapping[str, int]] = {"max_turns": 32, "max_searches": 5, "max_fetches": 5}
_TOOL_OF: Final = {"max_searches": WEB_SEARCH, "max_fetches": WEB_FETCH}

# Time kept for the answer: a fifth of the attempt, two minutes at the most.
_ANSWER_SHARE: Final = 0.2
_ANSWER_MAX_S: Final = 120.0
# Of a model that is slower than that, so many of its turns: the one that is cut when the time comes may waste another.
_ANSWER_TURNS: Final = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """How many turns, searches and fetches an attempt may use; None is unlimited."""

    max_turns: int | None = DEFAULTS["max_turns"]
    max_searches: int | None = DEFAULTS["max_searches"]
    max_fetches: int | None = DEFAULTS["max_fetches"]

    def record(self) -> dict[str, int | None]:
        """Return the limits by name, as telemetry holds them."""
        return {name: getattr(self, name) for name in DEFAULTS}


def effective_limits(asked: Mapping[str, Any], of_task: object, tools: tuple[str, ...]) -> Limits:
    """Return the limits of an attempt: the user's, else the task's own, else the defaults.

    `asked` holds checked parameters by name, None where the user set none. `of_task` is whatever a benchmark put under
    ``limits`` into its metadata; what is no limit there is not for us. A tool that is not offered has a limit of 0.
    """
    task = of_task if isinstance(of_task, Mapping) else {}
    chosen: dict[str, int | None] = {}
    for name, default in DEFAULTS.items():
        value = asked.get(name)
        if value is None and _is_limit(task.get(name)):
            value = task[name]
        if value is None:
            value = default
        offered = name not in _TOOL_OF or _TOOL_OF[name] in tools
        chosen[name] = 0 if not offered else None if value == UNLIMITED else value
    return Limits(**chosen)


def _is_limit(value: object) -> bool:
    return value == UNLIMITED or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an attempt ends, and when the model is told to answer so that it still can (``time.monotonic()``)."""

    answer_by: float
    end: float

    @classmethod
    def after(cls, timeout_s: float | None) -> Deadline:
        """Return the deadline of an attempt that begins now; None is no time limit."""
        if timeout_s is None:
            return cls(float("inf"), float("inf"))
        now = time.monotonic()
        return cls(now + timeout_s - min(_ANSWER_SHARE * timeout_s, _ANSWER_MAX_S), now + timeout_s)

    def answer_by_with(self, turns_s: Sequence[float]) -> float:
        """Return when a model is told to answer that took `turns_s` seconds for its turns so far.

        What is usual for it shows from the second turn on: the first may have waited for a cold server.
        """
        if len(turns_s) < 2:
            return self.answer_by
        return min(self.answer_by, self.end - _ANSWER_TURNS * median_low(turns_s))

    @property
    def over(self) -> bool:
        """Whether there is no time left at all."""
        return time.monotonic() >= self.end
