"""What the stand-in has done so far: the numbers that a client's own account has to agree with."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from agentcompass_websearch.sample.stand_in.utterance import Spent


class Ledger:
    """Counts requests, answers that were sent whole, their tokens, and tricks by name. May be used by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests = 0
        self._answers = 0
        self._spent = Spent()
        self._tricks: Counter[str] = Counter()

    def note_request(self) -> None:
        """Count a request."""
        with self._lock:
            self._requests += 1

    def note_trick(self, name: str) -> None:
        """Count a trick that was played."""
        with self._lock:
            self._tricks[name] += 1

    def note_answer(self, spent: Spent) -> None:
        """Count an answer that has been sent as a whole."""
        with self._lock:
            self._answers += 1
            self._spent += spent

    def read(self) -> dict[str, Any]:
        """Return all counts. As in OpenAI's usage, cached tokens are part of the input, reasoning of the output."""
        with self._lock:
            return {
                "requests": self._requests,
                "answers": self._answers,
                "input_tokens": self._spent.read,
                "cached_tokens": self._spent.cached,
                "output_tokens": self._spent.wrote,
                "reasoning_tokens": self._spent.thought,
                "tricks": dict(sorted(self._tricks.items())),
            }
