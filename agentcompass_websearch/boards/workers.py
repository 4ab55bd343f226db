"""Processes beside this one, for boards so large that starting them pays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final

WORTH_TICKETS: Final = 400
"""Tickets of all runs together from which on it pays: a process takes half a second to start."""


@contextmanager
def workers_for(runs: Sequence[Path], count: int) -> Iterator[Executor | None]:
    """Give `count` processes to work on `runs`, or None where one process is as quick."""
    tickets = sum(1 for run in runs for _ in run.glob("details/*/*/task.json")) if count > 1 else 0
    if tickets < WORTH_TICKETS:
        yield None
        return
    # Started anew rather than forked: libraries that this process has loaded run threads.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield pool
