from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agentcompass_websearch.tools.contract import VendorClient
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import VendorContract
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import none

VENDOR = none.websearch_vendor()


class TestContract(VendorContract):
    vendor = VENDOR

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        yield open_client(VENDOR, VENDOR.modes[""], api_key="", options={}, transport=Transport())


def test_the_arm_without_search() -> None:
    assert VENDOR.vendor_ids() == ("none",)
    assert VENDOR.modes[""].home_boards == ("no-search",)
    assert VENDOR.modes[""].operations == frozenset()
    assert VENDOR.modes[""].price.search_usd is None
