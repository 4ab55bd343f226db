"""The metrics of an attempt: their ids, what people call them, and their units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is shown. `passes`: whether success in any of k attempts is reported too (binary ones only)."""

    label: str
    unit: str | None = None
    precision: int = 4
    passes: bool = False


PRIMARY: Final = "correct"

BINARY: Final[Mapping[str, Metric]] = {
    PRIMARY: Metric("Correct", passes=True),
    "compiled": Metric("Compiled"),
    "needles_present": Metric("All needles present"),
    "cited": Metric("All needles cited"),
    "grounded": Metric("All needles grounded"),
    "recovered": Metric("Recovered (compiled, all needles present)", passes=True),
    "correct_published": Metric("Correct by the published policy"),
    "correct_official": Metric("Correct by the official policy"),
    "needle_in_query": Metric("A needle stood in a query"),
}
"""True or false of every attempt that was scored."""

SCALAR: Final[Mapping[str, Metric]] = {
    "task_seconds": Metric("Task time", "s", 2),
    "model_seconds": Metric("Model time", "s", 2),
    "search_calls": Metric("Searches", precision=2),
    "fetch_calls": Metric("Fetches", precision=2),
    "search_seconds": Metric("Search time, all calls", "s", 3),
    "prompt_tokens": Metric("Prompt tokens", precision=0),
    "completion_tokens": Metric("Completion tokens", precision=0),
    "total_tokens": Metric("Tokens", precision=0),
    "vendor_failures": Metric("Vendor failures", precision=2),
    "model_cost_usd": Metric("Model cost", "USD", 6),
    "tool_cost_usd": Metric("Tool cost", "USD", 6),
    "cost_usd": Metric("Cost", "USD", 6),
}
"""Numbers of an attempt; one that is unknown is absent, never zero."""


def of_evaluation_timeout() -> dict[str, bool | float]:
    """Return what counts where scoring itself ran out of time."""
    return dict.fromkeys(BINARY, False)
