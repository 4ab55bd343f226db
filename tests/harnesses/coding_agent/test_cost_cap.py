"""The cost cap of a run against a model that costs as much as it can: 32 attempts at a time never pass it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from tests.harnesses.coding_agent.conftest import MakeRun, attempt_of
from tests.support.fake_model import HANGS, FakeModel, Reply, call, calls, says
from tests.support.fake_vendor import FakeClient

ATTEMPTS = 96
AT_ONCE = 32
LIMIT = 50
PRICE = {"input": 1.0, "cached_input": 0.1, "cache_write": 20.0, "output": 100.0}
VENDOR_USD = 0.005
SEARCH = call("web_search", {"query": "acme"}, "callA")


@pytest.fixture(params=sorted(SERVERS))
def protocol(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


class Greedy:
    """A model whose tokens are a byte each, all of them written to the cache, and whose answers are at the limit.

    Every fifth request is billed and never answered. `usd` is what it has billed, `paid` the answered part of it.
    """

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol
        self._lock = threading.Lock()
        self.requests = 0
        self.usd = 0.0
        self.paid = 0.0

    def __call__(self, body: dict[str, Any]) -> Reply:
        read = len(json.dumps(body, ensure_ascii=False).encode()) + 900
        cost = (read * PRICE["cache_write"] + LIMIT * PRICE["output"]) / 1e6
        with self._lock:
            self.requests += 1
            number = self.requests
            self.usd += cost
            if number % 5 == 0:
                return HANGS
            self.paid += cost
        usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": LIMIT}
        if self._protocol == "anthropic":
            usage |= {"prompt_tokens": 0, "cache_creation_input_tokens": read}
        usage["prompt_tokens_details"] = usage["input_tokens_details"] = {"cache_write_tokens": read}
        if "answer" in json.dumps(body).rsplit("Do it.", 1)[-1] or number % 4 == 0:
            return says("done", usage=usage)
        return calls(call("web_search", {"query": f"q{number}"}), usage=usage)


async def test_what_is_billed_never_passes_the_cap(make_run: MakeRun, protocol: str) -> None:
    greedy, client = Greedy(protocol), FakeClient()
    cap_usd = 6.0
    with FakeModel(then=greedy) as model:
        run = make_run(
            model,
            client,
            protocol=protocol,
            price=PRICE,
            params={"max_tokens": LIMIT, "timeout": 1.0},
            limits={"max_turns": 6},
            max_cost_usd=cap_usd,
        )
        gate = asyncio.Semaphore(AT_ONCE)

        async def one() -> Any:
            async with gate:
                attempt = attempt_of(run)
                return await attempt.execute(), attempt.telemetry()

        ended = await asyncio.gather(*(one() for _ in range(ATTEMPTS)))
    billed = greedy.usd + VENDOR_USD * len(client.asked)
    assert billed <= run.cap.spent_usd <= cap_usd
    assert billed > 0.5 * cap_usd
    assert run.cap.held_usd == pytest.approx(0)
    ends = [[(issue.severity, issue.code) for issue in issues] for issues, _ in ended]
    assert [("fatal", "budget_exhausted")] in ends
    assert [] in ends
    reported = sum((t.model_usd or 0) + (t.tool_usd or 0) for _, t in ended)
    assert reported == pytest.approx(greedy.paid + VENDOR_USD * len(client.asked))
    before = greedy.requests
    assert before < ATTEMPTS * 6


async def test_a_cap_that_is_large_enough_ends_no_attempt(make_run: MakeRun, protocol: str) -> None:
    """32 attempts would hold three times the cap together, and cost half of it."""
    with FakeModel(then=lambda body: says("done") if "callA" in json.dumps(body) else calls(SEARCH)) as model:
        run = make_run(model, protocol=protocol, params={"max_tokens": 4000}, max_cost_usd=0.5)
        attempts = [attempt_of(run) for _ in range(AT_ONCE)]
        ends = await asyncio.gather(*(attempt.execute() for attempt in attempts))
    assert ends == [()] * AT_ONCE
    assert run.cap.spent_usd == pytest.approx(AT_ONCE * (2 * 60e-6 + VENDOR_USD))
    waited = [attempt.transcript.queue_s for attempt in attempts]
    assert max(waited) > 0
    slowest = max(range(AT_ONCE), key=waited.__getitem__)
    assert attempts[slowest].telemetry().task_s <= attempts[slowest].transcript.elapsed_s - waited[slowest]


@pytest.mark.parametrize("limit", [0, -1, -1_000_000])
async def test_a_limit_that_is_none_holds_as_much_as_no_limit(make_run: MakeRun, protocol: str, limit: int) -> None:
    """4000 tokens of output cost 0.4 here, the input next to nothing."""
    with FakeModel(then=lambda body: says("done")) as model:
        price = {"input": 0.001, "output": 100.0}
        run = make_run(model, protocol=protocol, params={"max_tokens": limit}, price=price, max_cost_usd=0.39)
        issues = await attempt_of(run).execute()
    assert [(issue.severity, issue.code) for issue in issues] == [("fatal", "budget_exhausted")]
    assert model.requests == []
