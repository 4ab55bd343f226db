"""Runs of the host in good and in bad weather, killed on the way, and what has to be true of them afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import BINARY
from agentcompass_websearch.boards.reader.stored import settled
from agentcompass_websearch.records import CallRecord, telemetry_of
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing.server import in_thread
from tests.support.chaos import SPOKEN, Weather, World

LIMITS = {"max_searches": 2, "max_fetches": 3}
_LIMIT_OF = {"search": "max_searches", "fetch": "max_fetches"}


@dataclass(frozen=True)
class Plan:
    """What is run. `kills` are the numbers of stored attempts at which the process is killed, one life after another.

    `model_timeout_s` is how long a request to the model may take; with a `hang_s` of the weather that is longer,
    hanging ends in a time-out of ours, else the server breaks off.
    """

    weather: Weather
    tickets: int
    repeats: int
    concurrency: int
    kills: Sequence[int] = ()
    model_timeout_s: float = 10.0
    patience_s: float = 900.0

    @property
    def pages(self) -> str:
        """The tickets, and the pages that they need."""
        return f"synthetic:seed={self.weather.seed},n={self.tickets}"


@dataclass(frozen=True)
class Stored:
    """One attempt as the host stored it."""

    ticket: str
    attempt: int
    conversation: int
    tokens: int
    turns: int
    calls: tuple[CallRecord, ...]
    verdict: Mapping[str, bool]
    issues: tuple[str, ...]

    def tries(self, op: str) -> int:
        """Requests to the vendor for one operation."""
        return sum(call.tries for call in self.calls if call.op == op)

    def used(self, op: str) -> int:
        """Units of a budget."""
        return sum(call.tries > 0 for call in self.calls if call.op == op)


@dataclass
class Ran:
    """A run from its first to its last life. `stored` is what each life left on disk."""

    world: World
    plan: Plan
    code: int = 0
    stored: list[list[Stored]] = field(default_factory=list)
    killed_at: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def final(self) -> list[Stored]:
        """The attempts of the last life."""
        return self.stored[-1]

    @property
    def cut_short(self) -> set[int]:
        """The conversations that came to no result."""
        return {spoken.number for spoken in self.world.spoken} - {one.conversation for one in self.final}


def run(plan: Plan, folder: Path) -> Ran:
    """Run `plan` to its end, and return what came of it."""
    world = World(plan.weather, plan.pages)
    ran = Ran(world, plan)
    began = time.monotonic()
    with in_thread(world.model_server), in_thread(world.vendor_server):
        for number, kill_at in enumerate([*plan.kills, None], 1):
            with _life(world, plan, folder, number) as process:
                run_folder = _run_folder(folder, number)
                if kill_at is not None:
                    _wait_for(run_folder, kill_at, process, plan.patience_s)
                    process.send_signal(signal.SIGKILL)
                    ran.killed_at.append(time.monotonic())
                ran.code = process.wait(plan.patience_s)
            ran.stored.append(list(_read(run_folder)))
    ran.seconds = time.monotonic() - began
    assert not world.model_server.errors, world.model_server.errors
    assert not world.vendor_server.errors, world.vendor_server.errors
    return ran


def _run_folder(folder: Path, number: int) -> Path:
    return folder / "results" / f"{MODEL}_ob-code-websearch_coding_agent" / f"life-{number}"


@contextmanager
def _life(world: World, plan: Plan, folder: Path, number: int) -> Iterator[subprocess.Popen[bytes]]:
    folder.mkdir(exist_ok=True)
    harness = {"vendor": "exa_auto", "vendor_api_key": "k-0123456789", "vendor_rate_per_s": 0, **LIMITS}
    harness["vendor_options"] = {"base_url": world.vendor_server.url}
    words = [sys.executable, "-m", "agentcompass.cli", "run", "ob-code-websearch", "coding_agent", MODEL]
    words += ["--model-base-url", f"{world.model_server.url}/v1", "--model-api-key", "none"]
    words += ["--model-api-protocol", "openai-chat", "--model-params", json.dumps({"timeout": plan.model_timeout_s})]
    words += ["--benchmark-params", json.dumps({"dataset": plan.pages}), "--harness-params", json.dumps(harness)]
    words += ["--k", str(plan.repeats), "--max-retries", "2", "--task-concurrency", str(plan.concurrency)]
    words += ["--results-dir", str(folder / "results"), "--run-id", f"life-{number}", "--progress", "none"]
    words += ["--reuse", f"life-{number - 1}"] if number > 1 else []
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1"}
    with (folder / f"life-{number}.log").open("wb") as log:
        process = subprocess.Popen(words, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _wait_for(run_folder: Path, results: int, process: subprocess.Popen[bytes], patience_s: float) -> None:
    """Return once so many attempts are stored; files are all that can be seen of another process' progress."""
    ends = time.monotonic() + patience_s
    while len(list(run_folder.glob("details/*/*/attempt-*/result.json"))) < results:
        assert process.poll() is None, f"ended with {process.returncode} before it could be killed"
        assert time.monotonic() < ends, f"{run_folder} has no {results} results"
        time.sleep(0.02)


def _read(run_folder: Path) -> Iterator[Stored]:
    for path in sorted(run_folder.glob("details/*/*/attempt-*/result.json")):
        result = json.loads(settled(path.read_bytes()))
        telemetry = telemetry_of(result["meta"]["harness"]["telemetry"])
        assert telemetry is not None
        said = [step["assistant_content"] for step in result["trajectory"]["steps"]]
        words = " ".join(f"{one['content']} {one['reasoning_content']}" for one in said)
        numbers = {int(number) for number in SPOKEN.findall(words)}
        yield Stored(
            ticket=path.parent.parent.name.partition("--")[0],
            attempt=int(path.parent.name.removeprefix("attempt-")),
            conversation=numbers.pop() if len(numbers) == 1 else -1,
            tokens=telemetry.usage.total if telemetry.usage else -1,
            turns=telemetry.turns,
            calls=telemetry.calls,
            verdict={name: result["metrics"].get(name) for name in BINARY},
            issues=tuple(f"{issue['severity']} {issue['code']}" for issue in result["issues"]),
        )


def problems(bad: Ran, calm: Ran) -> list[str]:
    """Return what is not as it has to be in `bad`, a run in bad weather, beside `calm`, the same in good weather."""
    return [*_not_there_once(bad), *_not_as_calm(bad, calm), *_not_as_the_ledgers(bad), *_done_again(bad)]


def _not_there_once(ran: Ran) -> Iterator[str]:
    if ran.code != 0:
        yield f"exit code {ran.code}"
    found = Counter((one.ticket, one.attempt) for one in ran.final)
    tickets = {one.ticket for one in ran.final}
    if len(tickets) != ran.plan.tickets:
        yield f"{len(tickets)} tickets, not {ran.plan.tickets}"
    expected = Counter({(ticket, n): 1 for ticket in tickets for n in range(1, ran.plan.repeats + 1)})
    if found != expected:
        yield f"attempts: {found - expected} too many, {expected - found} missing"
    for one in ran.final:
        over = [
            op for op, name in (("search", "max_searches"), ("fetch", "max_fetches")) if one.used(op) > LIMITS[name]
        ]
        if over:
            yield f"{one.ticket} attempt {one.attempt} is over its budget of {over}"


def _not_as_calm(bad: Ran, calm: Ran) -> Iterator[str]:
    expected = {(one.ticket, one.attempt): one for one in calm.final}
    for one in bad.final:
        other = expected.get((one.ticket, one.attempt))
        if other is None or (dict(one.verdict), one.issues) != (dict(other.verdict), other.issues):
            yield f"{one.ticket} attempt {one.attempt}: {one.verdict} {one.issues}, in good weather {other}"


def _not_as_the_ledgers(ran: Ran) -> Iterator[str]:
    """Tokens and calls of each attempt, and with them of all, as model server and vendor have noted them."""
    asked = Counter((one.conversation, one.op) for one in ran.world.asked)
    for one in ran.final:
        where = f"{one.ticket} attempt {one.attempt}"
        spoken = ran.world.spoken[one.conversation]
        if (one.tokens, one.turns) != (spoken.tokens, len(spoken.usage)):
            yield f"{where}: {one.tokens} tokens in {one.turns} turns, the server sent {spoken.tokens} {spoken.usage}"
        for op in ("search", "fetch"):
            if one.tries(op) != asked[one.conversation, op]:
                yield f"{where}: {one.tries(op)} requests to {op}, the vendor has {asked[one.conversation, op]}"
    strangers = {one.conversation for one in ran.world.asked} - {one.number for one in ran.world.spoken}
    if strangers:
        yield f"calls of no conversation: {strangers}"


def _done_again(ran: Ran) -> Iterator[str]:
    """What a dead process had stored is still there as it was, and only what it had under way was begun anew."""
    conversations = Counter(one.conversation for one in ran.final)
    shared = [number for number, count in conversations.items() if count > 1 or number < 0]
    if shared:
        yield f"attempts that share a conversation, or have none: {shared}"
    kept = {(one.ticket, one.attempt): one for one in ran.final}
    for life, stored in enumerate(ran.stored[:-1], 1):
        lost = [one for one in stored if kept.get((one.ticket, one.attempt)) != one]
        if lost:
            yield f"{len(lost)} attempts that life {life} had stored are gone or changed: {lost[:2]}"
    most = ran.plan.concurrency * len(ran.plan.kills)
    if len(ran.cut_short) > most:
        yield f"{len(ran.cut_short)} conversations came to nothing, at most {most} can have been under way at the kills"
    late = [n for n in ran.cut_short if ran.world.spoken[n].last_at > max(ran.killed_at, default=0.0)]
    if late:
        yield f"conversations of the last life came to nothing: {late}"
