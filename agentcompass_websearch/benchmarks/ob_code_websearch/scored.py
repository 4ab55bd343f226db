"""Reads the attempts of a run back from the host's task details, for the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import PER_TICKET, digest
from agentcompass_websearch.benchmarks.ob_code_websearch.measures import reached_vendor, tells_list_price
from agentcompass_websearch.records import AttemptTelemetry, Operation, telemetry_of


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a ticket: what was measured, what the judge recorded, and which FATAL issues it has."""

    ticket: str
    category: str
    number: int
    metrics: Mapping[str, Any]
    scoring: Mapping[str, Any]
    telemetry: AttemptTelemetry | None
    fatal: tuple[str, ...] = ()

    def passed(self, metric: str) -> bool | None:
        """Return a binary metric; None if it was not observed, or a FATAL issue voids it."""
        value = self.metrics.get(metric)
        return value if isinstance(value, bool) and not self.fatal else None

    def measured(self, metric: str) -> float | None:
        """Return a scalar metric; None if it is unknown, or a FATAL issue voids it."""
        value = self.metrics.get(metric)
        if self.fatal or isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)

    def service_times(self, operation: Operation) -> list[float]:
        """Return the seconds of each call of `operation` that reached the vendor."""
        calls = self.telemetry.calls if self.telemetry else ()
        return [c.service_s for c in calls if c.op == operation and reached_vendor(c) and c.service_s is not None]

    def list_prices(self, operation: Operation) -> set[float]:
        """Return the list prices at which calls of `operation` were counted, US dollars each."""
        calls = self.telemetry.calls if self.telemetry else ()
        return {c.list_usd for c in calls if c.op == operation and c.list_usd is not None and tells_list_price(c)}

    @property
    def parts(self) -> Mapping[str, Any]:
        """The parts of the fingerprint."""
        parts = self.scoring.get("fingerprint_parts")
        return parts if isinstance(parts, Mapping) else {}

    @property
    def arm(self) -> str:
        """Hash of the parts of the fingerprint that do not depend on the ticket."""
        return digest({name: value for name, value in self.parts.items() if name not in PER_TICKET})


def attempts_of(details: Iterable[Mapping[str, Any]]) -> list[Attempt]:
    """Return the attempts of all tickets in order. The host drops empty values, so absent reads as empty."""
    return [
        _attempt(detail, int(number), payload)
        for detail in details
        for number, payload in (detail.get("attempts") or {}).items()
    ]


def _attempt(detail: Mapping[str, Any], number: int, payload: Mapping[str, Any]) -> Attempt:
    meta = payload.get("meta") or {}
    return Attempt(
        ticket=str(detail["task_id"]),
        category=str(detail.get("category") or "__uncategorized__"),
        number=number,
        metrics=payload.get("metrics") or {},
        scoring=(meta.get("benchmark") or {}).get("scoring") or {},
        telemetry=_telemetry((meta.get("harness") or {}).get("telemetry")),
        fatal=tuple(str(i["code"]) for i in payload.get("issues") or () if i.get("severity") == "fatal"),
    )


def _telemetry(raw: Any) -> AttemptTelemetry | None:
    try:
        return telemetry_of(raw)
    except ValueError:
        return None
