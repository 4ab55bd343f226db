"""Checks a release: the sums of its parts, its board computed anew, every attempt judged again."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from agentcompass_websearch.boards.bundle import BOARD, MANIFEST, SCHEMA, Manifest, seal_of
from agentcompass_websearch.boards.compile import compile_board
from agentcompass_websearch.boards.reader import arrange, find_runs, read_runs
from agentcompass_websearch.boards.rejudge import rejudge
from agentcompass_websearch.boards.schema import encode
from agentcompass_websearch.errors import UsageError

_MAX_BYTES: Final = 64 * 1024**3
_TOLERANCE: Final = 1e-9


def verify_bundle(path: Path) -> list[str]:
    """Return what is wrong with a bundle, a folder or a ZIP file; nothing if all is well.

    Checked are the sums of all files, that the board computed anew from the runs is the board in the bundle, and that
    judging every attempt again gives what is stored. One changed byte anywhere is found.

    Raises:
        UsageError: it is no bundle.
    """
    try:
        if path.is_dir():
            return _verify(path)
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory(prefix="bundle-") as folder:
            if archive.comment != seal_of(path):
                return [f"{path.name}: changed since the bundle was made"]
            _extract(archive, Path(folder))
            return _verify(Path(folder))
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, RuntimeError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{path} is no bundle of this program: {error}") from error


def _verify(folder: Path) -> list[str]:
    written = (folder / MANIFEST).read_bytes()
    manifest = msgspec.json.decode(written, type=Manifest)
    if manifest.schema > SCHEMA:
        raise UsageError(f"a bundle of schema {manifest.schema}; this version reads up to {SCHEMA}.")
    if problems := [*_changed(folder, manifest, written)]:
        return problems
    runs = read_runs(find_runs([folder / "runs"]))
    anew = compile_board(runs, arrange(runs, allow_mixed=manifest.allow_mixed), seed=manifest.seed)
    stored = msgspec.json.decode((folder / BOARD).read_bytes(), type=dict[str, Any])
    problems += differences(stored["boards"], json.loads(encode(anew))["boards"], "board.json: boards")
    made = {"package": manifest.package, "seed": manifest.seed, "schema": anew.schema}
    problems += differences({name: stored[name] for name in made}, made, "board.json")
    # Files that could not be read when the board was made are told on it, with their places of then.
    broken = [problem for run in runs for problem in run.problems]
    problems += broken if len(broken) != len(stored["problems"]) else []
    again = rejudge(runs)
    problems += again.problems if not broken else ()
    problems += [
        f"{one.run}, ticket {one.ticket}, attempt {one.attempt}: judged again, {' and '.join(one.differs)} differ"
        for one in again.attempts
        if one.differs
    ]
    return problems


def _changed(folder: Path, manifest: Manifest, written: bytes) -> Iterator[str]:
    """Yield the files that are not as the manifest says; it says so itself, for there is one way to write it."""
    if written != manifest.text() or manifest.schema != SCHEMA:
        yield f"{MANIFEST}: changed since the bundle was made"
    files = (file for file in folder.rglob("*") if file.is_symlink() or not file.is_dir())
    there = {file.relative_to(folder).as_posix() for file in files} - {MANIFEST}
    yield from (f"{name}: listed, but not there" for name in sorted(set(manifest.sha256) - there))
    yield from (f"{name}: there, but not listed" for name in sorted(there - set(manifest.sha256)))
    for name in sorted(there & set(manifest.sha256)):
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != manifest.sha256[name]:
            yield f"{name}: changed since the bundle was made"


def differences(stored: Any, anew: Any, path: str) -> Iterator[str]:
    """Yield where two JSON values differ by more than rounding."""
    if isinstance(stored, dict) and isinstance(anew, dict):
        for name in sorted({*stored, *anew}):
            yield from differences(stored.get(name), anew.get(name), f"{path}.{name}")
    elif isinstance(stored, list) and isinstance(anew, list) and len(stored) == len(anew):
        for place, (a, b) in enumerate(zip(stored, anew, strict=True)):
            yield from differences(a, b, f"{path}[{place}]")
    elif isinstance(stored, int | float) and isinstance(anew, int | float):
        if abs(stored - anew) > _TOLERANCE * max(1.0, abs(stored)):
            yield f"{path}: stored {stored}, computed anew {anew}"
    elif stored != anew:
        yield f"{path}: stored {stored!r}, computed anew {anew!r}"


def _extract(archive: zipfile.ZipFile, folder: Path) -> None:
    if sum(info.file_size for info in archive.infolist()) > _MAX_BYTES:
        raise UsageError("the bundle unpacks to more than 64 GiB; not read.")
    for name in archive.namelist():
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or "\\" in name:
            raise UsageError(f"the bundle holds a file that would be written outside of it: {name!r}")
        target = folder / pure
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(name))
