from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from agentcompass_websearch.tools.contract import VendorClient
from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import VendorContract, html_reply, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import direct

VENDOR = direct.websearch_vendor()


class TestContract(VendorContract):
    vendor = VENDOR
    unknown_url = "set with the server"

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        page = html_reply("<html><head><title>Orders</title></head><body><p>How to list orders.</p></body></html>")

        async def resolve(host: str, port: int) -> Sequence[str]:
            return ["127.0.0.1"]

        async with serving(lambda request: page if request.path == "/orders" else html_reply("Gone", 404)) as server:
            TestContract.known_url = f"{server.url}/orders".replace("127.0.0.1", "docs.acme.example")
            TestContract.unknown_url = f"{TestContract.known_url}/gone"
            yield DirectClient(network=Network(resolve, lambda address: address.is_loopback))


def test_the_id() -> None:
    assert VENDOR.vendor_ids() == ("direct",)
    (mode,) = VENDOR.modes.values()
    assert mode.operations == {"fetch"}
    assert (mode.price.search_usd, mode.price.fetch_usd) == (None, 0.0)
    assert VENDOR.facts.fetch == "generic"
    assert not VENDOR.key_vars
    client = open_client(VENDOR, mode, api_key="", options={}, transport=Transport())
    assert isinstance(client, DirectClient)
