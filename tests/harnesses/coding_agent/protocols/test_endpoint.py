"""Calls to a model server: tried again where that makes sense, never for ever, never after it has refused the run."""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.budget import CostCap, CostCapReached
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import PATIENCE, ModelEndpoint, shown_url
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.session import ChatServer
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Turn
from agentcompass_websearch.tools.retry import Patience
from tests.support.fake_model import DROPS, HANGS, FakeModel, Reply, fails, says, sends

PRICE = {"input": 1.0, "output": 10.0}


class Server:
    """An endpoint on a fake model, with a record of its waits."""

    def __init__(self, url: str, *, max_cost_usd: float | None = None, call_timeout_s: float = 600.0) -> None:
        self.waits: list[float] = []
        self.clock = time.monotonic()

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            self.clock += seconds
            await asyncio.sleep(0)

        self.endpoint = ModelEndpoint(
            "m",
            url,
            ModelPrices("m", url, PRICE),
            CostCap(max_cost_usd),
            patience=Patience(
                total_s=PATIENCE.total_s,
                longest_s=PATIENCE.longest_s,
                sleep=sleep,
                random=lambda: 1.0,
                clock=lambda: self.clock,
            ),
            call_timeout_s=call_timeout_s,
        )
        self._server = ChatServer(self.endpoint)

    async def ask(self, seconds: float = 3600.0, **params: Any) -> Turn:
        opening = Opening("", "Do it.", (), params, None, lambda text: text, "a-key")
        session = await self._server.open(opening)
        return await session.next_turn(answer_now=False, deadline=self.clock + seconds)

    async def fail(self, seconds: float = 3600.0) -> ModelFailure:
        with pytest.raises(ModelFailure) as caught:
            await self.ask(seconds)
        return caught.value


def closed_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


CUT = Reply(says("x" * 1000).body(), cut=True)


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429),
        fails(500),
        fails(503, "loading model"),
        fails(408),
        sends("<h1>bad gateway</h1>", 502),
        sends({"choices": []}),
        sends({"error": {"code": 429, "message": "slow down"}}),
        sends('{"choices": [{"mess'),
        DROPS,
        CUT,
    ],
)
async def test_passing_trouble_is_sat_out_even_at_the_very_first_call(trouble: Reply) -> None:
    with FakeModel(trouble, trouble, says("done")) as model:
        server = Server(model.base_url)
        turn = await server.ask()
    assert (turn.text, turn.tries) == ("done", 3)
    assert server.waits == [1.0, 2.0]


async def test_the_server_says_how_long_to_wait() -> None:
    troubles = [fails(429, retry_after="7"), fails(503, retry_after="86400"), fails(429, retry_after="soon")]
    with FakeModel(*troubles, says("done")) as model:
        server = Server(model.base_url)
        await server.ask()
    assert server.waits == [pytest.approx(7.7), pytest.approx(61.0), 4.0]


async def test_trouble_that_stays_is_fatal_after_at_least_a_minute_and_closes_nothing() -> None:
    with FakeModel(then=fails(503, "overloaded")) as model:
        server = Server(model.base_url)
        failure = await server.fail()
        assert (failure.severity, failure.code) == ("fatal", "model_request_failed")
        assert "HTTP 503" in str(failure)
        assert sum(server.waits) >= 60
        assert max(server.waits) <= 30
        assert not server.endpoint.breaker.is_open


async def test_no_try_begins_after_the_deadline() -> None:
    with FakeModel(then=fails(503)) as model:
        server = Server(model.base_url)
        await server.fail(seconds=10)
    assert sum(server.waits) < 10
    assert len(model.requests) == len(server.waits) + 1


@pytest.mark.parametrize(
    "refusal", [fails(401), fails(402), fails(403), fails(429, "You exceeded your current quota", "insufficient_quota")]
)
@pytest.mark.parametrize("answered_before", [True, False])
async def test_a_server_that_refuses_us_is_asked_once_and_never_again(refusal: Reply, answered_before: bool) -> None:
    script = [says("fine")] * answered_before + [refusal]
    with FakeModel(*script, then=says("back again")) as model:
        server = Server(model.base_url)
        if answered_before:
            await server.ask()
        first = await server.fail()
        second = await server.fail()
    assert len(model.requests) == len(script)
    assert {(f.severity, f.code) for f in (first, second)} == {("fatal", "model_access_failed")}
    assert f"not asked again in this run, after: model server at {model.base_url}" in str(second)


@pytest.mark.parametrize("wrong", [fails(404, "no such model"), sends("<html>ok</html>"), sends("", 405)])
async def test_a_wrong_address_is_one_of_configuration_until_there_was_an_answer(wrong: Reply) -> None:
    with FakeModel(wrong, then=says("fine")) as model:
        server = Server(model.base_url)
        failure = await server.fail()
        assert (failure.severity, failure.code) == ("fatal", "model_access_failed")
        assert server.endpoint.breaker.is_open
        assert len(model.requests) == 1
    with FakeModel(says("fine"), wrong, says("again")) as model:
        server = Server(model.base_url)
        await server.ask()
        assert (await server.ask()).tries == 2


async def test_a_server_that_is_not_there_is_one_of_configuration() -> None:
    server = Server(closed_port())
    failure = await server.fail()
    assert failure.fault is Fault.NO_CONNECTION
    assert failure.code == "model_access_failed"
    assert server.waits == []


async def test_a_server_that_went_away_is_waited_for() -> None:
    with FakeModel(says("fine")) as model:
        server = Server(model.base_url)
        await server.ask()
    failure = await server.fail()
    assert failure.code == "model_request_failed"
    assert sum(server.waits) >= 60


async def test_a_slow_server_is_tried_twice_and_is_no_fault_of_configuration() -> None:
    with FakeModel(then=HANGS) as model:
        server = Server(model.base_url, call_timeout_s=0.05)
        failure = await server.fail()
        assert (failure.fault, failure.severity, failure.code) == (Fault.TIMEOUT, "error", "model_timeout")
        assert len(model.requests) == 2
        assert not server.endpoint.breaker.is_open


async def test_only_time_outs_count_as_such() -> None:
    """A server that was busy before it hangs once is not given up."""
    with FakeModel(fails(503), fails(503), HANGS, then=says("done")) as model:
        server = Server(model.base_url, call_timeout_s=0.5)
        assert (await server.ask()).tries == 4
    with FakeModel(HANGS, fails(503), HANGS, then=says("done")) as model:
        server = Server(model.base_url, call_timeout_s=0.5)
        assert (await server.fail()).code == "model_timeout"


async def test_a_call_ends_by_its_deadline() -> None:
    with FakeModel(then=HANGS) as model:
        server = Server(model.base_url)
        server.clock = time.monotonic()
        began = time.monotonic()
        failure = await server.fail(seconds=0.1)
    assert failure.fault is Fault.TIMEOUT
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "refusal",
    [fails(400, "bad"), fails(422, "bad"), fails(400, "too long", "context_length_exceeded"), fails(413, "too large")],
)
async def test_a_request_that_is_refused_is_not_sent_again(refusal: Reply) -> None:
    with FakeModel(refusal) as model:
        failure = await Server(model.base_url).fail()
    assert (failure.severity, failure.code) == ("error", "model_invalid_output")
    assert len(model.requests) == 1


async def test_the_cost_of_a_call_is_counted() -> None:
    with FakeModel(says("done"), fails(400)) as model:
        server = Server(model.base_url, max_cost_usd=1.0)
        await server.ask()
        await server.fail()
    assert server.endpoint.cap.spent_usd == pytest.approx(60e-6)
    assert server.endpoint.cap.held_usd == 0


async def test_a_call_that_could_pass_the_cap_is_not_made() -> None:
    with FakeModel(then=says("done")) as model:
        server = Server(model.base_url, max_cost_usd=0.01)
        with pytest.raises(CostCapReached):
            await server.ask()
        await server.ask(max_tokens=800)
    assert len(model.requests) == 1


async def test_no_estimate_is_as_low_again_as_one_that_was_passed() -> None:
    dear = says("done", usage={"prompt_tokens": 40_000, "completion_tokens": 9_000})
    with FakeModel(dear, then=says("done")) as model:
        server = Server(model.base_url, max_cost_usd=0.25)
        await server.ask()
        assert server.endpoint.cap.spent_usd == pytest.approx(0.13)
        with pytest.raises(CostCapReached, match=r"the next call may cost 0\.1[34]"):
            await server.ask(max_tokens=10)
    assert len(model.requests) == 1


async def test_a_try_that_was_not_answered_counts_beside_the_one_that_was() -> None:
    with FakeModel(HANGS, says("done")) as model:
        server = Server(model.base_url, max_cost_usd=1.0, call_timeout_s=0.05)
        turn = await server.ask(max_tokens=4000)
    assert turn.usd == pytest.approx(60e-6)
    assert server.endpoint.cap.spent_usd > 0.04


async def test_a_call_whose_fate_is_unknown_is_counted_with_its_estimate() -> None:
    with FakeModel(then=HANGS) as model:
        server = Server(model.base_url, max_cost_usd=1.0, call_timeout_s=0.05)
        await server.fail()
    assert server.endpoint.cap.spent_usd > 0.03


async def test_a_cancelled_call_gives_its_hold_back_to_the_cap() -> None:
    with FakeModel(then=HANGS) as model:
        server = Server(model.base_url, max_cost_usd=1.0)
        call = asyncio.create_task(server.ask())
        await model.asked(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert server.endpoint.cap.held_usd == 0


def test_addresses_are_shown_without_secrets() -> None:
    assert shown_url("https://user:secret@host.example:8000/v1?key=secret#x") == "https://host.example:8000/v1"
