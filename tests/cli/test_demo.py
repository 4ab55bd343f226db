"""The demo through the real host: tables, exit codes, and no process left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcompass_websearch.cli import demo as command
from agentcompass_websearch.cli import main
from agentcompass_websearch.cli.demonstration.arms import ARMS, Arm
from agentcompass_websearch.cli.demonstration.processes import runs, stand_in
from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH


def test_every_arm_has_results_of_its_own() -> None:
    assert len({arm.name for arm in ARMS}) == len(ARMS) == 5
    assert {arm.board for arm in ARMS} == {"search-fetch", "search-only", "no-search"}


def test_a_reduced_demo_runs_and_reports_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arms = Arm("local_page", (WEB_SEARCH, WEB_FETCH)), Arm("no_such_vendor", (WEB_SEARCH,)), Arm("none", ())
    monkeypatch.setattr(command, "ARMS", arms)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-used-0123456789")
    (tmp_path / "config.yaml").write_text("runtime: {results_dir: elsewhere}\nexecution: 5\n")
    monkeypatch.chdir(tmp_path)

    assert main(["demo", "--k", "1", "--json"]) == 1

    out, err = capsys.readouterr()
    report = json.loads(out)
    assert report["model"] == "scripted-stand-in"
    assert report["is_language_model"] is False
    assert list(report["failed"]) == ["no_such_vendor-search-only"]
    assert "no_such_vendor" in err
    boards = {run["arm"]: run["leaderboard"] for run in report["runs"]}
    with_search, without = boards["local_page-search-fetch"], boards["no-search"]
    assert with_search["tickets"] == without["tickets"] == 12
    assert with_search["completion"]["mean"] > 0.3
    assert with_search["completion"]["mean"] < 1
    assert with_search["mean_search_s"] > 0
    assert with_search["median_cost_usd"] == 0
    assert without["completion"]["mean"] == 0
    assert without["recovered"]["mean"] <= 2 / 12
    for run in report["runs"]:
        folder = Path(run["run_dir"])
        assert folder.is_relative_to(tmp_path / "websearch-demo")
        assert (folder / "summary.md").stat().st_size > 0
    written = (file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert not any(b"sk-not-to-be-used" in content for content in written)


@pytest.mark.parametrize("options", [["--k", "0"], ["--k", "some"], ["--results-dir", "/dev/null/x"], ["--colour"]])
def test_wrong_options_are_explained(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *options]) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "demo.log").mkdir()
    assert main(["demo", "--results-dir", str(tmp_path)]) == 2
    assert f"--results-dir {tmp_path} cannot be written to" in capsys.readouterr().err


def test_ctrl_c_ends_the_demo_and_its_processes(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "agentcompass_websearch", "demo"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            children = _wait_for_children(process.pid, 2)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert not [child for child in children if _alive(child)]


def test_a_demo_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "agentcompass_websearch", "demo"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        children = _wait_for_children(process.pid, 2)
        process.kill()
    _wait(lambda: not [child for child in children if _alive(child)])


def test_an_error_while_runs_go_on_ends_their_processes(tmp_path: Path) -> None:
    children: list[int] = []

    def go_wrong() -> None:
        with (tmp_path / "log").open("wb") as log, stand_in(), runs({}, log):
            children.extend(_wait_for_children(os.getpid(), 2))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        go_wrong()
    assert children
    assert not [child for child in children if _alive(child)]


def _wait_for_children(parent: int, count: int) -> list[int]:
    found: list[int] = []

    def enough() -> bool:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        pairs = (map(int, line.split()) for line in listed.splitlines())
        found[:] = [pid for pid, ppid in pairs if ppid == parent]
        return len(found) >= count

    _wait(enough)
    return found


def _wait(done: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return not state.startswith("Z")
