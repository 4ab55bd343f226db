"""A ticket as its source has it: read, but not yet checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.record import Record
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Limits, NeedlesOrigin


@dataclass(frozen=True, slots=True)
class Draft:
    """One ticket that a source has read. `words` are the texts of its needles, `kinds` what the source says of them.

    Faults that show later are put on `record`, which knows the place in the source.
    """

    record: Record
    id: str
    category: str
    text: str
    starter: str
    gold: str
    outfile: str
    words: tuple[str, ...]
    origin: NeedlesOrigin
    cite_urls: bool = True
    limits: Limits = field(default_factory=Limits)
    holds_starter: bool = False
    kinds: dict[str, Any] = field(default_factory=dict)


def needles_of(record: Record) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the texts of a record's needles, ``required`` and then ``query_forbidden``, each once, and their kinds.

    ``kinds`` is an object (needle -> kind), or a list as long as the two lists together; it may leave out needles.
    """
    words = (*record.words("required"), *record.words("query_forbidden"))
    kinds = record.values_for("kinds", words)
    if kinds and not words:
        record.fault("has kinds, but no needles in required or query_forbidden")
    return tuple(dict.fromkeys(words)), kinds


def limits(record: Record) -> Limits:
    """Return the budgets that a record sets."""
    return Limits(record.count("max_turns", 1), record.count("max_searches", 0), record.count("max_fetches", 0))
