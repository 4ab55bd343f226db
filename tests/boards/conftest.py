"""Runs of fictional arms, written once, for the tests of boards."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perf.board_runs import write_runs
from perf.board_world import FictionalArm, World, build_world
from tests.support.browser import PROGRAM

# Without a browser there is nothing to see; where all tests must run, its absence is a failure.
collect_ignore = [] if PROGRAM or os.environ.get("CI") else ["test_browser.py"]

ARMS = (
    FictionalArm("lumen_deep", "search-fetch", 0.85, task_s=70, search_s=3.5, search_usd=0.012, reports_usd=True),
    FictionalArm("quarry", "search-fetch", 0.8, task_s=40, search_s=1.4, search_usd=0.003),
    FictionalArm("mill_fast", "search-fetch", 0.2, task_s=75, search_s=4.0, search_usd=0.012, tokens=50_000),
    FictionalArm("skiff", "search-only", 0.6, outages=0.3),
    FictionalArm("none", "no-search", 0.1, search_usd=0.0),
)


@pytest.fixture(scope="session")
def world() -> World:
    """Twelve tickets."""
    return build_world(12)


@pytest.fixture(scope="session")
def finished(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of finished runs, one an arm of `ARMS`, three repeats; not to be changed."""
    out = tmp_path_factory.mktemp("finished")
    write_runs(out, ARMS, world)
    return out


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """The finished runs in a folder that a test may change."""
    return Path(shutil.copytree(finished, tmp_path / "runs"))


@pytest.fixture
def make_run(world: World, tmp_path: Path) -> Callable[..., list[Path]]:
    """Return ``make_run(arm, ..., folder="runs", **options)``, which writes runs of arms and returns their folders."""

    def make(*arms: FictionalArm, folder: str = "runs", world: World = world, **options: Any) -> list[Path]:
        return write_runs(tmp_path / folder, arms, world, **options)

    return make


def edit(file: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON file in place; what `change` returns replaces the value, None keeps the changed one."""
    data = json.loads(file.read_text())
    file.write_text(json.dumps(change(data) or data))


def results(run: Path) -> list[Path]:
    """Return the result files of a run in the order of their tickets."""
    return sorted(run.glob("details/*/*/attempt-*/result.json"), key=lambda file: file.parts[-3:])
