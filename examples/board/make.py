"""Makes the example board: ``python -m examples.board.make``. Its vendors are fictional, their true rates are known.

Tickets, pages and answers come from the synthetic world and verdicts from the benchmark's own judge; only whether an
attempt goes well is drawn, with the rates below. So a reader sees a tie called a tie and a gap called a gap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.output import write_board
from agentcompass_websearch.boards.schema import BoardFile
from perf.board_runs import write_runs
from perf.board_world import FictionalArm, build_world

HERE: Final = Path(__file__).parent
TICKETS: Final = 100
SEED: Final = 7
ARMS: Final = (
    FictionalArm("lumen_deep", "search-fetch", 0.82, 74, 3.6, 24_000, 0.012, 0.001, reports_usd=True),
    FictionalArm("lumen_auto", "search-fetch", 0.80, 52, 1.2, 26_000, 0.007, 0.001, reports_usd=True),
    FictionalArm("quarry", "search-fetch", 0.79, 43, 1.4, 13_000, 0.003, 0.001),
    FictionalArm("skiff", "search-fetch", 0.74, 50, 2.1, 22_000, 0.005, 0.005, outages=0.12),
    FictionalArm("delta_high", "search-fetch", 0.62, 48, 1.0, 20_000, 0.005, 0.005),
    FictionalArm("harbor", "search-fetch", 0.60, 61, 2.8, 17_000, 0.005, 0.0025),
    FictionalArm("mill_standard", "search-fetch", 0.42, 70, 2.1, 52_000, 0.005, 0.005, outages=0.02),
    FictionalArm("delta_low", "search-only", 0.66, 30, 0.95, 8_700, 0.005),
    FictionalArm("lumen_fast", "search-only", 0.65, 32, 0.6, 22_000, 0.007),
    FictionalArm("quarry", "search-only", 0.58, 28, 2.1, 7_400, 0.003),
    FictionalArm("mill_fast", "search-only", 0.40, 34, 1.4, 24_000, 0.005),
    FictionalArm("none", "no-search", 0.05, 14, 0.0, 2_100, None, None, faults={"needle_missing": 1.0}),
)


def main() -> int:
    """Write the board into the folder of this file, or another one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="another folder for the board, then with its audit pages and charts")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory(prefix="example-board-") as folder:
        runs, made = Path(folder) / "runs", Path(folder) / "board"
        write_runs(runs, ARMS, build_world(TICKETS), seed=SEED)
        board = write_board([runs], out or made, audit=out is not None)
        if out is None:
            for name in ("board.html", "board.json", "board.md", "board.csv"):
                (HERE / name).write_bytes((made / name).read_bytes())
            (HERE / "README.md").write_text(readme(board), encoding="utf-8")
    print(f"Written: {out or HERE}")
    return 0


def readme(board: BoardFile) -> str:
    """Return what the example shows: the truth beside what the board says."""
    lines = [
        "# An example board",
        "",
        "Made by `python -m examples.board.make`. Open `board.html` in a browser.",
        "",
        "The vendors are fictional. The table gives the rate at which each arm truly passes (without search: recovers;",
        "attempts that the infrastructure voids apart), and beside it what the board found from 100 tickets and 3",
        "repeats. Tickets, pages, answers and verdicts are the synthetic world's and the judge's, outcomes are drawn.",
        "All arms met the same tickets, so what these happened to be moves all of them the same way.",
        "",
        "| Board | Arm | True rate, % | Found, % | 95 % interval | Group | Ranks left open |",
        "| - | - | - | - | - | - | - |",
    ]
    truth = {(arm.board, arm.vendor_id): arm.rate for arm in ARMS}
    for name, table in board.boards.items():
        for arm in table.arms:
            true, found = n.percent(truth[name, arm.vendor_id], 0), n.percent(arm.completion.mean)  # type: ignore[index]
            ranks = " to ".join(map(str, arm.rank)) if arm.rank else "none: " + (arm.unranked or "")
            cells = (name, arm.vendor_id, true, found, n.interval(arm.completion.ci95), str(arm.group or n.DASH), ranks)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
