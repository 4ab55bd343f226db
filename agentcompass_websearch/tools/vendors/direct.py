"""A reader of pages without a vendor: what ``vendor_options.fetch`` puts in the place of a fetch that is missing."""

from __future__ import annotations

from typing import Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.tools.contract import Facts, Mode, Price, Vendor, VendorClient, VendorSettings

_WHAT: Final = "reads public pages from this machine, without running scripts"
_FREE: Final = Price(fetch_usd=0.0, as_of="2026-11", source="runs on this machine")


def _open(settings: VendorSettings, transport: object) -> VendorClient:
    from agentcompass_websearch.tools.direct.client import DirectClient

    return DirectClient(settings.vendor_id)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``direct``, with the one id ``direct``."""
    return Vendor(
        family="direct",
        title="Direct reader",
        homepage="",
        modes={"": Mode("", _WHAT, frozenset({"fetch"}), ("search-fetch",), _FREE)},
        default_mode="",
        open=_open,
        facts=Facts(fetch="generic", site_operator="none", cache="none, every page is read live"),
    )
