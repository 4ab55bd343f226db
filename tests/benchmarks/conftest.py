"""What tests of the benchmark share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.benchmarks.all_reasons import run_and_analyze
from tests.support.browser import PROGRAM

# Continuous integration installs a browser; without one, nothing can be looked at.
collect_ignore = [] if PROGRAM or os.environ.get("CI") else ["test_viewer.py"]


@pytest.fixture(scope="session")
def analyzed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folder of a run with an attempt of each kind, and the one that ``analysis`` made of it."""
    return run_and_analyze(tmp_path_factory.mktemp("analyzed"))
