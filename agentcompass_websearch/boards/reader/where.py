"""Finds run directories: what the host leaves behind, by the ``run_info.json`` in it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from agentcompass_websearch.boards.reader import stored
from agentcompass_websearch.errors import UsageError

BENCHMARK: Final = "ob-code-websearch"
RUN_INFO: Final = "run_info.json"
_INNER: Final = frozenset({"details", ".env-resources"})
_decode: Final = msgspec.json.Decoder(stored.RunInfo).decode


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """Return the run directories that `paths` are or hold, resolved and sorted, each once.

    A run directory that was named twice, directly or through a link, is one run. In a folder that holds runs, those of
    other benchmarks are passed over, and those that failed before they began, as with a dataset that is not there.

    Raises:
        UsageError: a path does not exist or holds no run.
    """
    found: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            raise UsageError(f"no such folder: {path}. Name run directories, or a folder that holds some.")
        here = {run.resolve() for run in _below(path) if run == path or _counts(run)}
        if not here:
            raise UsageError(
                f"no run in {path}: there is no {RUN_INFO} of a {BENCHMARK} run that began, in it or below. A run "
                "directory is what the platform names when it starts, "
                "RESULTS_DIR/[RUN_NAME/]MODEL_BENCHMARK_HARNESS/RUN_ID."
            )
        found |= here
    return sorted(found)


def _below(path: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(path):
        if RUN_INFO in files:
            names.clear()
            yield Path(folder)
        else:
            names[:] = [name for name in names if name not in _INNER]


def _counts(run: Path) -> bool:
    try:
        info = _decode((run / RUN_INFO).read_bytes())
    except (OSError, ValueError):
        # Whoever reads the run says what is wrong with it.
        return True
    began = info.status != "failed" or (run / "details").is_dir()
    return began and info.request.benchmark.id in ("", BENCHMARK)


def check_outside(out: Path) -> None:
    """Refuse a place for output that lies in a run directory: what a run left behind is never changed.

    Raises:
        UsageError: it does.
    """
    for folder in out.resolve().parents:
        if (folder / RUN_INFO).is_file():
            raise UsageError(f"{out} would be written into the run {folder}; give --out a place outside of it.")
