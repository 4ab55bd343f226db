"""Lets something happen when an event loop ends: the one moment when nobody needs what belongs to it any more."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable


def at_loop_end(act: Callable[[], Awaitable[object]]) -> AsyncGenerator[None]:
    """Let `act` be awaited when the running event loop ends.

    Returns what waits for that, for the caller to keep as long as it is to happen: an async generator that has begun is
    the one thing that a loop closes itself as it ends.
    """
    waiting = _waiting(act)
    with contextlib.suppress(StopIteration):
        waiting.__anext__().send(None)
    return waiting


async def _waiting(act: Callable[[], Awaitable[object]]) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await act()
