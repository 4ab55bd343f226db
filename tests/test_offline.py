"""The tests' own guard: this process and its children reach loopback and nothing else, and know no secret of yours."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from tests.support.installs import Run

# A documentation address (RFC 5737): nothing answers there, should the guard fail.
ELSEWHERE = ("192.0.2.1", 80)


def test_connections_elsewhere_fail_at_once() -> None:
    with pytest.raises(OSError, match="loopback only"), socket.socket() as s:
        s.connect(ELSEWHERE)
    with pytest.raises(OSError, match="loopback only"), socket.socket() as s:
        s.connect_ex(ELSEWHERE)
    with pytest.raises(OSError, match="loopback only"), socket.socket(type=socket.SOCK_DGRAM) as s:
        s.sendto(b"x", ELSEWHERE)
    with pytest.raises(OSError, match="loopback only"), socket.socket(type=socket.SOCK_DGRAM) as s:
        s.sendmsg([b"x"], [], 0, ELSEWHERE)
    with pytest.raises(OSError, match="loopback only"), socket.socket(socket.AF_INET6) as s:
        s.connect(("2001:db8::1", 80))


async def test_connections_elsewhere_fail_in_an_event_loop() -> None:
    with pytest.raises(OSError, match="loopback only"):
        await asyncio.open_connection(*ELSEWHERE)
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("https://host.example/")


@pytest.mark.parametrize("name", ["host.example", b"host.example", "localhost.example"])
def test_no_name_is_looked_up(name: str | bytes) -> None:
    with pytest.raises(socket.gaierror, match="look up no name"):
        socket.getaddrinfo(name, 80)
    with pytest.raises(socket.gaierror, match="look up no name"):
        socket.gethostbyname(name)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.8.9.1"])
def test_loopback_works(host: str) -> None:
    with socket.create_server(("127.0.0.1" if host == "localhost" else host, 0)) as server:
        threading.Thread(target=lambda: server.accept()[0].sendall(b"hello")).start()
        with socket.create_connection((host, server.getsockname()[1]), timeout=5) as client:
            assert client.recv(5) == b"hello"


def test_loopback_of_ipv6_and_unix_sockets_are_not_the_guards_business(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as s, pytest.raises(FileNotFoundError):
        s.connect(str(tmp_path / "nobody"))
    if socket.has_ipv6:
        with socket.socket(socket.AF_INET6) as s, pytest.raises(OSError, match=r"refused|not available|unreachable$"):
            s.connect(("::1", 1))


def test_children_are_cut_off_too(run: Run) -> None:
    code = f"import socket; socket.create_connection({ELSEWHERE!r}, timeout=2)"
    assert "the tests allow loopback only, not 192.0.2.1" in run("python", "-c", code).err


def test_no_key_proxy_or_setting_of_the_developer_reaches_a_test(tmp_path: Path) -> None:
    """A run of pytest with the conftest of these tests, started with everything that must not come through."""
    theirs = {
        "EXA_API_KEY": "x",
        "OPENAI_BASE_URL": "x",
        "HF_TOKEN": "x",
        "HF_ENDPOINT": "x",
        "https_proxy": "x",
        "NO_PROXY": "x",
        "AGENTCOMPASS_WEBSEARCH_AUTOLOAD": "0",
        "MODEL_API_KEY": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "GITHUB_TOKEN": "x",
        "XDG_DATA_HOME": "x",
    }
    (tmp_path / "test_it.py").write_text(
        f"""
import os, pathlib
def test_it():
    assert set({sorted(theirs)!r}) & set(os.environ) == set()
    assert pathlib.Path.home() != pathlib.Path({os.environ["HOME"]!r})
    assert not any(pathlib.Path.home().iterdir())
    assert os.environ["XDG_CONFIG_HOME"].startswith(str(pathlib.Path.home()))
    assert os.environ["HF_HUB_OFFLINE"] == "1"
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, **theirs, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
