"""Strict checks of the harness parameters: a wrong value is refused with its name, what it is, what is allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentcompass_websearch.errors import UsageError, nearest_name
from agentcompass_websearch.harnesses.coding_agent.limits import UNLIMITED
from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH

_WIRE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOOLS: Final = (WEB_SEARCH, WEB_FETCH)


def nearest(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?``, or nothing if no known name is near."""
    near = nearest_name(name, known)
    return f" Did you mean {near!r}?" if near else ""


def known_names(value: object, known: Iterable[str], where: str) -> dict[str, Any]:
    """Return the mapping `value` without its null values.

    Raises:
        UsageError: it is no mapping, or has a name that is not known.
    """
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} must be a mapping, not {value!r}")
    names = tuple(known)
    for name in value:
        if name not in names:
            raise UsageError(f"{where} has no {name!r}.{nearest(name, names)} Known: {', '.join(names)}")
    return {name: item for name, item in value.items() if item is not None}


def whole_number(value: object, where: str, *, least: int = 0, unlimited: bool = False) -> None:
    """Check a count: a whole number of `least` or more, or ``"unlimited"`` where that is allowed."""
    if unlimited and value == UNLIMITED:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        also = f', "{UNLIMITED}"' if unlimited else ""
        raise UsageError(
            f"{where} is {value!r}; allowed: a whole number of {least} or more{also}, null for the default"
        )


def amount(value: object, where: str, *, above_zero: bool = False) -> None:
    """Check a number of 0 or more, or more than 0."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0 or (above_zero and value == 0):  # type: ignore[operator]
        least = "more than 0" if above_zero else "0 or more"
        raise UsageError(f"{where} is {value!r}; allowed: a number, {least}")


def prices(value: object, known: Iterable[str], where: str, *, needed: Iterable[str] = ()) -> dict[str, float]:
    """Return checked prices by name, in US dollars; 0 is free."""
    given = known_names(value, known, where)
    for name, price in given.items():
        amount(price, f"{where}.{name}")
    missing = [name for name in needed if name not in given]
    if missing:
        raise UsageError(f"{where} needs {' and '.join(missing)}")
    return given


def tool_list(value: object) -> tuple[str, ...]:
    """Return checked tools, in their usual order.

    Raises:
        UsageError: not a list, an unknown name, a name twice, or ``web_fetch`` without ``web_search``.
    """
    example = f'"tools": ["{WEB_SEARCH}"] or ["{WEB_SEARCH}", "{WEB_FETCH}"]'
    if not isinstance(value, list | tuple):
        raise UsageError(f"tools must be a list, not {value!r}: {example}")
    for name in value:
        if name not in _TOOLS:
            raise UsageError(f"tools has no {name!r}.{nearest(name, _TOOLS)} Known: {', '.join(_TOOLS)}")
    if len(set(value)) != len(value):
        raise UsageError(f"tools names a tool twice: {list(value)}")
    if not value:
        raise UsageError(f'tools is empty: give {example}, or "vendor": "none" to run without search')
    if WEB_SEARCH not in value:
        raise UsageError(f"tools has {WEB_FETCH} without {WEB_SEARCH}: a page is found by searching")
    return tuple(name for name in _TOOLS if name in value)


def wire_names(value: object) -> dict[str, str]:
    """Return checked names of tools on the wire, by tool."""
    names = known_names(value, _TOOLS, "tool_names")
    for tool, name in names.items():
        if not isinstance(name, str) or not _WIRE_NAME.fullmatch(name):
            raise UsageError(f"tool_names.{tool} is {name!r}; allowed: up to 64 letters, digits, _ and -")
    shown = [names.get(tool, tool) for tool in _TOOLS]
    if len(set(shown)) != len(shown):
        raise UsageError(f"tool_names gives two tools one name: {shown[0]!r}")
    return names


def choice(value: object, where: str, known: tuple[str, ...]) -> None:
    """Check that `value` is one of the known words."""
    if value not in known:
        raise UsageError(f"{where} is {value!r}; allowed: {', '.join(known)}.{nearest(value, known)}")
