"""Reading pages with another vendor than the one that searches: ``vendor_options.fetch`` and what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.contract import Mode, Vendor, VendorClient
from agentcompass_websearch.tools.keys import find_key, how_to_give
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.transport import shared_transport

FETCH: Final = "fetch"
FETCH_OPTIONS: Final = "fetch_options"
OPTIONS: Final = (FETCH, FETCH_OPTIONS)
_BASE_URL: Final = "fetch_base_url"


@dataclass(frozen=True, slots=True)
class Reader:
    """A vendor that reads pages for another one. Its documented limits hold, none of the arm's."""

    vendor: Vendor
    mode: Mode
    options: Mapping[str, Any] = field(default_factory=dict)
    api_key: str = field(default="", repr=False)

    @property
    def vendor_id(self) -> str:
        """The full id."""
        return self.vendor.vendor_id(self.mode.name)

    def open_client(self) -> VendorClient:
        """Open a client in the running event loop."""
        transport = shared_transport()
        return open_client(self.vendor, self.mode, api_key=self.api_key, options=self.options, transport=transport)


def resolve_reader(
    given: Mapping[str, Any], fetch_api_key: str, *, searcher: Vendor, searcher_key: str
) -> tuple[dict[str, Any], Reader | None]:
    """Split ``vendor_options`` into those of the vendor that searches, and the reader that they ask for.

    Args:
        given: the options, references resolved, without nulls.
        fetch_api_key: the reader's key as the user gave it; empty: the first set one of its own variables.
        searcher: the vendor that searches.
        searcher_key: its key, which is the reader's too where they are of one family.

    Raises:
        UsageError: the reader is unknown, cannot fetch, has no key, or its options are wrong.
    """
    own = {name: value for name, value in given.items() if name not in OPTIONS}
    if FETCH not in given:
        if FETCH_OPTIONS in given or fetch_api_key:
            what = f"vendor_options.{FETCH_OPTIONS}" if FETCH_OPTIONS in given else "fetch_api_key"
            raise UsageError(f"{what} is for another vendor that reads pages: name it as vendor_options.{FETCH}")
        return own, None
    options = given.get(FETCH_OPTIONS, {})
    if not isinstance(options, Mapping):
        raise UsageError(f"vendor_options.{FETCH_OPTIONS} must be a mapping, not {options!r}")
    if _BASE_URL in own:
        options = {"base_url": own.pop(_BASE_URL), **options}
    vendor, mode = _resolved(given[FETCH])
    try:
        check_options(vendor, options)
    except UsageError as error:
        said = str(error).removeprefix("vendor_options: ")
        raise UsageError(f"vendor_options.{FETCH_OPTIONS}: {said}") from error
    key = find_key(vendor, fetch_api_key)
    if not key and not fetch_api_key and vendor.family == searcher.family:
        key = searcher_key
    if vendor.key_vars and not key and not vendor.key_optional:
        raise UsageError(
            f"vendor_options.{FETCH}: vendor {given[FETCH]!r} needs an API key: "
            f"{how_to_give(vendor, fetch_api_key, 'fetch_api_key')}"
        )
    return own, Reader(vendor, mode, {name: value for name, value in options.items() if value is not None}, key)


def _resolved(vendor_id: Any) -> tuple[Vendor, Mode]:
    try:
        vendor, mode = plugins.resolve(vendor_id)
    except UsageError as error:
        raise UsageError(f"vendor_options.{FETCH}: {error}") from error
    if "fetch" not in mode.operations:
        readers = [name for v in plugins.all_vendors()[0] for name, m in _ids(v) if "fetch" in m.operations]
        raise UsageError(f"vendor_options.{FETCH}: {vendor_id!r} reads no pages; these do: {', '.join(readers)}")
    return vendor, mode


def _ids(vendor: Vendor) -> list[tuple[str, Mode]]:
    return [(vendor.vendor_id(name), mode) for name, mode in vendor.modes.items()]
