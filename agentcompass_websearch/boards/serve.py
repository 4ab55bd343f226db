"""Serves a board on this machine only, and makes it anew when a run has grown."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agentcompass_websearch.boards.reader import find_runs
from agentcompass_websearch.boards.reader.where import RUN_INFO
from agentcompass_websearch.errors import UsageError

POLL_S = 2.0


def state_of(paths: Sequence[Path]) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a run grows: each result file with its size and time."""
    try:
        runs = find_runs(paths)
    except UsageError:
        return ()
    found = [state for run in runs for file in (run / RUN_INFO, *_results(run)) if (state := _state(file))]
    return tuple(sorted(found))


def _results(run: Path) -> Iterator[Path]:
    # A walk takes no offence at folders that the host moves meanwhile.
    for folder, _, files in os.walk(run / "details"):
        if "result.json" in files:
            yield Path(folder, "result.json")


def _state(file: Path) -> tuple[str, int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return str(file), stat.st_size, stat.st_mtime_ns


def watch(paths: Sequence[Path], render: Callable[[], None], stop: threading.Event, *, poll_s: float = POLL_S) -> None:
    """Call `render` once and then whenever the runs have changed, until `stop` is set."""
    seen: object = None
    while not stop.is_set():
        if (state := state_of(paths)) != seen:
            seen = state
            render()
        stop.wait(poll_s)


def open_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of `folder` on 127.0.0.1 that answers GET and HEAD from this machine's own pages only.

    Raises:
        UsageError: the port is taken.
    """
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except OSError as error:
        raise UsageError(f"cannot serve on 127.0.0.1:{port}: {error.strerror}. Give --port another number.") from error


class _Handler(SimpleHTTPRequestHandler):
    def send_head(self) -> Any:
        # A page of another site that has its own name resolve to this machine must not read the board.
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host not in ("127.0.0.1", "localhost"):
            self.send_error(403, "This board is served to this machine only")
            return None
        if self.path in ("", "/"):
            self.path = "/board.html"
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing: the terminal tells when the board was made anew."""
