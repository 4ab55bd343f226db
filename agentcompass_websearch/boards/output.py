"""Writes everything that a board consists of into one folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

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

    What an earlier board left in `out` is replaced; the board's files are written whole or not at all. With `workers`
    above 1 a large board is written by so many processes; a program that asks for that guards its main module.

    Raises:
        UsageError: no runs, runs that do not belong on one board, or a folder that is no place for one.
    """
    _check_place(out)
    found = find_runs(paths)
    with workers_for(found, workers) as pool, ThreadPoolExecutor(1) as beside:
        runs = read_runs(found, pool)
        tables = arrange(runs, allow_mixed=allow_mixed)
        if not any(table.tickets for table in tables):
            raise UsageError("no attempt has been stored in these runs yet. Wait for the first ticket, then try again.")
        out.mkdir(parents=True, exist_ok=True)
        for folder in ("audit", "charts"):
            shutil.rmtree(out / folder, ignore_errors=True)
        audited = beside.submit(write_audit, tables, out, workers=pool) if audit else None
        board = compile_board(runs, tables, seed=seed)
        pictures = _draw(board, out / "charts")
        if audited:
            audited.result()
    scrub = environment_redactor().scrub
    contents = (encode(board).decode(), markdown(board), csv_text(board), board_page(board, pictures, audit=audit))
    for name, content in zip(FILES, contents, strict=True):
        replace(out / name, scrub(content))
    return board


def replace(path: Path, content: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content.encode("utf-8", "replace"))
    os.replace(unfinished, path)


def _check_place(out: Path) -> None:
    if (out / RUN_INFO).exists():
        raise UsageError(f"{out} is a run directory; give --out another folder.")
    check_outside(out)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder; give --out another name.")
    if out.is_dir() and any(out.iterdir()) and not (out / FILES[0]).is_file():
        raise UsageError(f"{out} holds something else than a board; give --out a new or empty folder.")


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
