"""The fingerprint of an attempt: everything that decides its result, and nothing else.

Two attempts may be compared or averaged only if their fingerprints agree. What merely says where things came from or
how fast they ran (dataset source and revision, base URLs, k, concurrency, paths) is no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentcompass_websearch import __version__
from agentcompass_websearch.records import AttemptTelemetry

PER_TICKET: Final = ("ticket", "limits")
"""Parts that may differ between the tickets of one run, but not between the attempts at one ticket."""

_NO_PART_ENDINGS: Final = (
    *("base_url", "_path", "_dir", "_folder", "concurrency", "_per_s", "api_key"),
    *("extra_headers", "extra_query"),  # how a gateway is passed, often with a secret
)


def digest(value: Any) -> str:
    """Return the SHA-256 of `value` as canonical JSON (sorted keys, no spaces, UTF-8), in hexadecimal."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "backslashreplace")).hexdigest()


def parts_of(
    *,
    ticket: str,
    prompts: str,
    judge: Mapping[str, Any],
    model: Mapping[str, Any],
    harness: Mapping[str, Any],
    telemetry: AttemptTelemetry | None,
) -> dict[str, Any]:
    """Return the parts of a fingerprint by name, readable so that two of them can be shown side by side.

    Args:
        ticket: hash of the ticket.
        prompts: hash of the prompts.
        judge: deciding policy and version of the judge's rules.
        model: id and parameters of the model, and the wire protocol that it was asked over.
        harness: id of the harness, and parameters of one that writes no `telemetry` of ours.
        telemetry: tools, limits and vendor (with its options, caps and pages) of an attempt by our harness.
    """
    parts: dict[str, Any] = {
        "package": __version__,
        "ticket": ticket,
        "prompts": prompts,
        "judge": judge,
        "model": model,
        "harness": harness,
    }
    if telemetry is not None:
        parts |= {"tools": telemetry.tools, "limits": telemetry.limits, "vendor": telemetry.vendor}
    deciding: dict[str, Any] = _deciding(parts)
    return deciding


def differing(attempts: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Return the names of the parts in which attempts ``(ticket id, parts)`` of one run disagree, sorted."""
    attempts = list(attempts)
    mixed = set()
    for name in {name for _, parts in attempts for name in parts}:
        values: dict[str, set[str]] = {}
        for ticket_id, parts in attempts:
            values.setdefault(ticket_id if name in PER_TICKET else "", set()).add(_canonical(parts.get(name)))
        if any(len(found) > 1 for found in values.values()):
            mixed.add(name)
    return sorted(mixed)


def _deciding(value: Any) -> Any:
    """Return `value` without what decides no result, at any depth: base URLs, paths, rates, keys, and what is empty.

    The host drops empty values from what it stores; so a fingerprint is the same before and after storing.
    """
    if isinstance(value, Mapping):
        kept = {str(k): _deciding(v) for k, v in value.items() if not str(k).lower().endswith(_NO_PART_ENDINGS)}
        return {k: v for k, v in kept.items() if v not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        return [_deciding(item) for item in value]
    return value


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
