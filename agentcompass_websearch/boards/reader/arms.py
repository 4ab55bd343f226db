"""Arranges runs into arms, and arms into one table a board, so that like is compared with like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentcompass_websearch.boards.reader.attempt import Attempt
from agentcompass_websearch.boards.reader.mixing import mixtures
from agentcompass_websearch.boards.reader.runs import Run
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Board

BOARDS: tuple[Board, ...] = ("search-fetch", "search-only", "no-search")

Slot = tuple[str, int]
"""A ticket and a repeat, from 1."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A vendor id with a board and a model: its runs, and its attempts by ticket and repeat.

    The runs' numbers in `attempts` say which of `runs` an attempt is from.
    """

    vendor_id: str
    board: Board
    model: str
    runs: tuple[Run, ...]
    attempts: Mapping[Slot, tuple[int, Attempt]]
    repeats: int

    @property
    def id(self) -> str:
        """The arm's name within all boards."""
        return f"{self.vendor_id}/{self.board}/{self.model}"


@dataclass(frozen=True, slots=True)
class Table:
    """One board: its arms by name, and the tickets that any of them was to do, by name.

    `unseen` counts the tickets that a run was to do and nobody has come to yet.
    """

    board: Board
    arms: tuple[Arm, ...]
    tickets: tuple[str, ...]
    unseen: int = 0
    warnings: tuple[str, ...] = field(default=())


def arrange(runs: Sequence[Run], *, allow_mixed: bool = False) -> list[Table]:
    """Return a table for each board that has an arm.

    Runs of one vendor id, board and model are one arm: k attempts of one run and separate runs of k = 1 are repeats
    alike, and runs over different tickets complete each other.

    Raises:
        UsageError: what would be averaged or compared was not made alike, or an attempt is there twice. The message
            shows the difference. With `allow_mixed` that becomes a warning, and an attempt counts once.
    """
    warnings: list[str] = []
    kept = _without_twins(runs, warnings)
    groups: dict[tuple[str, Board, str], list[tuple[Run, tuple[Attempt, ...]]]] = {}
    for run, attempts in kept:
        groups.setdefault((run.vendor_id, run.board, run.model), []).append((run, attempts))
    arms = [_arm(*name, members) for name, members in sorted(groups.items())]
    warnings += mixtures([(arm.id, arm.board, arm.runs) for arm in arms])
    if warnings and not allow_mixed:
        raise UsageError("\n".join([*warnings, "Leave the odd ones out, or say --allow-mixed to put them together."]))
    return [
        _table(board, [arm for arm in arms if arm.board == board], warnings)
        for board in BOARDS
        if any(arm.board == board for arm in arms)
    ]


def _table(board: Board, arms: Sequence[Arm], warnings: Iterable[str]) -> Table:
    tickets = {ticket for arm in arms for ticket, _ in arm.attempts}
    planned = max(run.planned_tickets for arm in arms for run in arm.runs)
    return Table(board, tuple(arms), tuple(sorted(tickets)), max(0, planned - len(tickets)), tuple(warnings))


def _arm(vendor_id: str, board: Board, model: str, members: Sequence[tuple[Run, tuple[Attempt, ...]]]) -> Arm:
    """Number the repeats: each run, oldest first, takes the first repeats that are free for all of its tickets."""
    slots: dict[Slot, tuple[int, Attempt]] = {}
    repeats = 0
    ordered = sorted(members, key=lambda member: (member[0].started_at, str(member[0].path)))
    for index, (run, attempts) in enumerate(ordered):
        offset = 0
        while any((attempt.ticket, offset + attempt.number) in slots for attempt in attempts):
            offset += 1
        slots |= {(attempt.ticket, offset + attempt.number): (index, attempt) for attempt in attempts}
        repeats = max(repeats, offset + run.k)
    return Arm(vendor_id, board, model, tuple(run for run, _ in ordered), slots, repeats)


def _without_twins(runs: Sequence[Run], warnings: list[str]) -> list[tuple[Run, tuple[Attempt, ...]]]:
    """Return the runs with the attempts that count, each once, and warn of copies that nothing explains.

    A run that went on with another one has that one's attempts, as copies or made anew, so they count there. Any other
    copy is known by its ticket and the moment it started.
    """
    seen: dict[tuple[str, str, str], Run] = {}
    heirs: dict[Path, list[Run]] = {}
    for run in runs:
        if run.reused_from:
            heirs.setdefault(run.path.parent / run.reused_from, []).append(run)
    kept = []
    for run in sorted(runs, key=lambda run: (run.started_at, str(run.path)), reverse=True):
        own: list[Attempt] = []
        twins: dict[Path, tuple[Run, list[str]]] = {}
        later = _gone_on(run, heirs)
        for attempt in run.attempts:
            if (attempt.ticket, attempt.number) in later:
                continue
            key = (attempt.ticket, attempt.started_at, str(attempt.number))
            if attempt.started_at and key in seen:
                twins.setdefault(seen[key].path, (seen[key], []))[1].append(attempt.ticket)
                continue
            seen[key] = run
            own.append(attempt)
        for other, tickets in twins.values():
            names = [*dict.fromkeys(tickets)]
            some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            warnings.append(
                f"{len(tickets)} attempt(s) are there twice, in {run.name} and in {other.name}: {some}. "
                "The newer run is the one to keep."
            )
        if own:
            kept.append((run, tuple(own)))
    return kept


def _gone_on(run: Run, heirs: Mapping[Path, Sequence[Run]]) -> set[Slot]:
    """Return the attempts that runs which went on with `run` have, directly or through others, whatever clocks say."""
    slots: set[Slot] = set()
    met, ahead = {run.path}, [run.path]
    while ahead:
        for heir in heirs.get(ahead.pop(), ()):
            if heir.path not in met:
                met.add(heir.path)
                ahead.append(heir.path)
                slots |= {(attempt.ticket, attempt.number) for attempt in heir.attempts}
    return slots
