"""Writes a synthetic world to a folder: tickets as rows and as a catalog tree, pages, needles."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from agentcompass_websearch.errors import UsageError

if TYPE_CHECKING:
    from agentcompass_websearch.sample.synthesize import World

ROWS: Final = "rows.jsonl"
PAGES: Final = "pages.jsonl"
NEEDLES: Final = "needles.json"
CATALOG: Final = "catalog"


def write_world(world: World, out: Path, *, force: bool, advance: Callable[[str], None]) -> int:
    """Write the files of `world` into the folder `out` and return the number of pages.

    Either all files are there at the end or none is: they are made in a folder beside `out` and moved.

    Args:
        world: what to write.
        out: folder for rows.jsonl, pages.jsonl, needles.json and catalog/.
        force: replace such files of an earlier run.
        advance: called with "tickets" or "pages" after each of them.

    Raises:
        UsageError: `out` holds such files and `force` is not set, or cannot be written.
    """
    _check(out, force)
    partial = out.resolve().with_name(f"{out.resolve().name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        (partial / CATALOG).mkdir(parents=True)
        for row in _written(world.rows(), partial):
            _write_task(row, partial / CATALOG)
            advance("tickets")
        pages = 0
        with _open(partial / PAGES) as lines:
            for page in world.pages():
                _line(lines, page)
                advance("pages")
                pages += 1
        _move(partial, out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error
    return pages


def _check(out: Path, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; name a folder")
    there = [name for name in (ROWS, PAGES, NEEDLES, CATALOG) if (out / name).exists()]
    if there and not force:
        raise UsageError(f"{out} holds {', '.join(there)} already; name another folder, or replace them with --force")
    if CATALOG in there and not (out / CATALOG / "catalog.json").is_file():
        raise UsageError(f"{out / CATALOG} is not a catalog that this command wrote; name another folder")


def _written(rows: Iterator[dict[str, Any]], folder: Path) -> Iterator[dict[str, Any]]:
    """Write each row to the files that list all tickets, and yield it."""
    with ExitStack() as stack:
        lines = stack.enter_context(_open(folder / ROWS))
        needles = stack.enter_context(_list_file(folder / NEEDLES, "{", "}"))
        items = stack.enter_context(_list_file(folder / CATALOG / "catalog.json", '{"items": [', "]}"))
        for row in rows:
            _line(lines, row)
            words = [*row["required"], *row["query_forbidden"]]
            entry = [{"needle": word, "kind": kind} for word, kind in zip(words, row["kinds"], strict=True)]
            needles(f"{json.dumps(row['task_id'])}: {json.dumps(entry, ensure_ascii=False)}")
            items(json.dumps(_item(row), ensure_ascii=False))
            yield row


def _item(row: dict[str, Any]) -> dict[str, Any]:
    kept = ("outfile", "required", "query_forbidden", "kinds")
    return {"id": row["task_id"], "docs_vendor": row["vendor"], **{name: row[name] for name in kept}}


def _write_task(row: dict[str, Any], catalog: Path) -> None:
    folder = catalog / row["task_id"]
    for name, text in (
        ("prompt.txt", row["ticket"]),
        (f"starter/{row['outfile']}", row["starter_code"]),
        (f"gold/{row['outfile']}", row["gold_code"]),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _move(partial: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in (ROWS, PAGES, NEEDLES):
        os.replace(partial / name, out / name)
    shutil.rmtree(out / CATALOG, ignore_errors=True)
    os.replace(partial / CATALOG, out / CATALOG)
    partial.rmdir()


def _open(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")


def _line(lines: TextIO, record: dict[str, Any]) -> None:
    lines.write(json.dumps(record, ensure_ascii=False) + "\n")


@contextmanager
def _list_file(path: Path, begin: str, end: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes one element of a JSON list or object, each on a line of its own."""
    with _open(path) as file:
        file.write(begin)
        separator = "\n"

        def write(element: str) -> None:
            nonlocal separator
            file.write(separator + element)
            separator = ",\n"

        yield write
        file.write(f"\n{end}\n")
