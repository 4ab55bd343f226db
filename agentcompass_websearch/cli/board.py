"""``agentcompass-websearch board``: make boards of runs."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from agentcompass_websearch.cli._report import needs_report
from agentcompass_websearch.cli._types import Whole
from agentcompass_websearch.errors import UsageError, WebSearchError
from agentcompass_websearch.text import one_line

if TYPE_CHECKING:
    from agentcompass_websearch.boards.schema import BoardFile


def board(
    *runs: Path,
    out: Path = Path("board"),
    audit: bool = True,
    allow_mixed: Annotated[bool, Parameter(negative="")] = False,
    open_: Annotated[bool, Parameter(name="--open", negative="")] = False,
    serve: Annotated[bool, Parameter(negative="")] = False,
    port: Whole = 0,
    seed: Whole = 0,
) -> None:
    """Make boards of runs: tables, intervals, tests, charts, and audit pages.

    Writes board.html (one file, needs no network), board.json, board.md, board.csv, charts/ and audit/ into the folder
    --out. Runs may be finished, partial, failed or resumed; those of one vendor id, board and model are repeats of an
    arm.

    For example:

        agentcompass-websearch board results --out board --open
        agentcompass-websearch board RUN_A RUN_B --serve

    Args:
        runs: Run directories, or folders that hold some.
        out: Folder for the board.
        audit: Write a page for every ticket of every arm, from each needle to what returned its source.
        allow_mixed: Put runs together that were not made alike, with a warning on the board.
        open_: Open the board in the browser.
        serve: Serve the board on this machine and make it anew when a run grows, until Ctrl-C.
        port: Port of --serve; 0 takes a free one.
        seed: Seed of all resampling; the same runs and seed give the same board.
    """
    if not runs:
        raise UsageError(
            "name run directories or a folder that holds some, as in: agentcompass-websearch board results"
        )
    if port not in range(1 << 16):
        raise UsageError(f"--port is {port}, but must be 0 to 65535")
    # Matrices here are small: more threads would only take the cores from the processes that write audit pages.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with needs_report():
        from agentcompass_websearch.boards.output import write_board

    def make() -> BoardFile:
        return write_board(
            runs, out, allow_mixed=allow_mixed, audit=audit, seed=seed, workers=min(4, os.cpu_count() or 1)
        )

    if serve:
        _serve(runs, out, make, port=port, open_=open_)
        return
    _tell(make())
    page = (out / "board.html").resolve()
    print(f"Written: {page}")
    if open_:
        _show(page.as_uri())


def _show(address: str) -> None:
    if not webbrowser.open(address):
        print(f"No browser was found on this machine. Open {address} in one.", flush=True)


def _tell(made: BoardFile) -> None:
    from agentcompass_websearch.boards.findings import TITLES, findings

    for name, table in made.boards.items():
        if table.arms:
            print(f"{TITLES[name]}:")
            for line in findings(name, table):
                print(f"  {one_line(line)}")
    for problem in made.problems:
        print(f"Not read: {problem}")


def _serve(runs: tuple[Path, ...], out: Path, make: Callable[[], BoardFile], *, port: int, open_: bool) -> None:
    from agentcompass_websearch.boards.output import check_place
    from agentcompass_websearch.boards.serve import open_server, watch

    check_place(out)
    out.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()

    def render() -> None:
        try:
            _tell(make())
        except WebSearchError as error:
            print(f"No board yet: {error}", flush=True)
        except OSError as error:
            # A full disk, say: the last board stays, and the next change tries again.
            print(f"Not made anew: {error}", flush=True)

    with open_server(out, port) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"Serving {address} until Ctrl-C", flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if open_:
            _show(address)
        try:
            watch(runs, render, stop)
        finally:
            server.shutdown()
