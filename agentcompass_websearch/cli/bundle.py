"""``agentcompass-websearch bundle``: pack runs and their board so that others can recompute every number."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agentcompass_websearch.cli._report import needs_report
from agentcompass_websearch.errors import UsageError


def bundle(
    *runs: Path,
    out: Path = Path("board-bundle.zip"),
    allow_mixed: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Pack runs and their board into one file, with the sums of all its parts.

    It holds answers, trajectories and verdicts, so look through it before you give it away; logs and artifacts stay
    behind. Whoever has it checks it with the command verify. For example:

        agentcompass-websearch bundle results --out release.zip

    Args:
        runs: Run directories, or folders that hold some.
        out: The ZIP file to write.
        allow_mixed: Put runs together that were not made alike, with a warning on the board.
    """
    if not runs:
        raise UsageError("name run directories, as in: agentcompass-websearch bundle results --out release.zip")
    with needs_report():
        from agentcompass_websearch.boards.bundle import write_bundle
    written = write_bundle(runs, out, allow_mixed=allow_mixed)
    print(f"Written: {written.resolve()} ({written.stat().st_size / 1e6:.1f} MB)")
