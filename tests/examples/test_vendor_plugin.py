"""The example of a vendor in a package of its own: installed, listed, tested by its own tests, and told truly."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.support.installs import Run

CHECKOUT = Path(__file__).parents[2]
EXAMPLE = CHECKOUT / "examples" / "vendor_plugin"
GUIDE = CHECKOUT / "docs" / "add-a-vendor.md"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the example in a folder whose own settings of pytest, like those of this checkout, are not for it."""
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--no-such-option"\n')
    return Path(shutil.copytree(EXAMPLE, tmp_path / "vendor_plugin", ignore=shutil.ignore_patterns("__pycache__")))


def test_it_can_be_installed_and_brings_its_ids_and_its_tests_pass(run: Run, source: Path, tmp_path: Path) -> None:
    site = tmp_path / "installed"
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    run("python", "-m", "pip", "install", *options, "--target", site, source).ok()
    env = {"PYTHONPATH": os.pathsep.join([str(site), os.environ["PYTHONPATH"]])}

    listed = json.loads(run("python", "-m", "agentcompass_websearch", "vendors", "--json", env=env).ok())
    ours = {row["id"]: row for row in listed if row["family"] == "acme"}
    assert list(ours) == ["acme_quick", "acme_deep"]
    assert (ours["acme_quick"]["default"], ours["acme_quick"]["search_usd"]) == (True, 0.004)

    (source / "websearch_acme.py").unlink()
    words = ("-q", "-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function")
    said = run("python", "-m", "pytest", *words, source, env=env, cwd=source).ok()
    assert re.search(r"\b\d\d passed", said)


def test_without_it_there_is_no_such_vendor(run: Run) -> None:
    assert run("python", "-m", "agentcompass_websearch", "vendors", "acme").code == 2


def test_the_guide_shows_what_the_example_says() -> None:
    text = "".join(path.read_text("utf-8") for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml"))
    blocks = re.findall(r"```(?:python|toml)\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 5
    assert [block for block in blocks if block not in text] == []
