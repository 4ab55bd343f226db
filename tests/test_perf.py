"""The measurements of ``perf/`` run: what they measure is theirs to say, that they still fit the code is said here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("module", "few", "says"),
    [
        ("perf.harness_time", ("--attempts", "3"), "without requests to the model and the vendor:"),
        ("perf.transport", ("--calls", "20"), "httpx, JSON read"),
    ],
)
def test_a_measurement_comes_to_its_end(module: str, few: tuple[str, ...], says: str) -> None:
    words = [sys.executable, "-m", module, *few]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr
    assert says in done.stdout
