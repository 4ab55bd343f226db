"""Our own limits on calls per key: how many at once, how many a second; first come, first served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from aiolimiter import AsyncLimiter


class Gate:
    """Lets calls of one key through. A place is held while the call is at the vendor, not while it waits to retry.

    `starts` is shared by all gates of an event loop: of the calls that may begin, one does in each turn of the loop, as
    dozens in the same turn would hold everything else up.
    """

    def __init__(
        self, concurrency: int | None = None, rate_per_s: float | None = None, *, starts: asyncio.Lock | None = None
    ) -> None:
        self._places = asyncio.Semaphore(concurrency) if concurrency else None
        # One call per interval, not a burst of many: the limit of a vendor may be meant for each single second.
        self._pace = AsyncLimiter(1, 1 / rate_per_s) if rate_per_s else None
        self._turn = asyncio.Lock()
        self._starts = starts or asyncio.Lock()

    @asynccontextmanager
    async def place(self, wait_s: float | None = None) -> AsyncIterator[None]:
        """Hold a place.

        Args:
            wait_s: how long to wait for it at the most, in seconds.

        Raises:
            TimeoutError: none came free in time.
        """
        async with asyncio.timeout(wait_s) as waiting:
            await self._enter()
            waiting.reschedule(None)
        try:
            yield
        finally:
            if self._places:
                self._places.release()

    async def _enter(self) -> None:
        if self._places:
            await self._places.acquire()
        try:
            if self._pace:
                # The lock keeps the order of arrival, which the limiter alone does not.
                async with self._turn:
                    await self._pace.acquire()
            async with self._starts:
                await asyncio.sleep(0)
        except BaseException:
            if self._places:
                self._places.release()
            raise


class Gates:
    """All gates of an event loop. One key with the same limits has one gate, whoever asks."""

    def __init__(self) -> None:
        self._gates: dict[Hashable, Gate] = {}
        self._starts = asyncio.Lock()

    def of(self, key: Hashable, concurrency: int | None, rate_per_s: float | None) -> Gate:
        """Return the gate of `key`. A limit of None or 0 is no limit."""
        return self._gates.setdefault(
            (key, concurrency, rate_per_s), Gate(concurrency, rate_per_s, starts=self._starts)
        )
