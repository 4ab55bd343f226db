from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from agentcompass_websearch.tools.limits import Gate, Gates


async def test_places_are_limited_and_given_in_order_of_arrival() -> None:
    gate = Gate(concurrency=2)
    inside = most = 0
    order: list[int] = []

    async def call(number: int) -> None:
        nonlocal inside, most
        async with gate.place():
            order.append(number)
            inside += 1
            most = max(most, inside)
            for _ in range(5):
                await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(call(number) for number in range(50)))
    assert most == 2
    assert order == list(range(50))


async def test_calls_begin_one_in_each_turn_of_the_loop_in_order_of_arrival() -> None:
    gates = Gates()
    turn = 0
    begun: list[tuple[int, int]] = []

    async def count() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    async def call(number: int) -> None:
        async with gates.of(number % 2, None, None).place():
            begun.append((turn, number))

    counting = asyncio.create_task(count())
    await asyncio.gather(*(call(number) for number in range(20)))
    counting.cancel()
    assert [number for _, number in begun] == list(range(20))
    assert len({turn for turn, _ in begun}) == 20


async def test_calls_are_spaced_and_stay_in_order() -> None:
    gate = Gate(rate_per_s=100)
    starts: list[tuple[float, int]] = []

    async def call(number: int) -> None:
        async with gate.place():
            starts.append((time.monotonic(), number))

    await asyncio.gather(*(call(number) for number in range(8)))
    assert [number for _, number in starts] == list(range(8))
    gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(starts)]
    assert min(gaps) > 0.005, "one call per interval, no burst"


async def test_without_limits_nobody_waits() -> None:
    for gate in (Gate(), Gate(0, 0)):
        async with gate.place(0.001), gate.place(0.001):
            pass


async def test_a_wait_that_is_too_long_ends_and_takes_no_place() -> None:
    gate = Gate(concurrency=1)
    async with gate.place():
        with pytest.raises(TimeoutError):
            async with gate.place(0.01):
                raise AssertionError("there was no place")
    async with gate.place(0.01):
        pass


async def test_the_wait_does_not_limit_the_time_inside() -> None:
    gate = Gate(concurrency=1)
    async with gate.place(0.01):
        await asyncio.sleep(0.03)


@pytest.mark.parametrize("limits", [{"concurrency": 1}, {"concurrency": 1, "rate_per_s": 20.0}])
async def test_a_cancelled_call_gives_its_place_back(limits: dict[str, float]) -> None:
    gate = Gate(**limits)  # type: ignore[arg-type]
    entered = asyncio.Event()

    async def hold() -> None:
        async with gate.place():
            entered.set()
            await asyncio.Event().wait()

    async def waits() -> None:
        async with gate.place():
            raise AssertionError("cancelled before it got a place")

    holder = asyncio.create_task(hold())
    await entered.wait()
    waiter = asyncio.create_task(waits())
    await asyncio.sleep(0)
    for task in (waiter, holder):
        task.cancel()
    await asyncio.wait([waiter, holder])
    async with gate.place(1):
        pass


def test_one_key_with_the_same_limits_has_one_gate() -> None:
    gates = Gates()
    assert gates.of(("acme", "k"), 2, 1.0) is gates.of(("acme", "k"), 2, 1.0)
    assert gates.of(("acme", "k"), 2, 1.0) is not gates.of(("acme", "other"), 2, 1.0)
