"""Reads the rows of a data file (JSON, JSON Lines, Parquet), each with its place for messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.errors import UsageError

ROW_SUFFIXES: Final = (".jsonl", ".json", ".ndjson", ".parquet")


def read_text(path: Path) -> str:
    """Return a UTF-8 text file (with or without a byte-order mark) with ``\\n`` line ends.

    Raises:
        UsageError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}: line {line} is not UTF-8 text; save the file as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_rows(path: Path, problems: Problems, shown: str | None = None) -> list[tuple[str, Any]]:
    """Return the rows of `path` in order as ``(where, row)``; `shown` is what to call the file, its path by default.

    Lines that are no JSON go on `problems`.

    A file that begins with ``[`` is one JSON list, any other text file has one JSON object a line, whatever its suffix.

    Raises:
        UsageError: the file cannot be read or decoded as a whole; the message names the line.
    """
    name = shown or str(path)
    if path.suffix.lower() == ".parquet":
        return list(_parquet(path, name))
    text = read_text(path)
    return list(_json_list(text, name) if text.lstrip().startswith("[") else _json_lines(text, name, problems))


def _json_list(text: str, name: str) -> Iterator[tuple[str, Any]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{name} line {error.lineno}: not valid JSON: {error.msg}") from error
    except RecursionError as error:
        raise UsageError(f"{name}: JSON nested too deeply") from error
    for number, row in enumerate(rows, 1):
        yield f"{name} row {number}", row


def _json_lines(text: str, name: str, problems: Problems) -> Iterator[tuple[str, Any]]:
    found = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name} line {number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            fault = "JSON nested too deeply"
            if isinstance(error, json.JSONDecodeError):
                fault = f"not a JSON object on one line: {error.msg} (column {error.colno})"
            if not found:  # of a file in another form, one line says enough
                raise UsageError(f"{where}: {fault}") from error
            problems.add(where, None, fault)
        else:
            found = True
            yield where, row


def _parquet(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    import pyarrow
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(f"{name}: not a readable Parquet file: {str(error).splitlines()[0]}") from error
    for number, row in enumerate(rows, 1):
        yield f"{name} row {number}", row
