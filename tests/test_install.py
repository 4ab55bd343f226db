"""The package as it is installed: what a wheel holds, and that pip puts the seam in place and takes it away again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
SEAM = "agentcompass_websearch.pth"


def call(*argv: str | Path, cwd: Path | None = None) -> str:
    """Run a program that must succeed; return its stdout."""
    done = subprocess.run([str(word) for word in argv], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a "wheel" or "sdist" of `source` into `folder` with the build backend of this environment."""
    call(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder, cwd=source)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, so that nothing changes it while the tests build from it."""
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "results", "websearch-demo", "dist", "build")
    return Path(shutil.copytree(CHECKOUT, tmp_path_factory.mktemp("source") / "checkout", ignore=unwanted))


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the checkout."""
    return build("wheel", checkout, tmp_path_factory.mktemp("wheel"))


class Environment:
    """A virtual environment that has the packages of this one, but not this package."""

    def __init__(self, folder: Path) -> None:
        call(sys.executable, "-m", "venv", "--without-pip", folder)
        self.python = folder / "bin" / "python"
        self.site = Path(call(self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        # A path from a .pth file is searched last, and the .pth files in it do not count.
        (self.site / "zz_packages_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.before = set(os.listdir(self.site))

    def pip(self, *argv: str | Path) -> None:
        """Run pip on this environment, offline."""
        command, *options = argv
        call(sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", command, *options)

    def added(self) -> set[str]:
        """What is in the site folder now and was not at first."""
        return set(os.listdir(self.site)) - self.before

    def run(self, *argv: str | Path) -> str:
        """Run this environment's Python from outside the checkout."""
        return call(self.python, *argv, cwd=self.site)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "venv")


def from_wheel(environment: Environment, wheel: Path, checkout: Path) -> None:
    environment.pip("install", "--no-deps", "--no-index", wheel)


def editable(environment: Environment, wheel: Path, checkout: Path) -> None:
    environment.pip("install", "--no-deps", "--no-index", "--no-build-isolation", "--editable", checkout)


@pytest.mark.parametrize("install", [from_wheel, editable])
def test_pip_puts_the_seam_in_place_and_takes_it_away(
    install: Callable[[Environment, Path, Path], None], environment: Environment, wheel: Path, checkout: Path
) -> None:
    armed = "import sys, agentcompass; print('agentcompass_websearch._seam' in sys.modules)"
    assert environment.run("-c", armed) == "False\n"
    install(environment, wheel, checkout)
    assert (environment.site / SEAM).read_text() == (checkout / SEAM).read_text()
    # Python reads .pth files in this order: the seam must come after the line that makes the package importable.
    assert max(name for name in environment.added() if name.endswith(".pth")) == SEAM
    assert environment.run("-c", armed) == "True\n"
    assert "│ ob-code-websearch " in environment.run("-I", "-m", "agentcompass.cli", "list", "benchmark")
    script = environment.python.parent / "agentcompass-websearch"
    assert environment.run("-c", "import agentcompass_websearch as p; print(p.__version__)") == call(
        script, "--version"
    )
    environment.pip("uninstall", "--yes", "agentcompass-websearch")
    assert environment.added() == set()
    assert not script.exists()
    assert environment.run("-c", armed) == "False\n"


def test_the_wheel_holds_the_package_the_seam_and_nothing_else(checkout: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    info = wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"
    assert f"{info}/licenses/LICENSE" in names
    package = "agentcompass_websearch"
    for name in ("py.typed", "sample/rows.jsonl", "sample/pages.jsonl", "cli/__init__.py", "tools/testing/__init__.py"):
        assert f"{package}/{name}" in names
    sources = {
        path.relative_to(checkout).as_posix()
        for path in (checkout / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if not name.startswith(f"{info}/")} == {SEAM, *sources}


def test_the_entry_points_in_the_wheel_name_modules_in_the_wheel(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    (path,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
    entries = ConfigParser()
    entries.read_string(archive.read(path).decode())
    assert dict(entries["console_scripts"]) == {"agentcompass-websearch": "agentcompass_websearch.cli:main"}
    assert dict(entries["agentcompass.benchmarks"]).keys() == {"ob-code-websearch"}
    assert dict(entries["agentcompass.harnesses"]).keys() == {"coding_agent"}
    assert dict(entries["agentcompass_websearch.tools"]).keys() >= {"exa", "local", "none"}
    for group in entries.sections():
        for module in entries[group].values():
            path = module.partition(":")[0].replace(".", "/")
            assert f"{path}.py" in names or f"{path}/__init__.py" in names, module


def test_a_wheel_from_the_source_distribution_is_the_same(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", checkout, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    for name in ("tests/conftest.py", "Makefile", "scripts/find-python", "CHANGELOG.md", "CONTRIBUTING.md"):
        assert (source / name).exists(), name
    again = build("wheel", source, tmp_path / "again")
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())
