"""Collects all that is wrong with a dataset, so that one look shows the whole of it."""

from __future__ import annotations

from typing import Final

from agentcompass_websearch.errors import UsageError

MAX_SHOWN: Final = 20


class Problems:
    """The faults found in one source, each with its place and ticket."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @property
    def lines(self) -> tuple[str, ...]:
        """All faults, each in one line, in the order in which they were found."""
        return tuple(self._lines)

    def add(self, where: str, ticket_id: str | None, fault: str) -> None:
        """Note one fault. `where` names file and line, row or item; `ticket_id` is None while it is unknown."""
        self._lines.append(f"{where}: " + (f"ticket {ticket_id!r}: " if ticket_id else "") + fault)

    def raise_if_any(self) -> None:
        """Raise a `UsageError` with the first fault on its first line and the others, up to 20, below it."""
        if not self._lines:
            return
        first, *others = self._lines
        if not others:
            raise UsageError(first)
        shown = others[: MAX_SHOWN - 1]
        lines = [f"{first} (and {len(others)} more, below)", *(f"  {line}" for line in shown)]
        if len(others) > len(shown):
            lines.append(f"  ... and {len(others) - len(shown)} more")
        raise UsageError("\n".join(lines))
