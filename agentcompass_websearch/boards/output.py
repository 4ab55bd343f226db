"""Writes everything that a board consists of into one folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from agentcompass_websearch.boards.audit import write_audit
from agentcompass_websearch.boards.compile import SEED, compile_board
from agentcompass_websearch.boards.findings import TITLES
from agentcompass_websearch.boards.page.board import Pictures, board_page
from agentcompass_websearch.boards.reader import arrange, find_runs, read_runs
from agentcompass_websearch.boards.reader.where import RUN_INFO, check_outside
from agentcompass_websearch.boards.redaction import environment_redactor
from agentcompass_websearch.boards.schema import BoardFile, encode
from agentcompass_websearch.boards.workers import workers_for
from agentcompass_websearch.boards.write_text import csv_text, markdown
from agentcompass_websearch.errors import UsageError

WIDE_PX: Final = 960
NARROW_PX: Final = 330
SCATTER_PX: Final = 420
"""Serves both: two stand side by side on a wide screen."""
FILES: Final = ("board.json", "board.md", "board.csv", "board.html")
FOLDERS: Final = ("audit", "charts")
UNFINISHED: Final = ".unfinished"


class _AnyBoard(msgspec.Struct, frozen=True):
    """What every ``board.json`` has, of whatever version."""

    schema: int
    boards: dict[str, msgspec.Raw]


def write_board(
    paths: Sequence[Path],
    out: Path,
    *,
    allow_mixed: bool = False,
    audit: bool = True,
    seed: int = SEED,
    workers: int = 1,
) -> BoardFile:
    """Read the runs in `paths`; write ``board.json``, ``.md``, ``.csv``, ``.html``, ``charts/`` and ``audit/``.

    What an earlier board left in `out` is replaced once all is made: a reader finds the old board or the new one, and
    where something fails the old one stays. With `workers` above 1 a large board is written by so many processes; a
    program that asks for that guards its main module.

    Raises:
        UsageError: no runs, runs that do not belong on one board, or a folder that is no place for one.
    """
    check_place(out)
    found = find_runs(paths)
    with workers_for(found, workers) as pool:
        runs = read_runs(found, pool)
        tables = arrange(runs, allow_mixed=allow_mixed)
        if not any(table.tickets for table in tables):
            unread = "".join(f"\n{problem}" for run in runs for problem in run.problems)
            raise UsageError(
                f"no attempt can be read in these runs yet. Wait for the first ticket, then try again.{unread}"
            )
        with _staged(out) as made, ThreadPoolExecutor(1) as beside:
            audited = beside.submit(write_audit, tables, made, workers=pool) if audit else None
            board = compile_board(runs, tables, seed=seed)
            pictures = _draw(board, made / "charts")
            if audited:
                audited.result()
            scrub = environment_redactor().scrub
            texts = (encode(board).decode(), markdown(board), csv_text(board), board_page(board, pictures, audit=audit))
            for name, content in zip(FILES, texts, strict=True):
                (made / name).write_bytes(scrub(content).encode("utf-8", "replace"))
    return board


@contextmanager
def _staged(out: Path) -> Iterator[Path]:
    """Give a folder to write a board into, and put all of it in its place in `out` at the end, if nothing failed."""
    made = out / UNFINISHED
    shutil.rmtree(made, ignore_errors=True)
    try:
        made.mkdir(parents=True)
        yield made
        for name in FOLDERS:
            if (out / name).exists():
                (out / name).rename(made / f"old-{name}")
            if (made / name).exists():
                (made / name).rename(out / name)
        for name in FILES:
            os.replace(made / name, out / name)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def check_place(out: Path) -> None:
    """Refuse a folder that is no place for a board: it is a run or lies in one, or holds something of somebody else.

    Raises:
        UsageError: it is.
    """
    if (out / RUN_INFO).exists():
        raise UsageError(f"{out} is a run directory; give --out another folder.")
    check_outside(out)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder; give --out another name.")
    if out.is_dir() and {file.name for file in out.iterdir()} - {UNFINISHED} and not _is_board(out / FILES[0]):
        raise UsageError(f"{out} holds something else than a board; give --out a new or empty folder.")


def _is_board(file: Path) -> bool:
    try:
        return bool(msgspec.json.decode(file.read_bytes(), type=_AnyBoard).boards)
    except (OSError, ValueError):
        return False


def _draw(board: BoardFile, folder: Path) -> Pictures:
    """Draw all charts, those with a row an arm for wide and narrow screens, and leave the wide ones as files."""
    from agentcompass_websearch.boards.charts import bars, scatters
    from agentcompass_websearch.boards.draw import png, svg

    folder.mkdir(parents=True)
    pictures: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, table in board.boards.items():
        if not table.arms:
            continue
        drawn = [bars(table, width) for width in (WIDE_PX, NARROW_PX)]
        if name != "no-search":
            drawn[0] |= scatters(table, SCATTER_PX)
        for chart in drawn[0]:
            called = f"{TITLES[name]}: {chart}"
            versions = tuple(svg(specs[chart], name=called) for specs in drawn if chart in specs)
            pictures[name, chart] = versions
            (folder / f"{name}-{chart}.svg").write_text(versions[0], encoding="utf-8")
            (folder / f"{name}-{chart}.png").write_bytes(png(versions[0]))
    return pictures
