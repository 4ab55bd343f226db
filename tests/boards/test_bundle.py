"""Bundles: whole, the same every time, and checked number by number."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from agentcompass_websearch.boards.bundle import differences, verify_bundle, write_bundle
from agentcompass_websearch.errors import UsageError


@pytest.fixture(scope="module")
def bundle(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle([finished], tmp_path_factory.mktemp("bundle") / "b.zip")


def rewritten(bundle: Path, out: Path, name: str, old: bytes, new: bytes, *, listed: bool) -> Path:
    """Copy a bundle with one file changed; `listed` corrects its sum too, as a careful forger would."""
    import hashlib

    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(out, "w") as target:
        contents = {member: source.read(member) for member in source.namelist()}
        member = next(m for m in contents if name in m and old in contents[m])
        contents[member] = contents[member].replace(old, new, 1)
        if listed:
            manifest = json.loads(contents["manifest.json"])
            manifest["sha256"][member] = hashlib.sha256(contents[member]).hexdigest()
            contents["manifest.json"] = json.dumps(manifest).encode()
        for member, content in contents.items():
            target.writestr(member, content)
    return out


def test_a_bundle_verifies(bundle: Path) -> None:
    assert verify_bundle(bundle) == []


def test_the_same_runs_give_the_same_bytes(bundle: Path, finished: Path, tmp_path: Path) -> None:
    assert write_bundle([finished], tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_nothing_is_overwritten(bundle: Path, finished: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        write_bundle([finished], bundle)


def test_a_changed_file_is_named(bundle: Path, tmp_path: Path) -> None:
    forged = rewritten(bundle, tmp_path / "f.zip", "result.json", b"completed", b"Completed", listed=False)
    (problem,) = verify_bundle(forged)
    assert "result.json: changed since the bundle was made" in problem


def test_a_changed_number_is_found_by_computing_it_anew(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        mean = json.loads(archive.read("board.json"))["boards"]["search-fetch"]["arms"][0]["completion"]["mean"]
    forged = rewritten(
        bundle, tmp_path / "f.zip", "board.json", b'"mean": %s' % str(mean).encode(), b'"mean": 0.99', listed=True
    )
    assert any("arms[0].completion.mean: stored 0.99" in problem for problem in verify_bundle(forged))


def test_a_changed_verdict_is_found_by_judging_again(bundle: Path, tmp_path: Path) -> None:
    old, new = b'"metrics": {\n    "correct": false', b'"metrics": {\n    "correct": true'
    forged = rewritten(bundle, tmp_path / "f.zip", "quarry", old, new, listed=True)
    assert any("stored passed, judged again failed" in problem for problem in verify_bundle(forged))


@pytest.mark.parametrize("name", ["../out.json", "/out.json", "runs\\..\\..\\out.json"])
def test_no_file_is_written_outside(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(name, "{}")
        archive.writestr(
            "manifest.json", json.dumps({"schema": 1, "sha256": {name: "0"}, "allow_mixed": False, "seed": 0})
        )
    with pytest.raises(UsageError, match="outside of it"):
        verify_bundle(tmp_path / "b.zip")
    assert not list(tmp_path.parent.rglob("out.json"))


@pytest.mark.parametrize(
    "manifest", ["", "[]", "null", '{"schema": "1"}', '{"schema": 1, "sha256": ["a"]}', "[" * 100_000]
)
def test_a_manifest_of_another_form_is_one_line(tmp_path: Path, manifest: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("manifest.json", manifest)
    with pytest.raises(UsageError, match="is no bundle"):
        verify_bundle(tmp_path / "b.zip")


def test_what_is_no_bundle_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("x")
    with pytest.raises(UsageError, match="is no bundle"):
        verify_bundle(tmp_path / "b.zip")
    with pytest.raises(UsageError, match="is no bundle"):
        verify_bundle(tmp_path / "missing.zip")


def test_differences_are_told_by_their_place() -> None:
    assert list(differences({"a": [1.0, {"b": None}]}, {"a": [1.0 + 1e-12, {"b": None}]}, "x")) == []
    assert list(differences({"a": [1.0, 2]}, {"a": [1.5, 2], "c": 3}, "x")) == [
        "x.a[0]: stored 1.0, computed anew 1.5",
        "x.c: stored None, computed anew 3",
    ]
