"""``agentcompass-websearch bundle``: put together runs and their board so that others can recompute every number."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agentcompass_websearch.cli._report import needs_report
from agentcompass_websearch.errors import UsageError


def bundle(
    *runs: Path,
    out: Path = Path("board-bundle"),
    allow_mixed: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Put runs and their board into one folder or ZIP file, with the sums of all parts.

    It holds answers, trajectories and verdicts, so look through it before you give it away; logs and artifacts stay
    behind. Whoever has it checks it with the command verify. For example:

        agentcompass-websearch bundle results --out release

    Args:
        runs: Run directories, or folders that hold some.
        out: The folder to write, or the ZIP file if it ends in .zip.
        allow_mixed: Put runs together that were not made alike, with a warning on the board.
    """
    if not runs:
        raise UsageError("name run directories, as in: agentcompass-websearch bundle results --out release")
    with needs_report():
        from agentcompass_websearch.boards.bundle import write_bundle
    written = write_bundle(runs, out, allow_mixed=allow_mixed)
    files = [written, *written.rglob("*")]
    size = sum(file.stat().st_size for file in files if file.is_file())
    print(f"Written: {written.resolve()} ({size / 1e6:.1f} MB)")
