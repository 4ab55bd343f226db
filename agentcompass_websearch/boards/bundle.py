"""Writes a release: runs and their board in one folder or ZIP file, with the sums of all parts."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from agentcompass_websearch import __version__
from agentcompass_websearch.boards.compile import SEED, compile_board
from agentcompass_websearch.boards.reader import Run, arrange, find_runs, read_runs
from agentcompass_websearch.boards.reader.where import RUN_INFO, check_outside
from agentcompass_websearch.boards.redaction import environment_redactor, public_plan
from agentcompass_websearch.boards.schema import encode
from agentcompass_websearch.errors import UsageError

SCHEMA: Final = 1
MANIFEST: Final = "manifest.json"
BOARD: Final = "board.json"
SEAL_BYTES: Final = 64
"""A ZIP file ends in a comment: the SHA-256, in hexadecimal, of all that stands before it."""
# Only what numbers are computed from: a figure beside them that nobody recomputes could say anything.
_PATTERNS: Final = (
    RUN_INFO,
    "progress.json",
    "details/*/task.json",
    "details/*/attempt-*/result.json",
    "details/*/*/task.json",
    "details/*/*/attempt-*/result.json",
)


class Manifest(msgspec.Struct):
    """``manifest.json``: how the board was made, and the SHA-256 of every other file by its name."""

    schema: int
    package: str
    allow_mixed: bool
    seed: int
    sha256: dict[str, str]

    def text(self) -> bytes:
        """Return the one way to write it down."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def write_bundle(paths: Sequence[Path], out: Path, *, allow_mixed: bool = False, seed: int = SEED) -> Path:
    """Write the runs in `paths` with their board into a folder `out`, or a ZIP file if it is called so.

    The same runs give the same bytes. Logs, artifacts and retries stay behind; values of secret environment variables
    are blacked out, and a run's plan loses what bears a secret's name, headers, and passwords in addresses.

    Raises:
        UsageError: as for a board; or `out` exists, or lies in a run.
    """
    if out.exists():
        raise UsageError(f"{out} exists already; give --out another name.")
    check_outside(out)
    runs = read_runs(find_runs(paths))
    board = encode(compile_board(runs, arrange(runs, allow_mixed=allow_mixed), seed=seed))
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{out.name}.part")
    manifest = Manifest(SCHEMA, __version__, allow_mixed, seed, {})
    contents = _contents(runs, board, manifest)
    try:
        if out.suffix.lower() == ".zip":
            _write_zip(contents, unfinished)
        else:
            _write_folder(contents, unfinished)
        unfinished.replace(out)
    finally:
        _remove(unfinished)
    return out


def _contents(runs: Sequence[Run], board: bytes, manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of all files, the manifest last. The last three folders of a run are its name: kept."""
    scrub = environment_redactor().scrub

    def listed(name: str, content: bytes) -> tuple[str, bytes]:
        clean = scrub(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        manifest.sha256[name] = hashlib.sha256(clean).hexdigest()
        return name, clean

    for number, run in enumerate(runs):
        for file in (file for pattern in _PATTERNS for file in sorted(run.path.glob(pattern)) if file.is_file()):
            content = public_plan(file.read_bytes()) if file.name == RUN_INFO else file.read_bytes()
            yield listed(f"runs/{number}/{run.name}/{file.relative_to(run.path).as_posix()}", content)
    yield listed(BOARD, board)
    yield MANIFEST, manifest.text()


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if not path.is_dir():
        path.unlink(missing_ok=True)


def _write_folder(contents: Iterator[tuple[str, bytes]], folder: Path) -> None:
    _remove(folder)
    for name, content in contents:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _write_zip(contents: Iterator[tuple[str, bytes]], file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            info = zipfile.ZipInfo(name)  # dated 1980, so that the same content is the same file
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
        archive.comment = b"0" * SEAL_BYTES
    seal = seal_of(file)
    with file.open("r+b") as opened:
        opened.seek(-SEAL_BYTES, 2)
        opened.write(seal)


def seal_of(file: Path) -> bytes:
    """Return the sum of a ZIP file without its own seal, as the seal should be."""
    digest = hashlib.sha256()
    left = file.stat().st_size - SEAL_BYTES
    with file.open("rb") as opened:
        while left > 0 and (block := opened.read(min(left, 1 << 20))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest().encode()
