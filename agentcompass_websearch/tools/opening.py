"""Opening a vendor: check the user's options, then build a client from vendor, mode, key, options and limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentcompass_websearch.errors import UsageError, nearest_name
from agentcompass_websearch.tools.contract import Mode, Vendor, VendorClient, VendorSettings
from agentcompass_websearch.tools.transport import Transport


def check_options(vendor: Vendor, options: Mapping[str, Any] | None, *, also: Iterable[str] = ()) -> None:
    """Check ``vendor_options``. The value null stands for "not given".

    Args:
        vendor: the family.
        options: what was given.
        also: names of options that are read elsewhere, for the message that lists what there is.

    Raises:
        UsageError: no mapping, an unknown name (the nearest known one is named), or a wrong value.
    """
    given = _given(vendor, options)
    for name in options or {}:
        if name not in vendor.options:
            there_are = sorted({*vendor.options, *also})
            near = nearest_name(name, there_are)
            hint = f"did you mean {near!r}? " if near else ""
            known = ", ".join(there_are) or "none"
            raise UsageError(f"vendor_options: {vendor.family} has no option {name!r}; {hint}known options: {known}")
    if vendor.check_options:
        vendor.check_options(given)


def open_client(
    vendor: Vendor,
    mode: Mode,
    *,
    api_key: str,
    options: Mapping[str, Any] | None,
    transport: Transport,
    concurrency: int | None = None,
    rate_per_s: float | None = None,
) -> VendorClient:
    """Return a client of one vendor id. It sends nothing yet.

    Args:
        vendor: the family.
        mode: one of its modes.
        api_key: the key (see `agentcompass_websearch.tools.keys.find_key`); empty for none.
        options: ``vendor_options``.
        transport: that of the running event loop (see `agentcompass_websearch.tools.transport.shared_transport`).
        concurrency: how many calls of this key may be at the vendor at once; None is no limit.
        rate_per_s: calls of this key a second; None is the vendor's documented limit, 0 is no limit.

    Raises:
        UsageError: the options are wrong (see `check_options`).
    """
    check_options(vendor, options)
    settings = VendorSettings(
        vendor_id=vendor.vendor_id(mode.name),
        mode=mode,
        api_key=api_key,
        options=_given(vendor, options),
        concurrency=concurrency,
        rate_per_s=rate_per_s,
    )
    return vendor.open(settings, transport)


def _given(vendor: Vendor, options: Mapping[str, Any] | None) -> dict[str, Any]:
    if options is not None and not isinstance(options, Mapping):
        raise UsageError(f"vendor_options of {vendor.family} must be a mapping, not {type(options).__name__}")
    return {name: value for name, value in (options or {}).items() if value is not None}
