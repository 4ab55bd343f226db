"""One try of a vendor call: it waits for a place, and never sends what could not be answered by the deadline."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from agentcompass_websearch.tools.contract import ErrorKind, Outcome
from agentcompass_websearch.tools.limits import Gate
from agentcompass_websearch.tools.wire import Fault

_LEAST_S: Final = 0.05


async def one_try[Value](
    gate: Gate,
    deadline: float | None,
    send: Callable[[float | None], Awaitable[Outcome[Value]]],
    failed: Callable[[Fault], Outcome[Any]],
) -> Outcome[Value]:
    """Return what `send` returns, with the time in the queue.

    Args:
        gate: where to wait for a place, which is held while `send` runs.
        deadline: a value of ``time.monotonic()``; None for none.
        send: sends the call; it is given the seconds that are left, None for no limit.
        failed: makes the outcome of a fault.
    """
    arrived = time.monotonic()
    entered = arrived
    left_s = None if deadline is None else deadline - arrived
    if left_s is not None and left_s < _LEAST_S:
        return failed(Fault(ErrorKind.DEADLINE, "no time was left to send the request"))
    try:
        async with gate.place(left_s):
            entered = time.monotonic()
            outcome = await send(None if deadline is None else max(_LEAST_S, deadline - entered))
    except TimeoutError:
        waited_s = time.monotonic() - arrived
        late: Outcome[Any] = failed(Fault(ErrorKind.DEADLINE, "no time was left after waiting for the rate limit"))
        return replace(late, queue_s=waited_s)
    return replace(outcome, queue_s=entered - arrived)
