"""The check of a bundle: sums, numbers and verdicts, down to one byte."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.boards.bundle import Manifest, seal_of, write_bundle
from agentcompass_websearch.boards.verify import differences, verify_bundle
from agentcompass_websearch.errors import UsageError
from tests.boards.conftest import edit, results

FILES = ("manifest.json", "board.json", "run_info.json", "progress.json", "task.json", "result.json")


@pytest.fixture(scope="module")
def whole(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of one arm, not to be changed."""
    return write_bundle([*finished.glob("quarry*")], tmp_path_factory.mktemp("bundle") / "b")


@pytest.fixture
def bundle(whole: Path, tmp_path: Path) -> Path:
    """A bundle that a test may change."""
    return Path(shutil.copytree(whole, tmp_path / "b"))


def found(bundle: Path) -> list[str]:
    """What is wrong with a bundle, in whatever way it is said."""
    try:
        return verify_bundle(bundle)
    except UsageError as error:
        return [str(error)]


def forge(bundle: Path, file: Path, change: Callable[[Any], Any]) -> None:
    """Change a file and its sum in the manifest, as a careful forger would."""
    edit(file, change)
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["sha256"][file.relative_to(bundle).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    (bundle / "manifest.json").write_bytes(Manifest(**manifest).text())


def sealed(archive: Path) -> Path:
    """Put the right seal on an archive that has a place for it."""
    archive.write_bytes(archive.read_bytes()[:-64] + seal_of(archive))
    return archive


def test_a_bundle_verifies(whole: Path, finished: Path, tmp_path: Path) -> None:
    assert verify_bundle(whole) == []
    assert verify_bundle(write_bundle([finished], tmp_path / "b.zip")) == []


def test_so_does_one_of_runs_with_broken_files(copied: Path, tmp_path: Path) -> None:
    first, second = sorted(copied.rglob("result.json"))[:2]
    first.write_bytes(b"\xff\xfe\x00")
    second.write_bytes(b'{"status": "comp')
    assert verify_bundle(write_bundle([copied], tmp_path / "out")) == []


@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_in_any_file_fails(bundle: Path, name: str) -> None:
    file = next(bundle.rglob(name))
    content = file.read_bytes()
    random.seed(name)
    for place in (0, len(content) - 1, *random.sample(range(len(content)), 3)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert found(bundle), f"byte {place}"


def test_one_changed_byte_anywhere_in_an_archive_fails(finished: Path, tmp_path: Path) -> None:
    """Also in dates and attributes of its directory, which say nothing about the runs."""
    archive = write_bundle([*finished.glob("quarry*")], tmp_path / "b.zip")
    content = archive.read_bytes()
    with zipfile.ZipFile(archive) as opened:
        directory = opened.start_dir
    for place in (0, 10, 2000, directory + 12, directory + 38, len(content) - 80, len(content) - 1):
        archive.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert found(archive), f"byte {place}"


def test_a_changed_file_is_named(bundle: Path) -> None:
    (file,) = bundle.rglob("run_info.json")
    file.write_text(file.read_text().replace("completed", "Completed"))
    (problem,) = verify_bundle(bundle)
    assert "run_info.json: changed since the bundle was made" in problem


def test_files_that_are_missing_or_added_are_named(bundle: Path) -> None:
    results(next(bundle.glob("runs/0/*/*/*")))[0].unlink()
    (bundle / "more.txt").touch()
    missing, added = verify_bundle(bundle)
    assert "result.json: listed, but not there" in missing
    assert added == "more.txt: there, but not listed"


def test_a_changed_number_is_found_by_computing_it_anew(bundle: Path) -> None:
    def better(board: Any) -> None:
        board["boards"]["search-fetch"]["arms"][0]["completion"]["mean"] = 0.99

    forge(bundle, bundle / "board.json", better)
    (problem,) = verify_bundle(bundle)
    assert "arms[0].completion.mean: stored 0.99" in problem


@pytest.mark.parametrize("name", ["correct", "recovered", "correct_official"])
def test_a_changed_verdict_is_found_by_judging_again(bundle: Path, name: str) -> None:
    file = results(next(bundle.glob("runs/0/*/*/*")))[3]
    forge(bundle, file, lambda r: r["metrics"].update({name: not r["metrics"][name]}))
    assert any(f"judged again, {name} differ" in problem for problem in verify_bundle(bundle))


def test_a_changed_reason_is_found_too(bundle: Path) -> None:
    file = next(
        file
        for file in results(next(bundle.glob("runs/0/*/*/*")))
        if not json.loads(file.read_text())["metrics"]["correct"]
    )
    forge(bundle, file, lambda r: r["meta"]["benchmark"]["scoring"]["published"].update(missing=["Other-Word"]))
    assert any("judged again, the published verdict differ" in problem for problem in verify_bundle(bundle))


def test_a_changed_place_of_a_needle_is_found_too(bundle: Path) -> None:
    file = results(next(bundle.glob("runs/0/*/*/*")))[0]
    forge(bundle, file, lambda r: r["meta"]["benchmark"]["scoring"]["needles"][0].update(line=999))
    assert any("judged again, the record of the needles differ" in problem for problem in verify_bundle(bundle))


def test_an_added_link_to_a_folder_is_named(bundle: Path, tmp_path: Path) -> None:
    (bundle / "more").symlink_to(tmp_path)
    assert verify_bundle(bundle) == ["more: there, but not listed"]


@pytest.mark.parametrize("name", ["../out.json", "/out.json", "runs\\..\\..\\out.json"])
def test_no_file_is_written_outside(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(name, "{}")
        archive.writestr("manifest.json", Manifest(1, "0", False, 0, {name: "0"}).text())
        archive.comment = b"0" * 64
    with pytest.raises(UsageError, match="outside of it"):
        verify_bundle(sealed(tmp_path / "b.zip"))
    assert not list(tmp_path.parent.rglob("out.json"))


@pytest.mark.parametrize(
    "manifest", ["", "[]", "null", '{"schema": "1"}', '{"schema": 1, "sha256": ["a"]}', "[" * 100_000]
)
def test_a_manifest_of_another_form_is_one_line(bundle: Path, manifest: str) -> None:
    (bundle / "manifest.json").write_text(manifest)
    with pytest.raises(UsageError, match="is no bundle"):
        verify_bundle(bundle)


def test_what_is_no_bundle_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("x")
    for path in (tmp_path / "b.zip", tmp_path / "missing.zip", tmp_path):
        with pytest.raises(UsageError, match="is no bundle"):
            verify_bundle(path)


def test_differences_are_told_by_their_place() -> None:
    assert list(differences({"a": [1.0, {"b": None}]}, {"a": [1.0 + 1e-12, {"b": None}]}, "x")) == []
    assert list(differences({"a": [1.0, 2]}, {"a": [1.5, 2], "c": 3}, "x")) == [
        "x.a[0]: stored 1.0, computed anew 1.5",
        "x.c: stored None, computed anew 3",
    ]
