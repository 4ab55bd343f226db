"""Checks of the values in ``vendor_options``, shared by the vendors; a wrong one is a `UsageError`.

An option that is absent is right; null never arrives (see `agentcompass_websearch.tools.opening`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from agentcompass_websearch.errors import UsageError


def whole_number(options: Mapping[str, Any], name: str, family: str, *, least: int, unit: str) -> None:
    """Check that an option is a whole number of `unit`, `least` or more.

    Raises:
        UsageError: it is something else.
    """
    value = options.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _wrong(name, family, f"a whole number of {unit}, {least} or more", value)


def flag(options: Mapping[str, Any], name: str, family: str) -> None:
    """Check that an option is true or false.

    Raises:
        UsageError: it is something else.
    """
    value = options.get(name, False)
    if not isinstance(value, bool):
        raise _wrong(name, family, "true or false", value)


def text(options: Mapping[str, Any], name: str, family: str) -> None:
    """Check that an option is text that is not blank.

    Raises:
        UsageError: it is something else.
    """
    value = options.get(name, "text")
    if not isinstance(value, str) or not value.strip():
        raise _wrong(name, family, "text", value)


def one_of(options: Mapping[str, Any], name: str, family: str, known: Collection[str]) -> None:
    """Check that an option is one of `known`.

    Raises:
        UsageError: it is something else.
    """
    value = options.get(name)
    if value is not None and (not isinstance(value, str) or value not in known):
        raise _wrong(name, family, f"one of {', '.join(known)}", value)


def domains(options: Mapping[str, Any], name: str, family: str, *, most: int | None = None) -> None:
    """Check that an option is a list of domains, of no more than `most` where the vendor takes no more.

    Raises:
        UsageError: it is something else.
    """
    value = options.get(name, [])
    if not isinstance(value, list) or not all(isinstance(domain, str) and domain.strip() for domain in value):
        raise _wrong(name, family, "a list of domains, such as [docs.acme.example]", value)
    if most is not None and len(value) > most:
        raise UsageError(f"vendor_options.{name} of {family}: at most {most} domains, not {len(value)}")


def _wrong(name: str, family: str, right: str, value: object) -> UsageError:
    return UsageError(f"vendor_options.{name} of {family} must be {right}, not {value!r:.60}")
