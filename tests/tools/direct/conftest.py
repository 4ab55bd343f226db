"""What the tests of the direct reader stand on: names that lead to a server on loopback, and nothing else allowed."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.direct.network import Address, Network

HERE = ipaddress.ip_address("127.0.0.1")

type MakeReader = Callable[..., DirectClient]


def only_here(address: Address) -> bool:
    """Allow the address of the tests' servers alone."""
    return address == HERE


@pytest.fixture
def reader() -> MakeReader:
    """Return ``reader(**addresses)``: a client for which every host is here, but those that are named are elsewhere."""

    def make(elsewhere: dict[str, Sequence[str]] | None = None, **settings: Any) -> DirectClient:
        async def resolve(host: str, port: int) -> Sequence[str]:
            return (elsewhere or {}).get(host, [str(HERE)])

        return DirectClient(network=Network(resolve, only_here), **settings)

    return make
