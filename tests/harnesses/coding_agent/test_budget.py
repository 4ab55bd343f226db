"""The cost cap: what is spent and held never passes it."""

from __future__ import annotations

import asyncio
import time

import pytest

from agentcompass_websearch.harnesses.coding_agent.budget import CostCap, CostCapReached


def test_without_a_limit_it_only_counts() -> None:
    cap = CostCap()
    with cap.hold(2.0) as hold:
        hold.actual_usd = 1.5
    with cap.hold(None):
        assert cap.held_usd == 0
    assert (cap.spent_usd, cap.held_usd) == (1.5, 0.0)


def test_a_call_of_unknown_cost_counts_with_its_estimate() -> None:
    cap = CostCap(10)
    with cap.hold(2.0):
        assert cap.held_usd == 2
    assert cap.spent_usd == 2


def test_a_call_that_failed_counts_unless_it_is_known_to_be_free() -> None:
    cap = CostCap(10)

    def fail(actual_usd: float | None) -> None:
        with cap.hold(1.0) as hold:
            hold.actual_usd = actual_usd
            raise KeyError

    for actual_usd in (None, 0.0):
        with pytest.raises(KeyError):
            fail(actual_usd)
    assert cap.spent_usd == 1


def test_three_tenths_fit_under_three_tenths() -> None:
    cap = CostCap(0.3)
    for _ in range(3):
        with cap.hold(0.1):
            pass
    with pytest.raises(CostCapReached, match=r"max_cost_usd 0.3 reached: 0.3000 spent"), cap.hold(0.1):
        pytest.fail("a call beyond the cap was made")


def test_a_cap_of_nothing_allows_what_is_free() -> None:
    cap = CostCap(0)
    with cap.hold(0.0):
        pass
    with pytest.raises(CostCapReached), cap.hold(0.01):
        pytest.fail("a call beyond the cap was made")


async def test_a_call_waits_for_those_that_hold_what_it_needs() -> None:
    cap = CostCap(1.0)
    order: list[str] = []

    async def one_call(name: str, actual_usd: float) -> float:
        waited_s = await cap.room(0.6, time.monotonic() + 30, turn=0)
        order.append(f"{name} begins")
        with cap.hold(0.6) as hold:
            await asyncio.sleep(0)
            hold.actual_usd = actual_usd
        order.append(f"{name} ends")
        return waited_s

    waits = await asyncio.gather(one_call("a", 0.1), one_call("b", 0.2), one_call("c", 0.1))
    assert order == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]
    assert waits[0] == 0
    assert min(waits[1:]) > 0
    assert cap.spent_usd == pytest.approx(0.4)


async def test_who_is_further_comes_first() -> None:
    cap = CostCap(1.0)
    order: list[int] = []

    async def one_call(turn: int) -> None:
        await cap.room(0.6, time.monotonic() + 30, turn=turn)
        with cap.hold(0.6) as hold:
            order.append(turn)
            await asyncio.sleep(0)
            hold.actual_usd = 0.1

    await asyncio.gather(*map(one_call, [0, 1, 0, 3, 2]))
    assert order == [0, 3, 2, 1, 0]


async def test_a_call_that_is_given_up_makes_way() -> None:
    cap = CostCap(1.0)
    with cap.hold(0.6):
        further = asyncio.create_task(cap.room(0.6, time.monotonic() + 30, turn=5))
        await asyncio.sleep(0)
        behind = asyncio.create_task(cap.room(0.1, time.monotonic() + 30, turn=1))
        await asyncio.sleep(0)
        assert not behind.done()
        further.cancel()
        assert await behind >= 0


async def test_nobody_waits_in_vain() -> None:
    cap = CostCap(1.0)
    with cap.hold(0.8):
        assert await cap.room(1.1, time.monotonic() + 30, turn=0) == 0
        assert await cap.room(0.1, time.monotonic() + 30, turn=0) == 0
        assert await cap.room(None, time.monotonic() + 30, turn=0) == 0
        assert 0.01 <= await cap.room(0.3, time.monotonic() + 0.01, turn=0) < 5
        with pytest.raises(CostCapReached), cap.hold(0.3):
            pytest.fail("a call beyond the cap was made")
    assert await CostCap().room(9.0, time.monotonic() + 30, turn=0) == 0


async def test_calls_under_way_count() -> None:
    cap = CostCap(1.0)
    release = asyncio.Event()
    refused = 0

    async def one_call() -> None:
        nonlocal refused
        try:
            with cap.hold(0.3) as hold:
                await release.wait()
                hold.actual_usd = 0.25
        except CostCapReached:
            refused += 1

    calls = [asyncio.create_task(one_call()) for _ in range(5)]
    await asyncio.sleep(0)
    assert cap.held_usd == pytest.approx(0.9)
    release.set()
    await asyncio.gather(*calls)
    assert refused == 2
    assert cap.spent_usd == pytest.approx(0.75)
