"""``scripts/find-python``: the first Python 3.12 or newer that really runs, or one clear line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "find-python"
REAL = f'exec "{sys.executable}" "$@"'
SHIM = 'echo "pyenv: $0: command not found" >&2; exit 127'
OLD = "echo 'is 3.11.7' >&2; exit 1"


class Machine:
    """A machine of which the test says what commands there are."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.root = folder / "pyenv root"
        for tool in ("sh", "sed", "tail"):
            (self.bin / tool).symlink_to(str(shutil.which(tool)))

    def command(self, name: str, body: str) -> Path:
        """Put a shell script on the path."""
        return self._script(self.bin / name, body)

    def pyenv(self, **versions: str) -> None:
        """Put a pyenv on the path that holds these versions (``v3_12_1=...``)."""
        self.command("pyenv", f'echo "{self.root}"')
        for name, body in versions.items():
            path = self.root / "versions" / name[1:].replace("_", ".") / "bin" / "python"
            path.parent.mkdir(parents=True)
            self._script(path, body)

    def find(self, **env: str) -> tuple[int, str, str]:
        """Run the script: its exit code, stdout and stderr, the ends of lines taken off."""
        env = {"PATH": str(self.bin), **env}
        done = subprocess.run([str(SCRIPT)], env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.rstrip("\n"), done.stderr.rstrip("\n")

    def _script(self, path: Path, body: str) -> Path:
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("name", ["python3.13", "python3.12", "python3", "python"])
def test_a_python_on_the_path(machine: Machine, name: str) -> None:
    machine.command(name, REAL)
    assert machine.find() == (0, sys.executable, "")


def test_a_shim_that_refuses_and_one_that_is_too_old_are_passed_over(machine: Machine) -> None:
    for name, body in {"python3.13": SHIM, "python3.12": SHIM, "python3": OLD, "python": REAL}.items():
        machine.command(name, body)
    assert machine.find() == (0, sys.executable, "")


def test_a_python_that_only_claims_to_run_is_passed_over(machine: Machine) -> None:
    machine.command("python3.13", "exit 0")
    assert machine.find()[0] == 1


def test_versions_of_pyenv_are_tried_one_by_one(machine: Machine) -> None:
    machine.command("python3", SHIM)
    machine.pyenv(v3_10_13=OLD, v3_11_7=OLD, v3_12_1=REAL)
    assert machine.find() == (0, sys.executable, "")


def test_uv_is_the_last_resort(machine: Machine) -> None:
    fetched = machine.command("fetched", REAL)
    machine.command("uv", f'[ "$2" = install ] || echo "{fetched}"')
    assert machine.find() == (0, sys.executable, "")
    machine.command("uv", "echo 'no network' >&2; exit 2")
    code, out, err = machine.find()
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == "no network"


def test_python_names_the_only_one_to_try(machine: Machine) -> None:
    machine.command("python3", REAL)
    assert machine.find(PYTHON=sys.executable) == (0, sys.executable, "")
    old = machine.command("old", OLD)
    assert machine.find(PYTHON=str(old)) == (
        1,
        "",
        f"error: PYTHON={old} is not a Python 3.12 or newer that can make a virtual environment ({old} is 3.11.7)",
    )


def test_none_is_one_line_that_says_what_was_tried_and_what_to_do(machine: Machine) -> None:
    machine.command("python3", OLD)
    machine.command("python", SHIM)
    machine.pyenv(v3_9_1="exit 3")
    code, out, err = machine.find()
    assert (code, out) == (1, "")
    assert err == (
        "error: no Python 3.12 or newer found; install one, or name it: make PYTHON=/path/to/python3.12 "
        "(python3.13 is not there; python3.12 is not there; python3 is 3.11.7; "
        f"python does not run (pyenv: {machine.bin}/python: command not found); "
        f"{machine.root}/versions/3.9.1/bin/python does not run (no output))"
    )


def test_the_real_machine_has_one(tmp_path: Path) -> None:
    done = subprocess.run([str(SCRIPT)], env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}, capture_output=True)
    assert done.stdout.decode().strip() == sys.executable
