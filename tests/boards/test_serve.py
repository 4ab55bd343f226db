"""Serving a board: on this machine only, made anew when a run grows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from agentcompass_websearch.boards.serve import open_server, state_of, watch
from agentcompass_websearch.errors import UsageError
from tests.boards.conftest import results


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "board.html").write_text("the board")
    (tmp_path / "secret.txt").write_text("secret")
    with open_server(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_board_is_at_the_root_and_nothing_outside_is_reached(address: str) -> None:
    assert httpx.get(address).text == "the board"
    assert httpx.get(f"{address}/../secret.txt").status_code == 404
    assert httpx.get(f"{address}/%2e%2e/secret.txt").status_code == 404
    assert httpx.post(address).status_code == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_a_foreign_name_for_this_machine_is_refused(address: str, host: str) -> None:
    assert httpx.get(address, headers={"Host": host}).status_code == 403


def test_a_taken_port_is_one_line(address: str, tmp_path: Path) -> None:
    port = int(address.rpartition(":")[2])
    with pytest.raises(UsageError, match=f"127.0.0.1:{port}"):
        open_server(tmp_path, port)


def test_a_grown_run_is_seen(copied: Path) -> None:
    before = state_of([copied])
    assert state_of([copied]) == before
    (run,) = copied.glob("quarry*/*/*")
    results(run)[0].unlink()
    assert state_of([copied]) != before
    assert state_of([copied / "nothing"]) == ()


def test_the_board_is_made_once_and_then_at_each_change(copied: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    stop, made = threading.Event(), threading.Semaphore(0)
    thread = threading.Thread(target=watch, args=([copied], made.release, stop), kwargs={"poll_s": 0.01})
    thread.start()
    assert made.acquire(timeout=10)
    assert not made.acquire(timeout=0.2), "nothing has changed"
    results(run)[0].unlink()
    assert made.acquire(timeout=10)
    stop.set()
    thread.join()


def test_a_file_that_goes_away_while_it_is_looked_at_is_passed_over(copied: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    before = state_of([copied])
    gone = results(run)[0]
    gone.unlink()
    gone.symlink_to("nowhere")
    assert len(state_of([copied])) == len(before) - 1
