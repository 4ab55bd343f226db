"""A search vendor in memory: its client answers from a function, notes what it was asked, and fails as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentcompass_websearch.harnesses.coding_agent.arm import Arm, Caps
from agentcompass_websearch.records import Board, Hit, Operation, Page
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
    Mode,
    Outcome,
    Price,
    SearchRequest,
    Vendor,
    VendorError,
    VendorSettings,
)

PRICE = Price(search_usd=0.005, fetch_usd=0.001)

type Asked = SearchRequest | FetchRequest
type Behaviour = Callable[[Asked], Outcome[Any]]


def found(request: Asked) -> Outcome[Any]:
    """Answer a search with one hit and a fetch with a page, each of which names what was asked."""
    if isinstance(request, SearchRequest):
        hit = Hit(f"https://docs.acme.example/{request.query}", request.query.title(), f"all about {request.query}")
        return Outcome((hit,), service_s=0.1, tries=1, status=200)
    page = Page(request.url, title="A page", content=f"text of {request.url}", status=200)
    return Outcome(page, service_s=0.2, tries=1, status=200)


def failing(kind: ErrorKind, message: str = "it failed", **facts: Any) -> Behaviour:
    """Answer everything with one failure."""
    error = VendorError(kind, "acme_basic", message)
    return lambda request: replace(Outcome(error=error, service_s=0.1, tries=1), **facts)


@dataclass
class FakeClient:
    """A `VendorClient`. `most_at_once` is how many of its calls overlapped; each gives way to the others once."""

    behaviour: Behaviour = found
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    deadlines: list[float | None] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        return await self._answer(request, deadline)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        return await self._answer(request, deadline)

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _answer(self, request: Asked, deadline: float | None) -> Outcome[Any]:
        self.asked.append(request)
        self.deadlines.append(deadline)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(0)
        self._now -= 1
        return self.behaviour(request)


def acme(
    client: FakeClient | None = None,
    *,
    operations: tuple[Operation, ...] = ("search", "fetch"),
    home_boards: tuple[Board, ...] = ("search-fetch",),
    price: Price = PRICE,
    **facts: Any,
) -> Vendor:
    """Make the family ``acme`` with its one id ``acme_basic``, whose clients are `client`."""
    mode = Mode("basic", "a mode", frozenset(operations), home_boards, price)

    def opened(settings: VendorSettings, transport: object) -> FakeClient:
        return client or FakeClient()

    return Vendor("acme", "Acme", "https://acme.example", {"basic": mode}, "basic", opened, **facts)


def acme_arm(client: FakeClient | None = None, **changes: Any) -> Arm:
    """Make an arm of that vendor with both tools."""
    vendor = acme(client)
    arm = Arm(
        vendor,
        vendor.modes["basic"],
        ("web_search", "web_fetch"),
        Caps(),
        prices={"search": 0.005, "fetch": 0.001},
    )
    return replace(arm, **changes)
