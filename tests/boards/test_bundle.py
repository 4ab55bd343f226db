"""Bundles: whole, the same every time."""

from __future__ import annotations

import errno
import json
import zipfile
from pathlib import Path

import pytest

from agentcompass_websearch.boards.bundle import Manifest, write_bundle
from agentcompass_websearch.boards.reader import find_runs
from agentcompass_websearch.errors import UsageError
from tests.boards.conftest import edit


def contents(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_same_runs_give_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    folders = [write_bundle([finished], tmp_path / name) for name in ("one", "two")]
    archives = [write_bundle([finished], tmp_path / name) for name in ("one.zip", "two.zip")]
    assert contents(folders[0]) == contents(folders[1])
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with zipfile.ZipFile(archives[0]) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == contents(folders[0])


def test_it_holds_the_board_and_the_files_that_it_is_computed_from(finished: Path, tmp_path: Path) -> None:
    (run,) = finished.glob("quarry*/*/*")
    (run / "run.log").touch()
    bundle = write_bundle([run], tmp_path / "out")
    names = {Path(name).name for name in contents(bundle)}
    assert names == {"manifest.json", "board.json", "run_info.json", "progress.json", "task.json", "result.json"}
    (again,) = find_runs([bundle])
    assert again.parts[-3:] == run.parts[-3:]


def test_nothing_is_overwritten(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match="exists already"):
        write_bundle([finished], tmp_path / "mine")


def test_nothing_is_written_into_a_run(copied: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    with pytest.raises(UsageError, match="written into the run"):
        write_bundle([copied], run / "details" / "release")


def test_secrets_of_the_environment_stay_behind(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARRY_API_KEY", "canary-4713-in-page")
    for file in copied.rglob("result.json"):
        file.write_text(file.read_text().replace("documentation asks", "documentation canary-4713-in-page asks"))
    written = contents(write_bundle([copied], tmp_path / "out"))
    assert any(b"documentation asks" not in content for content in written.values())
    assert not [name for name, content in written.items() if b"canary-4713" in content]


def test_secrets_in_a_runs_plan_stay_behind(copied: Path, tmp_path: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    model = {
        "id": "fictional",
        "base_url": "https://me:canary-4713@models.example/v1?of=a",
        "params": {"extra_headers": {"X-Team": "canary-4713"}, "stop": ["http://canary-4713@a.example/"], "top_p": 0.5},
    }
    edit(run / "run_info.json", lambda info: info["request"].update(model=model))
    bundle = write_bundle([run], tmp_path / "out")
    assert not [name for name, content in contents(bundle).items() if b"canary-4713" in content]
    (info,) = bundle.rglob("run_info.json")
    kept = json.loads(info.read_text())["request"]["model"]
    assert kept["base_url"] == "https://models.example/v1?of=a"
    assert kept["params"] == {"stop": ["http://a.example/"], "top_p": 0.5}


def test_files_that_cannot_be_read_are_bundled_as_they_are(copied: Path, tmp_path: Path) -> None:
    first, second = sorted(copied.rglob("result.json"))[:2]
    first.write_bytes(b"\xff\xfe\x00")
    second.write_bytes(b'{"status": "comp')
    bundle = write_bundle([copied], tmp_path / "out")
    assert len(json.loads((bundle / "board.json").read_text())["problems"]) == 2
    assert {b"\xff\xfe\x00", b'{"status": "comp'} <= set(contents(bundle).values())


@pytest.mark.parametrize("name", ["release", "release.zip"])
def test_what_could_not_be_written_whole_leaves_nothing(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Manifest, "text", full)
    with pytest.raises(OSError, match="No space"):
        write_bundle([finished], tmp_path / "out" / name)
    assert list((tmp_path / "out").iterdir()) == []
