"""Runs of the host in good and in bad weather, killed on the way, and what has to be true of them afterwards."""

from __future__ import annotations

import json
import math
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
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import BINARY
from agentcompass_websearch.boards.reader.stored import settled
from agentcompass_websearch.records import CallRecord, telemetry_of
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing.server import in_thread
from tests.support.chaos import FAULTS, SHARE, SPOKEN, Weather, World

LIMITS = {"max_turns": 6, "max_searches": 2, "max_fetches": 3}
_LIMIT_OF = {"search": "max_searches", "fetch": "max_fetches"}
# What the documentation recommends for long runs.
EXECUTION = {"max_retries": 2, "retry_pattern_list": ["^model_timeout$"]}


@dataclass(frozen=True)
class Plan:
    """What is run. `kills` are the numbers of stored attempts at which the process is killed, one life after another.

    `vendor` is a vendor id. `model_timeout_s` is how long a request to the model may take; with a `hang_s` of the
    weather that is longer, hanging ends in a time-out of ours, else the server breaks off.
    """

    weather: Weather
    tickets: int
    repeats: int
    concurrency: int
    kills: Sequence[int] = ()
    protocol: str = "openai-chat"
    vendor: str = "exa_auto"
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
    """A run from its first to its last life.

    Attributes:
        stored: what each life left on disk.
        retried: the conversations of attempts that the host threw away to try them again, and what was wrong there.
        analyzers: the attempts that an analyzer of the host stumbled over, by analyzer.
    """

    world: World
    plan: Plan
    code: int = 0
    stored: list[list[Stored]] = field(default_factory=list)
    retried: dict[int, str] = field(default_factory=dict)
    analyzers: Counter[str] = field(default_factory=Counter)
    killed_at: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def final(self) -> list[Stored]:
        """The attempts of the last life."""
        return self.stored[-1]

    @property
    def cut_short(self) -> set[int]:
        """The conversations that came to no result, because the process was killed."""
        done = {one.conversation for one in self.final}
        return {spoken.number for spoken in self.world.spoken} - done - self.retried.keys()


def run(plan: Plan, folder: Path) -> Ran:
    """Run `plan` to its end, and return what came of it."""
    world = World(plan.weather, plan.pages, plan.protocol, plan.vendor.partition("_")[0])
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
            ran.retried |= _retried(run_folder)
    ran.analyzers = _stumbled(run_folder)
    ran.seconds = time.monotonic() - began
    assert not world.model_server.errors, world.model_server.errors
    assert not world.vendor_server.errors, world.vendor_server.errors
    return ran


def _run_folder(folder: Path, number: int) -> Path:
    return folder / "results" / f"{MODEL}_ob-code-websearch_coding_agent" / f"life-{number}"


@contextmanager
def _life(world: World, plan: Plan, folder: Path, number: int) -> Iterator[subprocess.Popen[bytes]]:
    folder.mkdir(exist_ok=True)
    harness = {"vendor": plan.vendor, "vendor_api_key": "k-0123456789", "vendor_rate_per_s": 0, **LIMITS}
    harness["vendor_options"] = {"base_url": world.vendor_server.url}
    words = [sys.executable, "-m", "agentcompass.cli", "run", "ob-code-websearch", "coding_agent", MODEL]
    words += ["--model-base-url", world.model_url, "--model-api-key", "none"]
    words += ["--model-api-protocol", plan.protocol, "--model-params", json.dumps({"timeout": plan.model_timeout_s})]
    words += ["--benchmark-params", json.dumps({"dataset": plan.pages}), "--harness-params", json.dumps(harness)]
    words += [
        "--k",
        str(plan.repeats),
        "--execution-params",
        json.dumps(EXECUTION),
        "--task-concurrency",
        str(plan.concurrency),
    ]
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
        numbers = _numbers(result)
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


def _numbers(result: Mapping[str, Any]) -> set[int]:
    """Return the numbers of the conversations in a trajectory: one, if all is well."""
    said = [step["assistant_content"] for step in (result.get("trajectory") or {}).get("steps") or ()]
    words = " ".join(f"{one.get('content')} {one.get('reasoning_content')}" for one in said)
    return {int(number) for number in SPOKEN.findall(words)}


def _retried(run_folder: Path) -> dict[int, str]:
    found = {}
    for path in run_folder.glob("details/*/*/attempt-*/retries/**/*.json"):
        kept = json.loads(settled(path.read_bytes()))
        result = kept.get("discarded_result") or kept
        codes = [issue["code"] for issue in result.get("issues") or () if issue["severity"] != "warning"]
        found |= dict.fromkeys(_numbers(result), ", ".join(codes))
    return found


def _stumbled(run_folder: Path) -> Counter[str]:
    results = (json.loads(path.read_bytes()) for path in run_folder.glob("details/*/*/attempt-*/result.json"))
    return Counter(name for result in results for name, one in result["analysis_result"].items() if one.get("error"))


def problems(bad: Ran, calm: Ran) -> list[str]:
    """Return what is not as it has to be in `bad`, a run in bad weather, beside `calm`, the same in good weather."""
    return [
        *_not_there_once(bad),
        *_not_as_calm(bad, calm),
        *_not_as_the_ledgers(bad),
        *_over_budget(bad),
        *_done_again(bad),
        *_not_the_weather(bad),
        *_not_to_be_seen(bad),
    ]


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


def _over_budget(ran: Ran) -> Iterator[str]:
    """By the ledgers: what was answered, also to attempts that came to nothing."""
    answered = Counter((asked.conversation, asked.op) for asked in ran.world.asked if asked.fault == "ok")
    for (number, op), count in answered.items():
        if count > LIMITS[_LIMIT_OF[op]]:
            yield f"conversation {number}: the vendor has answered {count} times to {op}"
    for spoken in ran.world.spoken:
        if len(spoken.usage) > LIMITS["max_turns"]:
            yield f"conversation {spoken.number} has {len(spoken.usage)} turns"
    for one in ran.final:
        over = [op for op, name in _LIMIT_OF.items() if one.used(op) > LIMITS[name]]
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
    finished = ran.retried.keys() & conversations.keys()
    if finished or "" in ran.retried.values():
        yield f"attempts that were tried again without need: {finished}, {ran.retried}"
    most = ran.plan.concurrency * len(ran.plan.kills)
    if len(ran.cut_short) > most:
        yield f"{len(ran.cut_short)} conversations came to nothing, at most {most} can have been under way at the kills"
    late = [n for n in ran.cut_short if ran.world.spoken[n].last_at > max(ran.killed_at, default=0.0)]
    if late:
        yield f"conversations of the last life came to nothing: {late}"


def _not_the_weather(ran: Ran) -> Iterator[str]:
    """Each fault, and each odd choice, has its share of what there was; by chance it may be a little more or less."""
    world = ran.world
    shares = {}
    for who in ("model", "vendor") if world.weather.faults else ():
        total = sum(count for what, count in world.seen.items() if what.startswith(f"{who} "))
        shares |= {f"{who} {fault}": (world.seen[f"{who} {fault}"], total) for fault in FAULTS}
    turns = world.chosen.values()
    shares["empty turn"] = (sum(turn.odd == "empty turn" for turn in turns), len(turns))
    for odd in ("wrong id", "calls beyond the budget"):
        shares[odd] = (sum(turn.odd == odd for turn in turns), sum(turn.calls for turn in turns))
    for what, (count, total) in shares.items():
        if abs(count - SHARE * total) > 4 * math.sqrt(SHARE * (1 - SHARE) * total):
            yield f"{what}: {count} of {total}, that is no share of {SHARE:.0%}"


def _not_to_be_seen(ran: Ran) -> Iterator[str]:
    """What others make of it: a server that is as strict as can be, and the analyzers of the host."""
    if ran.world.refused:
        yield f"{len(ran.world.refused)} requests that a strict server refuses: {ran.world.refused[:2]}"
    # The host's analyzer of tool times calls it an error where no tool was called.
    without = sum(not one.calls for one in ran.final)
    if ran.analyzers != Counter({"ToolExecutionLatencyAnalyzer": without} if without else {}):
        yield f"analyzers that stumbled: {ran.analyzers}; {without} attempts have no call"
