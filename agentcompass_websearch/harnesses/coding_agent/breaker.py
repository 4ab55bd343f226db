"""Stops a run from calling a service on and on that refuses it: a wrong key, spent credits, a wrong address."""

from __future__ import annotations


class Breaker:
    """What a run knows of one service. Shared by all attempts of the run; opened once, it stays open."""

    def __init__(self) -> None:
        self._reason = ""
        self.answered = False

    @property
    def is_open(self) -> bool:
        """Whether no further call may be made."""
        return bool(self._reason)

    @property
    def message(self) -> str:
        """Why no further call is made, for a person to read."""
        return f"not asked again in this run, after: {self._reason}"

    def open(self, reason: str) -> None:
        """Allow no further call. The first reason stays, since later ones only follow from it."""
        self._reason = self._reason or reason

    def note_answer(self) -> None:
        """Remember that the service answered properly once: from now on a fault is not one of configuration."""
        self.answered = True
