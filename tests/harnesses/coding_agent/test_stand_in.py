"""Attempts at the sample with the scripted stand-in: the same over each protocol, from prompt to answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.harnesses.coding_agent.arm import resolve_arm
from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Task
from agentcompass_websearch.harnesses.coding_agent.model import key_to_send, server_url
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.harnesses.coding_agent.run import Run
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandInServer]:
    with StandInServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def attempt_at(row: Mapping[str, Any], url: str, protocol: str, max_turns: int) -> Attempt:
    run = Run(
        resolve_arm("local"),
        protocol=protocol,
        model_id=MODEL,
        base_url=server_url(url, protocol),
        params={},
        limits={"max_turns": max_turns},
        prices=ModelPrices(MODEL, url, {"input": 0, "output": 0}),
    )
    task = Task(f"{row['ticket']}\n\n```python\n{row['starter_code']}```\n", "Cite your sources.", {})
    attempt = Attempt(run, task, model_key=key_to_send("", url, protocol), timeout_s=60)
    assert await attempt.execute() == ()
    return attempt


@pytest.mark.parametrize("max_turns", [32, 3])
async def test_attempts_are_the_same_over_every_protocol(stand_in: StandInServer, max_turns: int) -> None:
    rows = list(sample.rows())
    for row in (rows[0], rows[5]):
        seen = []
        for protocol in SERVERS:
            attempt = await attempt_at(row, stand_in.base_url, protocol, max_turns)
            calls = [
                (call.call_id, call.name, dict(call.arguments.values))
                for step in attempt.transcript.steps
                for call in step.turn.calls
            ]
            assert attempt.telemetry().usage is not None
            seen.append((attempt.answer, attempt.stop, calls))
        assert seen == [seen[0]] * 3
        answer, stop, calls = seen[0]
        assert (stop, len(calls) >= 2) == ("answer", True)
        assert "```python" in answer
