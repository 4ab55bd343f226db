"""Writes the audit pages of all arms: an index of each arm, and a page of each of its tickets."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, wait
from pathlib import Path

from agentcompass_websearch.boards.names import audit_folder
from agentcompass_websearch.boards.page.audit import Shown, arm_index, ticket_file, ticket_page
from agentcompass_websearch.boards.reader import Arm, Table
from agentcompass_websearch.boards.reader.attempt import Attempt
from agentcompass_websearch.boards.reader.full import FullAttempt, read_full
from agentcompass_websearch.boards.reader.runs import Run
from agentcompass_websearch.boards.redaction import environment_redactor


def write_audit(tables: Sequence[Table], out: Path, *, workers: Executor | None = None) -> None:
    """Write the audit pages below `out`, one attempt in memory at a time; arms are shared out to `workers`."""
    arms = [(arm, table.tickets) for table in tables for arm in table.arms]
    if workers is None:
        for arm, tickets in arms:
            write_arm(arm, tickets, out)
        return
    started = [workers.submit(write_arm, arm, tickets, out) for arm, tickets in arms]
    wait(started)  # also where one fails: nobody writes any more when this is over
    for done in started:
        done.result()


def write_arm(arm: Arm, tickets: Sequence[str], out: Path) -> None:
    """Write the index of one arm and the pages of its tickets."""
    scrub = environment_redactor().scrub
    folder = out / audit_folder(arm.id)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "index.html", scrub(arm_index(arm, tickets)))
    for ticket in tickets:
        if shown := _attempts(arm, ticket):
            _write(folder / ticket_file(ticket), scrub(ticket_page(arm, ticket, shown)))


def _attempts(arm: Arm, ticket: str) -> list[Shown]:
    shown = []
    for repeat in range(1, arm.repeats + 1):
        if slot := arm.attempts.get((ticket, repeat)):
            run, attempt = arm.runs[slot[0]], slot[1]
            shown.append(Shown(repeat, attempt, _full(run, attempt), f"{run.name}/{attempt.path}/result.json"))
    return shown


def _full(run: Run, attempt: Attempt) -> FullAttempt | None:
    try:
        return read_full(run, attempt)
    except (OSError, ValueError):
        return None


def _write(path: Path, content: str) -> None:
    path.write_bytes(content.encode("utf-8", "replace"))
