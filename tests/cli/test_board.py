"""The commands board, rejudge, bundle and verify, as a person types them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentcompass_websearch.cli import main
from perf.board_runs import write_runs
from perf.board_world import FictionalArm, build_world

ARMS = (
    FictionalArm("quarry", "search-fetch", 1.0),
    FictionalArm("mill", "search-fetch", 0.05),
    FictionalArm("none", "no-search", 0.1, search_usd=0.0),
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    write_runs(folder / "runs", ARMS, build_world(8))
    return folder / "runs"


def test_a_board_is_written_and_said(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", str(runs), "--out", str(tmp_path / "out"), "--no-audit"]) == 0
    said = capsys.readouterr().out
    assert "quarry leads. Behind: mill." in said
    assert f"Written: {tmp_path}/out/board.html" in said
    board = json.loads((tmp_path / "out/board.json").read_text())
    assert [arm["vendor_id"] for arm in board["boards"]["search-fetch"]["arms"]] == ["quarry", "mill"]


def test_a_wrong_path_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("board", "rejudge", "bundle"):
        assert main([command, str(tmp_path / "nothing")]) == 2
        assert main([command]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 6
    assert all(line.startswith("Error: ") for line in lines)


def test_a_place_that_cannot_be_written_is_one_line(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    below = str(tmp_path / "file" / "out")
    for command in ("board", "rejudge", "bundle"):
        assert main([command, str(runs), "--out", below]) == 2
    assert main(["board", str(runs), "--serve", "--out", str(tmp_path / "file")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("Error: ") and str(tmp_path / "file") in line for line in lines)


def test_runs_that_do_not_belong_together_are_told_apart(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run,) = runs.glob("quarry*/*/*")
    twin = tmp_path / "twin"
    twin.symlink_to(run)
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(run), str(copy)], check=True)
    assert main(["board", str(run), str(copy), "--out", str(tmp_path / "out")]) == 2
    assert "are there twice" in capsys.readouterr().err
    assert main(["board", str(run), str(twin), "--out", str(tmp_path / "out"), "--no-audit"]) == 0


def test_rejudge_prints_what_changes_and_stores_everything(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again.json"
    assert main(["rejudge", str(runs), "--judge", "official", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    stored = json.loads(out.read_text())
    changed = [one for one in stored["attempts"] if one["was"] != one["now"]]
    assert len(stored["attempts"]) == 72
    assert said.count(" -> ") == len(changed) > 0
    assert f"72 attempts judged again (official), {len(changed)} changed" in said


def test_nothing_is_written_into_a_run(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run,) = runs.glob("quarry*/*/*")
    before = {file: file.read_bytes() for file in run.rglob("*.json")}
    for command, out in (("rejudge", "progress.json"), ("board", "new"), ("bundle", "new.zip")):
        assert main([command, str(run), "--out", str(run / out)]) == 2
        assert "a place outside" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in run.rglob("*.json")} == before
    assert not [*run.glob("new*")]


def test_a_bundle_that_was_changed_fails_to_verify(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "b.zip"
    assert main(["bundle", str(runs), "--out", str(bundle)]) == 0
    assert main(["verify", str(bundle)]) == 0
    assert "every number and verdict agrees" in capsys.readouterr().out
    with bundle.open("r+b") as file:
        file.seek(2000)
        file.write(b"\0\0\0\0")
    assert main(["verify", str(bundle)]) in (1, 2)


def test_serving_ends_with_ctrl_c(runs: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "agentcompass_websearch", "board", str(runs), "--serve", "--no-audit"]
    with subprocess.Popen(
        [*words, "--out", str(tmp_path / "out")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Serving http://127.0.0.1:")
            assert process.stdout.readline() == "Search & fetch:\n"
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert complaints == ""


def test_without_the_extra_it_says_how_to_get_it(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("agentcompass_websearch.boards")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert main(["board", str(runs), "--out", str(tmp_path / "out")]) == 2
    assert "pip install 'agentcompass-websearch[report]'" in capsys.readouterr().err


def test_neither_help_nor_rejudging_needs_the_extra(runs: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['numpy', 'scipy', 'altair', 'vl_convert']));"
        "from agentcompass_websearch.cli import main;"
        f"sys.exit(main(['board', '--help']) or main(['rejudge', {str(runs)!r}, '--out', {str(tmp_path / 'o')!r}]))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_machine_without_a_browser_says_what_to_open(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert main(["board", str(runs), "--out", str(tmp_path / "out"), "--no-audit", "--open"]) == 0
    page = (tmp_path / "out/board.html").as_uri()
    assert capsys.readouterr().out.endswith(f"No browser was found on this machine. Open {page} in one.\n")


def test_nothing_but_a_board_is_served(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/diary.txt").write_text("x")
    assert main(["board", str(runs), "--out", str(tmp_path / "mine"), "--serve"]) == 2
    assert "holds something else than a board" in capsys.readouterr().err
