"""``scripts/set-up``: makes the virtual environment once, and again when what it was made for has changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"

# A uv that makes an environment in no time, and writes down what it was asked.
UV = """#!/bin/sh
echo "$@" >>"$LOG"
case $1 in
venv) for folder; do :; done; mkdir -p "$folder/bin"; ln -s "$REAL" "$folder/bin/python" ;;
pip) exit "${INSTALL_FAILS:-0}" ;;
esac
"""


class Checkout:
    """A checkout with the scripts, on a machine with a uv that only pretends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(SCRIPTS, folder / "scripts")
        (folder / "pyproject.toml").write_text("a = 1\n")
        tools = folder / "tools"
        tools.mkdir()
        (tools / "uv").write_text(UV)
        (tools / "uv").chmod(0o755)
        self.log = folder / "log"
        self.env = {"PATH": f"{tools}:/usr/bin:/bin", "LOG": str(self.log), "REAL": sys.executable}

    def set_up(self, folder: Path | None = None, **env: str) -> tuple[int, list[str]]:
        """Run the script; its exit code, and what uv was asked for."""
        self.log.write_text("")
        script = (folder or self.folder) / "scripts" / "set-up"
        env = {**self.env, "PYTHON": sys.executable, **env}
        done = subprocess.run([str(script)], env=env, capture_output=True, text=True, check=False)
        return done.returncode, [line.split()[0] for line in self.log.read_text().splitlines()]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    return Checkout(folder)


def test_it_is_done_once(checkout: Checkout) -> None:
    assert checkout.set_up() == (0, ["venv", "pip"])
    assert checkout.set_up() == (0, [])


def test_it_is_done_again_when_the_project_file_changed(checkout: Checkout) -> None:
    checkout.set_up()
    (checkout.folder / "pyproject.toml").write_text("a = 2\n")
    assert checkout.set_up() == (0, ["venv", "pip"])
    assert checkout.set_up() == (0, [])


def test_it_is_done_again_after_one_that_was_interrupted(checkout: Checkout) -> None:
    assert checkout.set_up(INSTALL_FAILS="3") == (3, ["venv", "pip"])
    assert checkout.set_up() == (0, ["venv", "pip"])


def test_an_interrupted_one_after_a_change_does_not_pass_for_the_old_one(checkout: Checkout) -> None:
    checkout.set_up()
    (checkout.folder / "pyproject.toml").write_text("a = 2\n")
    checkout.set_up(INSTALL_FAILS="3")
    (checkout.folder / "pyproject.toml").write_text("a = 1\n")
    assert checkout.set_up() == (0, ["venv", "pip"])


def test_it_is_done_again_in_a_copy_of_the_checkout(checkout: Checkout, tmp_path: Path) -> None:
    checkout.set_up()
    copy = tmp_path / "copy"
    shutil.copytree(checkout.folder, copy, symlinks=True)
    assert checkout.set_up(copy) == (0, ["venv", "pip"])
    assert checkout.set_up(copy) == (0, [])


def test_it_is_done_again_when_the_environment_is_broken(checkout: Checkout) -> None:
    checkout.set_up()
    (checkout.folder / ".venv" / "bin" / "python").unlink()
    assert checkout.set_up() == (0, ["venv", "pip"])


def test_another_python_makes_another_environment_and_none_named_keeps_it(checkout: Checkout, tmp_path: Path) -> None:
    checkout.set_up()
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    assert checkout.set_up(PYTHON=str(other)) == (0, ["venv", "pip"])
    assert checkout.set_up(PYTHON="") == (0, [])


def test_no_python_leaves_an_existing_environment_alone(checkout: Checkout, tmp_path: Path) -> None:
    checkout.set_up()
    assert checkout.set_up(PYTHON=str(tmp_path / "nowhere")) == (1, [])
    assert checkout.set_up() == (0, [])
