"""The parameters of the harness, as YAML, command line and Python API give them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self

from agentcompass.runtime.config import RuntimeHarnessConfig, config_field

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent import checks
from agentcompass_websearch.references import expanded

MODEL_PRICE_NAMES: Final = ("input", "cached_input", "cache_write", "output")
VENDOR_PRICE_NAMES: Final = ("search", "fetch")
FAILURE_WORDS: Final = ("fatal", "observe")

# Variables that these name are looked up where the vendor is known.
_OF_THE_VENDOR: Final = ("vendor_api_key", "vendor_options", "fetch_api_key")


@dataclass(slots=True)
class CodingAgentConfig(RuntimeHarnessConfig):
    """User-facing parameters. A null is the default. What needs vendors or keys is checked where they are looked up."""

    vendor: str = config_field(
        default="",
        description="Required: id of the search vendor, such as local or exa_auto; none runs without search. "
        "All ids: agentcompass-websearch vendors.",
    )
    vendor_api_key: str = config_field(
        default="", description="The vendor's key, or ${VAR}; empty: the first set one of the vendor's own variables."
    )
    vendor_options: dict[str, Any] = config_field(
        default_factory=dict,
        description="Options of the vendor, such as base_url; an unknown name is answered with those that there are. "
        "fetch names another vendor that reads the pages, such as direct; fetch_options are its options.",
    )
    fetch_api_key: str = config_field(
        default="",
        description="The key of the vendor in vendor_options.fetch, or ${VAR}; empty: as for vendor_api_key.",
    )
    vendor_price: dict[str, float] | None = config_field(
        default=None, description="Your own price of a call in USD, {search, fetch}, in place of the list price."
    )
    vendor_failure: Literal["fatal", "observe"] = config_field(
        default="fatal",
        description="When a vendor still fails after retries: fatal ends the attempt, observe tells the model.",
    )
    vendor_concurrency: int | None = config_field(
        default=None, description="How many calls may be at the vendor at once; null: no limit of ours."
    )
    vendor_rate_per_s: float | None = config_field(
        default=None, description="Calls a second to the vendor; null: its documented limit, 0: none."
    )
    tools: list[str] | None = config_field(
        default=None,
        description="List of web_search, or of web_search and web_fetch; null: what the vendor id is made for.",
    )
    tool_names: dict[str, str] = config_field(
        default_factory=dict, description="Names of the tools on the wire, for servers that reserve web_search."
    )
    max_turns: int | str | None = config_field(
        default=None, description='Model turns of an attempt, or "unlimited"; null: the task\'s own, else 32.'
    )
    max_searches: int | str | None = config_field(
        default=None, description='Searches of an attempt, or "unlimited"; null: the task\'s own, else 5.'
    )
    max_fetches: int | str | None = config_field(
        default=None, description='Fetches of an attempt, or "unlimited"; null: the task\'s own, else 5.'
    )
    max_results: int = config_field(default=8, description="Results of a search at the most.")
    snippet_chars: int = config_field(default=1200, description="Characters of a snippet at the most.")
    fetch_chars: int = config_field(default=16000, description="Characters of a fetched page at the most.")
    model_price: dict[str, float] | None = config_field(
        default=None,
        description="Your own model price in USD per million tokens, {input, cached_input, cache_write, output}.",
    )
    max_cost_usd: float | None = config_field(
        default=None, description="Cost cap of the whole run in USD, model and vendor; needs known prices."
    )

    @classmethod
    def from_params(cls, params: dict[str, Any] | None, *, field_name: str) -> Self:
        """Build the config from parameters.

        Raises:
            UsageError: an unknown parameter (the nearest known one is named) or a wrong value.
        """
        known = tuple(item.name for item in fields(cls))
        given = checks.known_names(params or {}, known, field_name)
        given |= expanded({name: item for name, item in given.items() if name not in _OF_THE_VENDOR})
        # The zero-argument form of super() does not work in a dataclass with slots.
        config = super(CodingAgentConfig, cls).from_params(given, field_name=field_name)
        if not isinstance(config, cls):
            raise UsageError(f"{field_name} cannot be read")
        return config

    def __post_init__(self) -> None:
        if not isinstance(self.vendor, str):
            raise UsageError(f"vendor is {self.vendor!r}, but must be text: quote it")
        if not self.vendor.strip():
            raise UsageError(
                'vendor is required, such as {"vendor": "local"}; "none" runs without search. '
                "All ids: agentcompass-websearch vendors"
            )
        self.vendor = self.vendor.strip()
        for name in ("vendor_api_key", "fetch_api_key"):
            if not isinstance(getattr(self, name), str):
                raise UsageError(f"{name} must be text")
        if not isinstance(self.vendor_options, dict):
            raise UsageError(f"vendor_options must be a mapping, not {self.vendor_options!r}")
        for name in ("max_turns", "max_searches", "max_fetches"):
            if getattr(self, name) is not None:
                checks.whole_number(getattr(self, name), name, unlimited=True)
        checks.whole_number(self.max_results, "max_results", least=1)
        checks.whole_number(self.snippet_chars, "snippet_chars")
        checks.whole_number(self.fetch_chars, "fetch_chars")
        checks.choice(self.vendor_failure, "vendor_failure", FAILURE_WORDS)
        if self.vendor_concurrency is not None:
            checks.whole_number(self.vendor_concurrency, "vendor_concurrency", least=1)
        for name in ("vendor_rate_per_s", "max_cost_usd"):
            if getattr(self, name) is not None:
                checks.amount(getattr(self, name), name)
        if self.tools is not None:
            self.tools = list(checks.tool_list(self.tools))
        self.tool_names = checks.wire_names(self.tool_names)
        if self.model_price is not None:
            self.model_price = checks.prices(
                self.model_price, MODEL_PRICE_NAMES, "model_price", needed=("input", "output")
            )
        if self.vendor_price is not None:
            self.vendor_price = checks.prices(self.vendor_price, VENDOR_PRICE_NAMES, "vendor_price")
