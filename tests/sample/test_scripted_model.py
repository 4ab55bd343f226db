"""The stand-in as a process of its own: it knows nothing but requests, solves what it can in any world, and stops."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

import agentcompass_websearch
from agentcompass_websearch.sample.scripted_model import main
from agentcompass_websearch.sample.stand_in.tricks import NAMES
from agentcompass_websearch.sample.synthesize import World, synthesize
from tests.sample.engine import FETCH, SEARCH, attempt, index_of

MODULE = "agentcompass_websearch.sample.scripted_model"
PACKAGE = Path(agentcompass_websearch.__file__).parent


@contextmanager
def started(*options: str, cwd: Path, python: tuple[str, ...] = ()) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the server, and yield it with the base URL that it printed."""
    command = [sys.executable, *python, "-m", MODULE, *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            assert said["model"] == "scripted-stand-in"
            yield process, said["base_url"]
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with started("--port", "0", cwd=tmp_path) as (process, base_url):
        assert httpx.get(f"{base_url}/models").status_code == 200
        process.send_signal(number)
        assert process.wait(10) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{base_url}/models")


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    with started("--until-eof", cwd=tmp_path) as (process, _):
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


def test_it_misbehaves_if_asked_to(tmp_path: Path) -> None:
    options = ("--misbehave", "429:3", "--misbehave", "500,503", "--share", "0.33", "--seed", "4")
    with started(*options, cwd=tmp_path) as (_, base_url):
        body = {"model": "scripted-stand-in", "messages": [{"role": "user", "content": "Hello."}]}
        met = {httpx.post(f"{base_url}/chat/completions", json=body).status_code for _ in range(40)}
        ledger = httpx.get(f"{base_url.removesuffix('/v1')}/ledger").json()
    assert met >= {429, 500, 503}
    assert ledger["requests"] == 40
    assert sum(ledger["tricks"].values()) + ledger["answers"] == 40


def test_a_port_that_cannot_be_had_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port, why in ((taken.getsockname()[1], "in use"), (99999, "must be 0-65535")):
            with pytest.raises(SystemExit) as left:
                main(["--port", str(port)])
            assert left.value.code == 2
            last = capsys.readouterr().err.splitlines()[-1]
            assert f"--port: cannot serve on {port}: " in last
            assert why in last
            assert last.endswith("; 0 takes a free port")


def test_its_help_says_what_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for name in NAMES:
        assert f"\n  {name} " in shown
    with pytest.raises(SystemExit) as left:
        main(["--misbehave", "4290"])
    assert left.value.code == 2
    assert "no trick '4290'. Did you mean '429'?" in capsys.readouterr().err


@pytest.fixture(scope="module")
def bare_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-in's modules alone: no generator, no rows, no pages, nothing else of the package."""
    root = tmp_path_factory.mktemp("bare")
    target = root / "agentcompass_websearch" / "sample"
    target.mkdir(parents=True)
    (target.parent / "__init__.py").touch()
    (target / "__init__.py").touch()
    shutil.copy(PACKAGE / "sample" / "scripted_model.py", target)
    shutil.copytree(PACKAGE / "sample" / "stand_in", target / "stand_in", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def solved(row: Mapping[str, Any], answer: str) -> bool:
    """Whether the answer compiles, holds every needle, and cites the page that documents them."""
    (code,) = re.findall(r"```python\n(.*?)```", answer, re.DOTALL)
    compile(code, "client.py", "exec")
    needed = [*row["required"], *row["query_forbidden"], *re.findall(r"# source: \S+", row["gold_code"])]
    return all(needle in code for needle in needed)


def rates(world: World, base_url: str, repeats: int = 1) -> dict[str, float]:
    """Return the share of attempts solved with each set of tools."""
    index, rows = index_of(world.pages()), list(world.rows()) * repeats
    arms: dict[str, tuple[list[dict[str, Any]], Literal["page", "title"]]] = {
        "none": ([], "page"),
        "title search": ([SEARCH], "title"),
        "page search": ([SEARCH], "page"),
        "title fetch": ([SEARCH, FETCH], "title"),
        "page fetch": ([SEARCH, FETCH], "page"),
    }
    with httpx.Client(base_url=base_url, timeout=60) as client, ThreadPoolExecutor(4) as pool:

        def try_at(row: Mapping[str, Any], arm: str) -> bool:
            tools, scope = arms[arm]
            return solved(row, attempt(client, row, index, tools, scope)[0])

        return {arm: sum(pool.map(try_at, rows, [arm] * len(rows))) / len(rows) for arm in arms}


def test_it_solves_some_of_a_world_that_it_has_never_seen(
    bare_package: Path, record_property: Callable[[str, object], None]
) -> None:
    """The seed is drawn anew at each run; a failure names it."""
    seed = random.SystemRandom().randrange(10**9)
    record_property("seed", seed)
    # -S leaves the installed package out, -B writes nothing, so that the bare folder is all there is.
    with started("--variation", "1", cwd=bare_package, python=("-S", "-B")) as (_, base_url):
        got = rates(synthesize(seed, 40), base_url)
    print(f"world of seed {seed}: {got}")
    assert got["none"] == 0, f"seed {seed}: {got}"
    assert got["title search"] < got["page search"] < got["page fetch"] < 1, f"seed {seed}: {got}"
    assert got["title search"] < got["title fetch"] < got["page fetch"], f"seed {seed}: {got}"
    assert got["page search"] > 0.25, f"seed {seed}: {got}"
    assert got["page fetch"] > 0.5, f"seed {seed}: {got}"


def test_snippets_decide_what_search_alone_can_do(bare_package: Path) -> None:
    with started(cwd=bare_package, python=("-S", "-B")) as (_, base_url):
        none, all_ = (rates(synthesize(77, 24, snippet=share), base_url)["page search"] for share in (0, 1))
    assert none < 0.4 < 0.6 < all_


def test_repeats_vary_only_if_asked_to(bare_package: Path) -> None:
    world = synthesize(78, 12)
    row, index = next(world.rows()), index_of(world.pages())

    def answers(base_url: str) -> set[str]:
        with httpx.Client(base_url=base_url) as client:
            said = [attempt(client, row, index, [SEARCH, FETCH])[1] for _ in range(8)]
        return {str([m["tool_calls"][0]["function"] for m in messages if m.get("tool_calls")]) for messages in said}

    with started(cwd=bare_package) as (_, base_url):
        assert len(answers(base_url)) == 1
    with started("--variation", "3", cwd=bare_package) as (_, base_url):
        varied = answers(base_url)
    assert len(varied) > 1
    with started("--variation", "3", cwd=bare_package) as (_, base_url):
        assert answers(base_url) == varied
