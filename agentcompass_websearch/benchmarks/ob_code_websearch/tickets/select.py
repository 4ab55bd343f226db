"""Chooses some of the tickets: by id, or by the vendor whose documentation they need."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.errors import UsageError


def names_of(value: Any, parameter: str) -> list[str] | None:
    """Return the names that a parameter lists: one text, a comma-separated text, or a list of texts; null is None.

    Raises:
        UsageError: it is empty, or holds something that is not text (YAML turns unquoted names into dates, numbers and
            booleans).
    """
    if value is None:
        return None
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise UsageError(f"{parameter} is {value!r}, but must be text or a list of texts: quote it")
    for item in items:
        if not isinstance(item, str):
            raise UsageError(f"{parameter} holds {item!s}, which is not text: quote it")
    names = list(dict.fromkeys(name for item in items if (name := item.strip())))
    if not names:
        raise UsageError(f"{parameter} is empty; leave it out to take all tickets")
    return names


def by_vendor(tickets: Sequence[Ticket], vendors: Iterable[str] | None) -> tuple[Ticket, ...]:
    """Return the tickets of these docs vendors (case ignored), all of them if `vendors` is None.

    Raises:
        UsageError: no ticket is of one of them.
    """
    if vendors is None:
        return tuple(tickets)
    known = {ticket.category.casefold(): ticket.category for ticket in tickets}
    wanted = {vendor.casefold() for vendor in vendors}
    check_known("docs_vendor", sorted(wanted - set(known)), sorted(known.values()))
    return tuple(ticket for ticket in tickets if ticket.category.casefold() in wanted)


def check_known(parameter: str, unknown: Sequence[str], known: Sequence[str]) -> None:
    """Raise a `UsageError` that lists what is `unknown`, with the nearest of the `known` names."""
    if not unknown:
        return
    near = dict.fromkeys(match for name in unknown for match in difflib.get_close_matches(name, known, 3))
    hint = f"did you mean {', '.join(near)}?" if near else f"known are: {', '.join(known[:20])}"
    more = f", ... ({len(known)} in all)" if not near and len(known) > 20 else ""
    raise UsageError(f"unknown {parameter}: {', '.join(unknown)}; {hint}{more}")
