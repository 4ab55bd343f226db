"""Attempts on a scripted model that goes wrong: over each protocol the same comes of each trick."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Task
from agentcompass_websearch.harnesses.coding_agent.model import server_url
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.harnesses.coding_agent.protocols.message import (
    EMPTY_TURN,
    OUTPUT_LIMIT,
    REFUSAL,
    TEXT_CALL,
)
from agentcompass_websearch.harnesses.coding_agent.run import Run
from agentcompass_websearch.records import Usage
from agentcompass_websearch.sample.stand_in.mischief import Mischief
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.tricks import NAMES
from agentcompass_websearch.sample.stand_in.wire import MODEL
from tests.harnesses.coding_agent.conftest import KEY
from tests.support.fake_vendor import FakeClient, acme_arm

PRICE = {"input": 1.0, "cached_input": 0.1, "output": 10.0}

ROW = next(sample.rows())


@contextmanager
def stand_in(tricks: Sequence[str] = (), share: float = 1.0, seed: int = 0) -> Iterator[StandInServer]:
    with StandInServer(mischief=Mischief(tricks, share=share, seed=seed)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(params=sorted(SERVERS))
def protocol(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def run_on(server: StandInServer, protocol: str, client: FakeClient, params: Mapping[str, Any] | None = None) -> Run:
    url = server_url(server.base_url, protocol)
    return Run(
        acme_arm(client),
        protocol=protocol,
        model_id=MODEL,
        base_url=url,
        params=params or {},
        limits={"max_turns": 6, "max_searches": 5},
        prices=ModelPrices(MODEL, url, PRICE),
    )


def attempt_at(run: Run, row: Mapping[str, Any] = ROW) -> Attempt:
    task = Task(f"{row['ticket']}\n\n```python\n{row['starter_code']}```\n", "Cite your sources.", {})
    return Attempt(run, task, model_key=KEY, timeout_s=60)


FATAL = {
    "429:0": "model_request_failed",
    "500": "model_request_failed",
    "503": "model_request_failed",
    "401": "model_access_failed",
    "refuse:top_p": "model_access_failed",
    "no-tools": "model_access_failed",
    "hang:0.01": "model_request_failed",
    "drop": "model_request_failed",
    "cut": "model_request_failed",
    "cut-json": "model_request_failed",
    "html": "model_access_failed",
    "error-200": "model_request_failed",
}
ERROR = {"overflow": "model_invalid_output", "empty": "model_empty_output"}
NOTED = {"empty": EMPTY_TURN, "text-call": TEXT_CALL, "length": OUTPUT_LIMIT, "refusal": REFUSAL}
NO_VENDOR = ("unknown-tool", "arguments-cut", "arguments-list", "arguments-none", "text-call", "length", "refusal")
AS_IF_NOTHING = (
    "arguments-object",
    "arguments-twice",
    "parts",
    "thinking",
    "usage-cached",
    "usage-text",
    "usage-none",
    "slow:0",
    "narrow",
    "legacy-call",
)
# Nothing that the harness sends is refused by a narrow server, and a wait of no time is none.
NEVER_SEEN = ("narrow", "slow:0")
OTHERS = ("ids", "many-calls", "garbage")


def test_every_trick_is_tried_here() -> None:
    tried = {*FATAL, *ERROR, *NO_VENDOR, *AS_IF_NOTHING, *OTHERS}
    assert sorted(name.partition(":")[0] for name in tried) == sorted(NAMES)


@pytest.mark.parametrize("trick", [*FATAL, *ERROR, *NO_VENDOR, *AS_IF_NOTHING, *OTHERS])
async def test_what_comes_of_each_trick(protocol: str, trick: str) -> None:
    client = FakeClient()
    with stand_in([trick]) as server:
        attempt = attempt_at(run_on(server, protocol, client, {"top_p": 0.5}))
        issues = await attempt.execute()
    telemetry, ledger = attempt.telemetry(), server.ledger.read()
    assert [(issue.severity, issue.code) for issue in issues] == (
        [("fatal", FATAL[trick])] if trick in FATAL else [("error", ERROR[trick])] if trick in ERROR else []
    )
    assert ledger["tricks"].get(trick.partition(":")[0], 0) >= (trick not in NEVER_SEEN)
    assert len(telemetry.model_calls) == ledger["answers"]
    if trick != "usage-none":
        assert telemetry.usage == Usage(
            input=ledger["input_tokens"],
            cached_input=ledger["cached_tokens"],
            output=ledger["output_tokens"],
            reasoning=ledger["reasoning_tokens"],
        )
    if trick in NOTED:
        assert NOTED[trick] in telemetry.notes
    if trick.startswith("refuse"):
        assert "parameter 'top_p' refused" in issues[0].message
        assert ledger["requests"] == 1
    if trick in FATAL or trick in ERROR:
        return
    assert attempt.stop == "answer"
    assert attempt.answer
    assert sum(call.tries for call in telemetry.calls) == len(client.asked)
    assert bool(client.asked) == (trick not in NO_VENDOR)


@pytest.mark.parametrize("trick", AS_IF_NOTHING)
async def test_what_servers_may_do_changes_nothing(protocol: str, trick: str) -> None:
    seen = []
    for tricks in ([], [trick]):
        with stand_in(tricks) as server:
            attempt = attempt_at(run_on(server, protocol, FakeClient()))
            assert await attempt.execute() == ()
            seen.append((attempt.answer, [step.replies for step in attempt.transcript.steps]))
    assert seen[0] == seen[1]


async def test_tokens_and_calls_are_as_in_the_ledgers_whatever_goes_wrong(protocol: str) -> None:
    tricks = ["429:0", "500", "cut", "cut-json", "drop", "error-200", "ids", "usage-text", "usage-cached", "thinking"]
    client = FakeClient()
    with stand_in(tricks, share=0.06, seed=5) as server:
        run = run_on(server, protocol, client)
        attempts = [attempt_at(run, row) for row in sample.rows() for _ in range(3)]
        ends = await asyncio.gather(*(attempt.execute() for attempt in attempts))
    ledger = server.ledger.read()
    assert ends == [()] * len(attempts)
    assert set(ledger["tricks"]) == {name.partition(":")[0] for name in tricks}
    total = sum((attempt.telemetry().usage or Usage() for attempt in attempts), Usage())
    assert (total.input, total.cached_input, total.output, total.reasoning) == tuple(
        ledger[f"{kind}_tokens"] for kind in ("input", "cached", "output", "reasoning")
    )
    calls = [call for attempt in attempts for call in attempt.telemetry().calls]
    assert sum(call.tries for call in calls) == len(client.asked)
    assert sum(len(attempt.telemetry().model_calls) for attempt in attempts) == ledger["answers"]
    assert run.cap.spent_usd == pytest.approx(
        ((total.input - total.cached_input) + 0.1 * total.cached_input + 10 * total.output) / 1e6
        + sum(call.list_usd or 0 for call in calls)
    )
