"""Going on with a run: one that is killed in all the ways there are, and one with failures that is made larger.

Nothing is lost, and nothing is done twice. In each life of the first one attempt hangs in a call to the model, one in
a call to the vendor, and one in its scoring when the signal comes; the others have finished. The ledgers of model
server and vendor say what was asked, and how often.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.boards.reader import read_run
from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, in_thread, json_reply
from tests.benchmarks.support import DOCS_URL, GOLD, answer, row, write_jsonl
from tests.support import fake_model
from tests.support.fake_model import HANGS, FakeModel, call, calls, fails, says
from tests.support.host_commands import Command, run_commands
from tests.support.installs import SiteFolder

TICKETS = ("done", "bravo", "charlie", "delta", "echo", "foxtrot")
REPEATS = 2
PATIENCE_S = 180

OBSERVER = """
import os, pathlib, time
from agentcompass_websearch.plugins import hookimpl

@hookimpl
def websearch_attempt_scored(ticket, verdict, record):
    hold = pathlib.Path(os.environ["HOLDS"], ticket.id)
    if hold.exists():
        hold.with_suffix(".reached").touch()
        while hold.exists():
            time.sleep(0.01)
"""


@dataclass(frozen=True)
class Life:
    """One process of the run: which tickets' second attempt hangs where, how it dies, and what it exits with."""

    model: frozenset[str]
    vendor: frozenset[str]
    scoring: str
    signal: signal.Signals
    code: int


LIVES = (
    Life(frozenset({"bravo", "echo", "foxtrot"}), frozenset({"charlie"}), "delta", signal.SIGKILL, -9),
    Life(frozenset({"charlie", "foxtrot"}), frozenset({"echo"}), "bravo", signal.SIGTERM, -15),
    Life(frozenset({"echo"}), frozenset({"foxtrot"}), "charlie", signal.SIGINT, 130),
)
LAST = Life(frozenset(), frozenset(), "", signal.SIGINT, 0)


@dataclass
class World:
    """Model server and vendor, which know the n-th conversation about a ticket from its first one, and their ledgers.

    `go` lets the attempt that is to hang in its scoring give its answer, once all others are where they belong.
    """

    life: Life = LIVES[0]
    conversations: Counter[str] = field(default_factory=Counter)
    turns: Counter[str] = field(default_factory=Counter)
    searches: Counter[str] = field(default_factory=Counter)
    reached: set[str] = field(default_factory=set)
    go: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def model(self, body: dict[str, Any]) -> fake_model.Reply:
        """Search once, with a lone surrogate in the query and in the answer, and then answer."""
        ticket = next(name for name in TICKETS if f"ticket {name}" in body["messages"][1]["content"])
        asked = [m["tool_calls"][0]["id"] for m in body["messages"] if m.get("tool_calls")]
        with self._lock:
            self.turns[ticket] += 1
            if not asked:
                self.conversations[ticket] += 1
        name = asked[0] if asked else f"{ticket}-{self.conversations[ticket]}"
        if not asked:
            return calls(call("web_search", {"query": f"{name} \ud835"}, call_id=name))
        if ticket in self.life.model and not name.endswith("-1"):
            self.reached.add(ticket)
            return HANGS
        if ticket == self.life.scoring and not name.endswith("-1"):
            self.go.wait(PATIENCE_S)
        return says(answer(GOLD) + "\n\ud835")

    def vendor(self, request: Request) -> Reply:
        """Return one hit, the page that documents the needles."""
        name = request.json()["query"].split()[0]
        ticket = name.partition("-")[0]
        with self._lock:
            self.searches[ticket] += 1
        if ticket in self.life.vendor and not name.endswith("-1"):
            self.reached.add(ticket)
            return Reply(hang=True)
        return json_reply({"results": [{"url": DOCS_URL, "title": "Release", "highlights": ["in bulk \ud835"]}]})


def until(condition: Callable[[], bool], what: Callable[[], object]) -> None:
    """Return once another process has done something; its files are all that can be seen of it."""
    ends = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < ends, what()
        time.sleep(0.02)


@dataclass
class Runner:
    """Starts and kills the processes of the run."""

    folder: Path
    model_url: str
    vendor_url: str
    site: SiteFolder
    world: World

    def words(self, number: int, **more: Any) -> list[str]:
        rows = self.folder / "rows.jsonl"
        params = {"vendor": "exa_auto", "vendor_api_key": "k-0123456789", "vendor_rate_per_s": 0}
        params |= {"tools": ["web_search"], "vendor_options": {"base_url": self.vendor_url}, **more}
        reuse = ["--reuse", f"life-{number - 1}"] if number > 1 else []
        return [
            *(sys.executable, "-m", "agentcompass.cli", "run", "ob-code-websearch", "coding_agent", "m"),
            *("--model-base-url", self.model_url, "--model-api-key", "none", "--model-api-protocol", "openai-chat"),
            *("--benchmark-params", json.dumps({"dataset": f"file:{rows}"}), "--harness-params", json.dumps(params)),
            *("--k", str(REPEATS), "--max-retries", "2", "--run-name", "exa_auto", "--progress", "none"),
            *("--results-dir", str(self.folder / "results"), "--run-id", f"life-{number}", *reuse),
        ]

    def run_folder(self, number: int) -> Path:
        return self.folder / "results" / "exa_auto" / "m_ob-code-websearch_coding_agent" / f"life-{number}"

    def start(self, number: int, **more: Any) -> subprocess.Popen[str]:
        (self.folder / "cwd").mkdir(exist_ok=True)
        log = (self.folder / f"life-{number}.log").open("w")
        env = {**os.environ, **self.site.env, "HOLDS": str(self.folder / "holds")}
        return subprocess.Popen(self.words(number, **more), env=env, cwd=self.folder / "cwd", stderr=log, text=True)

    def finished(self, number: int) -> int:
        return len(list(self.run_folder(number).glob("details/*/*/attempt-*/result.json")))

    def live_and_die(self, number: int, life: Life, finished: int) -> None:
        """Start the run, wait until `finished` attempts are done and the others hang, and send the signal."""
        world = self.world
        world.life, world.reached, world.go = life, set(), threading.Event()
        hold = self.folder / "holds" / life.scoring
        with self.start(number) as process:
            try:
                until(lambda: world.reached == life.model | life.vendor, lambda: (number, world.reached))
                until(lambda: self.finished(number) == finished, lambda: (number, self.finished(number)))
                hold.touch()
                world.go.set()
                until(hold.with_suffix(".reached").exists, lambda: (number, "not scored"))
                process.send_signal(life.signal)
                hold.unlink()
                assert process.wait(PATIENCE_S) == life.code
            finally:
                process.kill()


@pytest.fixture
def runner(tmp_path: Path, site_folder: SiteFolder) -> Iterator[Runner]:
    """The run and its world."""
    site_folder.add("hold", {"agentcompass_websearch.observers": {"hold": "hold_scoring"}}, {"hold_scoring": OBSERVER})
    write_jsonl(tmp_path / "rows.jsonl", [row(task_id=name, ticket=f"This is ticket {name}.") for name in TICKETS])
    (tmp_path / "holds").mkdir()
    world = World()
    with ExitStack() as stack:
        model = stack.enter_context(FakeModel(then=world.model))
        vendor = stack.enter_context(in_thread(LoopbackServer(world.vendor)))
        yield Runner(tmp_path, model.base_url, vendor.url, site_folder, world)


def test_three_deaths_and_nothing_is_lost_or_done_twice(runner: Runner) -> None:
    world = runner.world
    # "done" has both attempts, the five others their first one.
    runner.live_and_die(1, LIVES[0], finished=7)
    dead = read_run(runner.run_folder(1))
    assert (dead.status, sum(attempt.scored for attempt in dead.attempts), dead.problems) == ("unfinished", 7, ())
    # The attempt that was being scored needs nothing but its score.
    runner.live_and_die(2, LIVES[1], finished=8)
    runner.live_and_die(3, LIVES[2], finished=9)
    world.life = LAST
    with runner.start(4, snippet_chars=900) as process:
        assert process.wait(PATIENCE_S) == 0

    results = {
        (path.parent.parent.name.partition("--")[0], path.parent.name): json.loads(path.read_text("utf-8"))
        for path in runner.run_folder(4).glob("details/*/*/attempt-*/result.json")
    }
    assert set(results) == {(ticket, f"attempt-{n}") for ticket in TICKETS for n in (1, 2)}
    assert {result["status"] for result in results.values()} == {"completed"}
    assert all(result["metrics"]["correct"] for result in results.values())

    # Two turns and one search an attempt; more only for attempts that were cut short in the loop, which begin anew.
    assert world.searches == {"done": 2, "delta": 2, "bravo": 3, "charlie": 4, "echo": 5, "foxtrot": 5}
    assert world.turns == {"done": 4, "delta": 4, "bravo": 6, "charlie": 7, "echo": 9, "foxtrot": 9}

    report = json.loads((runner.run_folder(4) / "metrics.json").read_text("utf-8"))
    table = report["extra"]["leaderboard"]
    assert table["completion"]["mean"] == 1.0
    assert (table["attempts"], table["failures"]["attempts"]) == (12, 0)
    # The last process had other caps than those before it, and the report says so.
    assert table["fingerprint"] == {"uniform": False, "arms": 2, "differing": ["vendor"]}
    summary = (runner.run_folder(4) / "summary.md").read_text("utf-8")
    assert "(MIXED: attempts differ in vendor; not one result)" in summary
    caps = Counter(
        result["meta"]["harness"]["telemetry"]["websearch"]["vendor"]["caps"]["snippet_chars"]
        for result in results.values()
    )
    assert caps == {1200: 10, 900: 2}


def test_a_report_covers_old_and_new_tickets_and_errors_stay_unless_they_are_to_be_retried(tmp_path: Path) -> None:
    """In the first run one ticket passes, one fails, one has no answer (an ERROR), and one meets a refused key."""
    answers = {
        "pass": says(answer(GOLD)),
        "wrong": says(answer("import httpx\n")),
        "empty": says(""),
        "later": says(answer(GOLD)),
    }
    asked: Counter[str] = Counter()

    def reply(body: dict[str, Any]) -> fake_model.Reply:
        ticket = body["messages"][1]["content"].partition("ticket ")[2].partition(".")[0]
        asked[ticket] += 1
        return fails(401, "no such key") if (ticket, asked[ticket]) == ("void", 1) else answers.get(ticket, says("?"))

    names = ["pass", "wrong", "empty", "void", "later"]
    rows = write_jsonl(tmp_path / "rows.jsonl", [row(task_id=n, ticket=f"This is ticket {n}.") for n in names])

    def command(run_id: str, ids: list[str], *more: str) -> Command:
        words = ["run", "ob-code-websearch", "coding_agent", "m", "--model-base-url", model.base_url]
        words += ["--model-api-key", "k-0123456789", "--model-api-protocol", "openai-chat", "--task-concurrency", "1"]
        words += ["--benchmark-params", json.dumps({"dataset": f"file:{rows}", "sample_ids": ids})]
        words += ["--harness-params", '{"vendor": "none"}', "--progress", "none"]
        return Command([*words, "--results-dir", str(tmp_path / "results"), "--run-id", run_id, *more], tmp_path)

    def report(run_id: str) -> Any:
        (path,) = tmp_path.glob(f"results/*/{run_id}/metrics.json")
        return json.loads(path.read_text("utf-8"))

    with FakeModel(then=reply) as model:
        first, second, third = run_commands(
            [
                command("first", names[:4]),
                command("second", names, "--reuse", "first"),
                command("third", names, "--reuse", "second", "--max-retries", "2"),
            ]
        )
    assert asked == {"pass": 1, "wrong": 1, "empty": 1, "void": 2, "later": 1}

    assert first.code == second.code == 1, "one refused key leaves the whole run without an official score"
    failures = report("second")["extra"]["leaderboard"]["failures"]
    assert (failures["attempts"], failures["codes"]) == (1, {"model_access_failed": 1})
    assert third.code == 0
    table = report("third")["extra"]["leaderboard"]
    assert (table["tickets"], table["attempts"], table["failures"]["attempts"]) == (5, 5, 0)
    assert table["recovered"]["mean"] == 2 / 5
    counts = report("third")["series"][0]["counts"]
    assert (counts["evaluated"], counts["error"]) == (5, 1)
