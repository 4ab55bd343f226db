"""A release: runs and their board in one file, so that everybody can recompute every number; and the check of one."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from agentcompass_websearch import __version__
from agentcompass_websearch.boards.compile import SEED, compile_board
from agentcompass_websearch.boards.reader import Run, arrange, find_runs, read_runs
from agentcompass_websearch.boards.redaction import environment_redactor
from agentcompass_websearch.boards.rejudge import rejudge
from agentcompass_websearch.boards.schema import encode
from agentcompass_websearch.errors import UsageError

SCHEMA: Final = 1
MANIFEST: Final = "manifest.json"
BOARD: Final = "board.json"
_PATTERNS: Final = (
    "run_info.json",
    "progress.json",
    "metrics.json",
    "summary.md",
    "details/*/*/task.json",
    "details/*/*/attempt-*/result.json",
)
_MAX_BYTES: Final = 64 * 1024**3
_TOLERANCE: Final = 1e-9


class _Manifest(msgspec.Struct):
    schema: int
    sha256: dict[str, str]
    allow_mixed: bool
    seed: int


def write_bundle(paths: Sequence[Path], out: Path, *, allow_mixed: bool = False, seed: int = SEED) -> Path:
    """Write the runs in `paths` with their board as a ZIP file `out`: the same runs give the same bytes.

    Logs, artifacts and retries stay behind; values of secret environment variables are blacked out.

    Raises:
        UsageError: as for a board; or `out` exists.
    """
    if out.exists():
        raise UsageError(f"{out} exists already; give --out another name.")
    runs = read_runs(find_runs(paths))
    board = encode(compile_board(runs, arrange(runs, allow_mixed=allow_mixed), seed=seed))
    scrub = environment_redactor().scrub
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f".{out.name}.part")
    sums: dict[str, str] = {}
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in _members(runs):
            content = scrub(file.read_text(encoding="utf-8")).encode()
            sums[name] = _add(archive, name, content)
        sums[BOARD] = _add(archive, BOARD, scrub(board.decode()).encode())
        manifest = {"schema": SCHEMA, "package": __version__, "allow_mixed": allow_mixed, "seed": seed, "sha256": sums}
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
    unfinished.replace(out)
    return out


def verify_bundle(path: Path) -> list[str]:
    """Return what is wrong with a bundle, nothing if all is well.

    Checked are the sums of all files, that the board computed anew from the runs is the board in the bundle, and that
    judging every attempt again gives the stored verdict.

    Raises:
        UsageError: it is no bundle.
    """
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory(prefix="bundle-") as folder:
            return _verify(archive, Path(folder))
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, RecursionError, NotImplementedError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{path} is no bundle of this program: {error}") from error


def _verify(archive: zipfile.ZipFile, folder: Path) -> list[str]:
    manifest = msgspec.json.decode(archive.read(MANIFEST), type=_Manifest)
    if manifest.schema > SCHEMA:
        raise UsageError(f"a bundle of schema {manifest.schema}; this version reads up to {SCHEMA}.")
    problems = _extract(archive, folder, manifest.sha256)
    if problems:
        return problems
    runs = read_runs(find_runs([folder / "runs"]))
    problems += [problem for run in runs for problem in run.problems]
    anew = compile_board(runs, arrange(runs, allow_mixed=manifest.allow_mixed), seed=manifest.seed)
    stored = msgspec.json.decode(archive.read(BOARD), type=dict[str, Any])
    problems += differences(stored["boards"], json.loads(encode(anew))["boards"], "board.json: boards")
    again = rejudge(runs)
    problems += again.problems
    problems += [
        f"{one.run}, ticket {one.ticket}, attempt {one.attempt}: stored {_word(one.was)}, judged again {_word(one.now)}"
        for one in again.changed
    ]
    return problems


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


def _extract(archive: zipfile.ZipFile, folder: Path, sums: dict[str, str]) -> list[str]:
    problems = []
    names = set(archive.namelist()) - {MANIFEST}
    problems += [f"{name}: listed, but not there" for name in sorted(set(sums) - names)]
    problems += [f"{name}: there, but not listed" for name in sorted(names - set(sums))]
    if sum(info.file_size for info in archive.infolist()) > _MAX_BYTES:
        raise UsageError("the bundle unpacks to more than 64 GiB; not read.")
    for name in sorted(names & set(sums)):
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts or "\\" in name:
            raise UsageError(f"the bundle holds a file that would be written outside of it: {name!r}")
        content = archive.read(name)
        if hashlib.sha256(content).hexdigest() != sums[name]:
            problems.append(f"{name}: changed since the bundle was made")
            continue
        target = folder / pure
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return problems


def _members(runs: Sequence[Run]) -> Iterator[tuple[str, Path]]:
    """Yield name and file of all that is bundled. The last three folders of a run are its name, so they are kept."""
    for number, run in enumerate(runs):
        for pattern in _PATTERNS:
            for file in sorted(run.path.glob(pattern)):
                yield f"runs/{number}/{run.name}/{file.relative_to(run.path).as_posix()}", file


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> str:
    info = zipfile.ZipInfo(name)  # dated 1980, so that the same content is the same file
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
    return hashlib.sha256(content).hexdigest()


def _word(passed: bool) -> str:
    return "passed" if passed else "failed"
