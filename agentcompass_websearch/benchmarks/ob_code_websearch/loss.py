"""Tells why an attempt failed, from what is stored of it: the first thing that went wrong on the way to a pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from agentcompass_websearch.benchmarks.ob_code_websearch.measures import reached_vendor
from agentcompass_websearch.records import AttemptTelemetry, Evidence

Reason = Literal[
    "passed",
    "infrastructure",
    "out_of_turns",
    "no_answer",
    "not_compiled",
    "never_searched",
    "not_retrieved",
    "retrieved_unused",
    "not_recovered",
    "uncited",
    "ungrounded",
]
"""In the order in which they are looked for. ``not_recovered`` is a missing needle where nothing could be searched."""

_PLACEHOLDER: Final = re.compile(r"\$?\{[^{}]*\}|<[^<>]+>|(?<=/):\w+")


class Loss(msgspec.Struct, frozen=True):
    """Why an attempt failed, and the needles that say so.

    Attributes:
        reason: the first thing that went wrong.
        searches: searches that brought something back, also an empty list.
        fetches: pages that came back.
        not_retrieved: missing needles that stood in nothing that came back.
        retrieved_unused: missing needles that the model had before its eyes.
        uncited: needles without a source comment.
        ungrounded: needles whose cited page did not come back.
    """

    reason: Reason
    searches: int = 0
    fetches: int = 0
    not_retrieved: tuple[str, ...] = ()
    retrieved_unused: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()
    ungrounded: tuple[str, ...] = ()


def loss_of(scoring: Mapping[str, Any], telemetry: AttemptTelemetry | None, evidence: Evidence, *, fatal: bool) -> Loss:
    """Return why an attempt failed.

    Args:
        scoring: its ``extra.scoring``, where what is empty may be absent. The policy that decided there decides here.
        telemetry: the record of this package's harness, if it was that.
        evidence: what the tools returned.
        fatal: whether it has a FATAL issue.
    """
    if fatal or scoring.get("evaluation_status") != "completed":
        return Loss("infrastructure")
    searches = [search for search in evidence.searches if search.error is None]
    pages = [fetch for fetch in evidence.fetches if fetch.succeeded]
    counted = Loss("passed", len(searches), len(pages))
    verdict = scoring[scoring["judge"]]
    searchable = scoring.get("evidence", "none") != "none"
    if verdict.get("passed") and searchable:
        return counted
    stop = telemetry.stop if telemetry else "answer"
    if stop == "max_turns":
        return replace(counted, reason="out_of_turns")
    if not verdict.get("compiled"):
        return replace(counted, reason="not_compiled" if stop == "answer" else "no_answer")
    missing = tuple(verdict.get("missing") or ())
    if not searchable:
        return replace(counted, reason="not_recovered" if missing else "passed")
    if not (evidence.searches or (telemetry and any(c.op == "search" and reached_vendor(c) for c in telemetry.calls))):
        return replace(counted, reason="never_searched")
    seen = "\n".join(
        [text for search in searches for hit in search.hits for text in (hit.url, hit.title, hit.snippet)]
        + [text for page in pages for text in (page.url, page.final_url or "", page.title, page.content)]
    ).casefold()
    not_retrieved = tuple(needle for needle in missing if not _stands_in(needle, seen))
    needles = {
        "not_retrieved": not_retrieved,
        "retrieved_unused": tuple(needle for needle in missing if needle not in not_retrieved),
        "uncited": tuple(verdict.get("uncited") or ()),
        "ungrounded": tuple(verdict.get("ungrounded") or ()),
    }
    return replace(counted, reason=next(name for name, found in needles.items() if found), **needles)


def _stands_in(needle: str, text: str) -> bool:
    """Whether a case-folded text holds a needle, whatever stands there for the placeholders of a path."""
    parts: Iterable[str] = _PLACEHOLDER.split(needle.casefold().strip("/")) if "/" in needle else (needle.casefold(),)
    return re.search(r"[^/\s]+".join(map(re.escape, parts)), text) is not None
