"""What the demo prints: a table for each board, and what to make of it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from agentcompass_websearch.cli.demonstration.arms import Arm
from agentcompass_websearch.records import Board

TITLES: Final[Mapping[Board, str]] = {
    "search-fetch": "Search and fetch board: web_search and web_fetch",
    "search-only": "Search-only board: web_search",
    "no-search": "No search: what the model recovers from ticket and starter alone",
}
REPEATS: Final = "each\nrepeat"
HEADINGS: Final = (
    *("vendor", "completion\n% ± SD", REPEATS, "recov.\n%", "task\ns", "search\nms", "tokens"),
    *("$ per\nsearch", "$ per\nfetch", "$ per\ntask"),
)
PROGRAM: Final = "agentcompass-websearch"
UNKNOWN: Final = "-"
TEXT_WIDTH: Final = 100
WIDTH_WHEN_PIPED: Final = 200


_MEANING: Final = """\
The model in these runs is {model}: a scripted program, not a language model. It follows rules of thumb, knows \
none of the answers, and makes mistakes of its own. Products, tickets and pages are fictional, the vendors search \
those pages on this machine, and prices are zero because nothing is bought. So the tables show how the benchmark works \
and what a run looks like; they say nothing about any real model or vendor."""

_NEXT: Final = """\

Results: {results_dir} (a folder for each run: summary.md, metrics.json, every attempt under details)
As a board, a page with intervals, tests and audits: agentcompass-websearch board {results_dir} --open
Attempt by attempt: agentcompass view {results_dir}

The same with a model of yours, on the sample:

    agentcompass run ob-code-websearch coding_agent YOUR_MODEL \\
        --model-base-url https://YOUR_SERVER/v1 --model-api-key '${{YOUR_MODEL_KEY}}' \\
        --benchmark-params '{{"dataset": "sample"}}' --harness-params '{{"vendor": "local_page"}}' \\
        --k 3 --max-retries 2 --run-name local_page

With a search vendor, on the public tickets:

    export EXA_API_KEY=YOUR_EXA_KEY
    agentcompass run ob-code-websearch coding_agent YOUR_MODEL \\
        --model-base-url https://YOUR_SERVER/v1 --model-api-key '${{YOUR_MODEL_KEY}}' \\
        --harness-params '{{"vendor": "exa_auto"}}' \\
        --k 3 --max-retries 2 --run-name exa_auto

All vendors: agentcompass-websearch vendors"""


@dataclass(frozen=True, slots=True)
class Finished:
    """An arm that has run: where its results are, its ``extra.leaderboard``, and how long it took."""

    arm: Arm
    run_dir: Path
    leaderboard: Mapping[str, Any]
    seconds: float

    @classmethod
    def read(cls, arm: Arm, metrics: Path, seconds: float) -> Finished:
        """Read the leaderboard of a run from its file ``metrics.json``.

        Raises:
            KeyError, OSError, ValueError: there is none.
        """
        extra = json.loads(metrics.read_text(encoding="utf-8"))["extra"]
        return cls(arm, metrics.parent, extra["leaderboard"], seconds)

    def as_json(self) -> dict[str, Any]:
        """Return the arm for ``--json``."""
        return {
            "arm": self.arm.name,
            "vendor_id": self.arm.vendor,
            "board": self.arm.board,
            "run_dir": str(self.run_dir),
            "seconds": round(self.seconds, 3),
            "leaderboard": self.leaderboard,
        }


def print_tables(console: Console, finished: Sequence[Finished]) -> None:
    """Print the boards, best completion first."""
    for board, title in TITLES.items():
        arms = [each for each in finished if each.arm.board == board]
        if not arms:
            continue
        table = Table(
            title=title,
            title_justify="left",
            title_style="bold",
            box=None,
            pad_edge=False,
            collapse_padding=console.width < TEXT_WIDTH,
        )
        for heading in HEADINGS:
            table.add_column(heading, justify="left" if heading == "vendor" else "right", no_wrap=heading != REPEATS)
        for each in sorted(arms, key=lambda each: each.leaderboard["completion"]["mean"] or 0.0, reverse=True):
            table.add_row(each.arm.vendor, *_cells(each.leaderboard))
        console.print(table)
        console.print()


def print_meaning(console: Console, model: str, results_dir: Path) -> None:
    """Print what the tables are worth, where the results are, and how to run a real model and vendor."""
    console.print(_MEANING.format(model=model), width=min(console.width, TEXT_WIDTH))
    console.print(_NEXT.format(results_dir=results_dir), soft_wrap=True)
    activate = Path(sys.executable).with_name("activate")
    if shutil.which(PROGRAM) is None and activate.is_file():
        console.print(f"\nThese commands are not on your path yet: . {activate}", soft_wrap=True)


def _cells(board: Mapping[str, Any]) -> tuple[str, ...]:
    completion, price = board["completion"], board["list_usd"]
    spread = "" if completion["sd"] is None else f" ± {_percent(completion['sd'])}"
    return (
        _percent(completion["mean"]) + spread,
        " ".join(map(_percent, completion["per_repeat"] or ())) or UNKNOWN,
        _percent(board["recovered"]["mean"]),
        _number(board["median_task_s"], ".2f"),
        _number(board["mean_search_s"], ".1f", 1000),
        _number(board["median_tokens"], ",.0f"),
        *(_number(usd, ".4f") for usd in (price["search"], price["fetch"], board["median_cost_usd"])),
    )


def _percent(rate: float | None) -> str:
    return _number(rate, ".1f", 100)


def _number(value: float | None, form: str, times: float = 1) -> str:
    return UNKNOWN if value is None else f"{times * value:{form}}"
