"""An arm: one vendor with its tools, caps and prices, the same for all attempts of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.reader import OPTIONS as READER_OPTIONS
from agentcompass_websearch.harnesses.coding_agent.reader import Reader, resolve_reader
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import OPERATION_OF_TOOL, TOOLS_OF_BOARD
from agentcompass_websearch.records import WEB_FETCH, Board, Operation, board_of
from agentcompass_websearch.references import expanded
from agentcompass_websearch.tools import base_urls
from agentcompass_websearch.tools.combined import OF_THE_READER, CombinedClient
from agentcompass_websearch.tools.contract import Mode, Vendor, VendorClient
from agentcompass_websearch.tools.keys import find_key, how_to_give
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.transport import shared_transport


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of a result the model sees; the same for all vendors."""

    max_results: int = 8
    snippet_chars: int = 1200
    fetch_chars: int = 16000


DEFAULT_CAPS: Final = Caps()


@dataclass(frozen=True, slots=True)
class Arm:
    """A checked arm. `prices` are US dollars a call by operation, None where unknown.

    A `reader` is another vendor that reads the pages.
    """

    vendor: Vendor
    mode: Mode
    tools: tuple[str, ...]
    caps: Caps = DEFAULT_CAPS
    prices: Mapping[Operation, float | None] = field(default_factory=dict)
    tool_names: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    on_failure: Literal["fatal", "observe"] = "fatal"
    concurrency: int | None = None
    rate_per_s: float | None = None
    api_key: str = field(default="", repr=False)
    reader: Reader | None = None

    @property
    def vendor_id(self) -> str:
        """The full id: a bare family stands for its default mode."""
        return self.vendor.vendor_id(self.mode.name)

    def vendor_id_of(self, op: Operation) -> str:
        """The id of the vendor that is asked for an operation."""
        return self.reader.vendor_id if self.reader and op == "fetch" else self.vendor_id

    @property
    def api_keys(self) -> tuple[str, ...]:
        """The keys of all its vendors."""
        return (self.api_key, self.reader.api_key) if self.reader else (self.api_key,)

    @property
    def option_values(self) -> tuple[Any, ...]:
        """The values of all its vendors' options."""
        return (*self.options.values(), *(self.reader.options.values() if self.reader else ()))

    @property
    def board(self) -> Board:
        """The board that the arm's tools belong to."""
        return board_of(self.tools)

    def open_client(self) -> VendorClient:
        """Open a client of the vendor, or of both vendors, in the running event loop."""
        client = open_client(
            self.vendor,
            self.mode,
            api_key=self.api_key,
            options=self.options,
            transport=shared_transport(),
            concurrency=self.concurrency,
            rate_per_s=self.rate_per_s,
        )
        return CombinedClient(client, self.reader.open_client()) if self.reader else client

    def record(self, fingerprint: Mapping[str, str]) -> dict[str, Any]:
        """Return what of the arm decides a result, for telemetry: no key, no address, no limit on speed.

        `fingerprint` is the client's: what it names stands for the option of the same name, such as the hash of the
        pages for the path where they lie.
        """
        of_reader = {
            name: value for name, value in fingerprint.items() if self.reader and name.startswith(OF_THE_READER)
        }
        own = {name: value for name, value in fingerprint.items() if name not in of_reader}
        return {
            "id": self.vendor_id,
            "family": self.vendor.family,
            "mode": self.mode.name,
            **self._fetch_record({name.removeprefix(OF_THE_READER): value for name, value in of_reader.items()}),
            "options": _deciding(self.vendor, self.options, own),
            "on_failure": self.on_failure,
            "caps": {
                "max_results": self.caps.max_results,
                "snippet_chars": self.caps.snippet_chars,
                "fetch_chars": self.caps.fetch_chars,
            },
            "tool_names": dict(self.tool_names),
            **own,
        }

    def facts(self) -> dict[str, str]:
        """Return what a fair comparison must know of the vendors: operators, age of pages, what they are told.

        The model names an objective with fetches only.
        """
        searching = self.vendor.facts
        reading = self.reader.vendor.facts if self.reader else searching
        told = WEB_FETCH in self.tools and "fetch" in reading.objective
        cache = searching.cache
        if reading.cache != cache:
            cache = f"searches: {cache}; pages: {reading.cache}"
        return {
            "site_operator": searching.site_operator,
            "cache": cache,
            "objective": "told" if told else "not told",
        }

    def _fetch_record(self, fingerprint: Mapping[str, str]) -> dict[str, Any]:
        """Return where pages come from: by the vendor's own word, or from a reader, which is generic to a stranger."""
        if self.reader is None:
            return {"fetch": self.vendor.facts.fetch}
        reader = self.reader
        return {
            "fetch": reader.vendor.facts.fetch if reader.vendor.family == self.vendor.family else "generic",
            "fetch_vendor": {
                "id": reader.vendor_id,
                "options": _deciding(reader.vendor, reader.options, fingerprint),
                **fingerprint,
            },
        }


def _deciding(vendor: Vendor, options: Mapping[str, Any], fingerprint: Mapping[str, str]) -> dict[str, Any]:
    silent = {*base_urls.OPTIONS, *vendor.silent_options, *fingerprint}
    return {name: value for name, value in options.items() if name not in silent}


def resolve_arm(
    vendor_id: str,
    *,
    api_key: str = "",
    options: Mapping[str, Any] | None = None,
    tools: Sequence[str] | None = None,
    caps: Caps = DEFAULT_CAPS,
    own_prices: Mapping[str, float] | None = None,
    tool_names: Mapping[str, str] | None = None,
    on_failure: Literal["fatal", "observe"] = "fatal",
    concurrency: int | None = None,
    rate_per_s: float | None = None,
    fetch_api_key: str = "",
) -> Arm:
    """Look a vendor id up and check all that was asked of it. Nothing is opened or sent.

    Raises:
        UsageError: unknown vendor, missing key, wrong option, or a tool that the vendors do not have.
    """
    try:
        vendor, mode = plugins.resolve(vendor_id)
    except UsageError as error:
        raise UsageError(f"{str(error).rstrip('.')}. {_key_summary()}") from error
    base_urls.refuse_credentials(options or {})
    given = {n: v for n, v in expanded(options or {}, "vendor_options").items() if v is not None}
    key = find_key(vendor, api_key)
    given, reader = resolve_reader(given, fetch_api_key, searcher=vendor, searcher_key=key)
    check_options(vendor, given, also=READER_OPTIONS)
    if vendor.key_vars and not key and not vendor.key_optional:
        raise UsageError(
            f"vendor {vendor_id!r} needs an API key: {how_to_give(vendor, api_key, 'vendor_api_key')}. {_key_summary()}"
        )
    own = own_prices or {}
    fetch_mode = reader.mode if reader else mode
    return Arm(
        vendor=vendor,
        mode=mode,
        tools=_tools(vendor.vendor_id(mode.name), mode, tools, reader),
        caps=caps,
        prices={
            "search": own.get("search", mode.price.search_usd),
            "fetch": own.get("fetch", fetch_mode.price.fetch_usd),
        },
        tool_names=tool_names or {},
        options=given,
        on_failure=on_failure,
        concurrency=concurrency,
        rate_per_s=rate_per_s,
        api_key=key,
        reader=reader,
    )


def _tools(vendor_id: str, mode: Mode, asked: Sequence[str] | None, reader: Reader | None) -> tuple[str, ...]:
    if not mode.operations:
        if asked or reader:
            wanted = f"tools asks for {', '.join(asked)}" if asked else "vendor_options asks for fetch"
            raise UsageError(f"vendor {vendor_id!r} has no tools, but {wanted}")
        return ()
    if "search" not in mode.operations:
        raise UsageError(
            f"vendor {vendor_id!r} only reads pages: name a vendor that searches, "
            f'and give it "vendor_options": {{"fetch": "{vendor_id}"}}'
        )
    if reader:
        mode = replace(mode, operations=mode.operations | {"fetch"}, home_boards=("search-fetch",))
    if asked is None:
        return TOOLS_OF_BOARD[_home_board(mode)]
    lacking = [tool for tool in asked if OPERATION_OF_TOOL[tool] not in mode.operations]
    if lacking:
        has = ", ".join(tool for tool, operation in OPERATION_OF_TOOL.items() if operation in mode.operations)
        advice = 'another vendor can read pages: "vendor_options": {"fetch": "direct"}'
        raise UsageError(f"vendor {vendor_id!r} has no {', '.join(lacking)}; it has {has}; {advice}")
    if reader and WEB_FETCH not in asked:
        raise UsageError(f"vendor_options.fetch is of no use: tools has no {WEB_FETCH}")
    return tuple(asked)


def _home_board(mode: Mode) -> Board:
    if "search-fetch" in mode.home_boards and "fetch" in mode.operations:
        return "search-fetch"
    return mode.home_boards[0]


def _key_summary() -> str:
    """Say which vendors have their key in the environment; all families are looked at, so only for an error message."""
    vendors, _ = plugins.all_vendors()
    names = {name: name in os.environ for vendor in vendors for name in vendor.key_vars[:1]}
    names |= {name: True for vendor in vendors for name in vendor.key_vars if name in os.environ}
    is_set = ", ".join(name for name, there in names.items() if there) or "none"
    is_not = ", ".join(name for name, there in names.items() if not there) or "none"
    return f"Vendors: {', '.join(v.family for v in vendors)}. Keys set: {is_set}; not set: {is_not}."
