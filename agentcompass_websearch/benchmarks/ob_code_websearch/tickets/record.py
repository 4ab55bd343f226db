"""Typed access to one row or catalog item; whatever is wrong with a field goes on the list of problems."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from types import UnionType
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.text import clean

_TRUE_FALSE: Final = {"true": True, "false": False}


class Record:
    """One ticket's fields as the source has them.

    Attributes:
        where: file and line, row or item.
        id: the ticket's id, or None if it has none that can be used.
        faults: how many problems this record has added.

    Args:
        yaml: the values were typed by YAML, which turns unquoted ids into dates, numbers, booleans and null.
    """

    def __init__(self, data: Any, where: str, problems: Problems, *, id_fields: tuple[str, ...], yaml: bool) -> None:
        self.where = where
        self.faults = 0
        self.id: str | None = None
        self._problems = problems
        self._yaml = yaml
        self._data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        if not isinstance(data, Mapping):
            self.fault(f"is {_kind(data)}, not an object with named fields")
        else:
            self.id = self._identifier(id_fields)

    def fault(self, message: str) -> None:
        """Note that something is wrong with this record."""
        self.faults += 1
        self._problems.add(self.where, self.id, message)

    def text(self, name: str, *, required: bool = False) -> str:
        """Return a text field, cleaned, with ``\\n`` line ends; empty if it is absent."""
        value = self._data.get(name)
        if isinstance(value, str):
            text = clean(value.replace("\r\n", "\n"))
        else:
            text = ""
            if value is not None:
                self._mistyped(name, value, "text")
                return ""
        if required and not text.strip():
            self.fault(f"has no {name}")
        return text

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; one text is a list of one, JSON text of a list is that list, null is none."""
        value = self._data.get(name)
        if isinstance(value, str):
            value = _decoded(value, list)
            value = [value] if isinstance(value, str) else value
        if value is None or value == "":
            return ()
        if not isinstance(value, list | tuple):
            self._mistyped(name, value, "a list of texts")
            return ()
        for item in value:
            if not isinstance(item, str):
                self._mistyped(name, item, "a list of texts", part="holds")
        return tuple(clean(item) for item in value if isinstance(item, str) and item)

    def values_for(self, name: str, keys: Sequence[str]) -> dict[str, Any]:
        """Return a field that gives values to some of `keys`: an object, or a list as long as `keys` (or JSON text)."""
        value = self._data.get(name)
        if isinstance(value, str):
            value = _decoded(value, list | dict)
        if value is None or value == "":
            return {}
        if isinstance(value, list | tuple):
            if len(value) != len(keys):
                self.fault(f"{name} has {len(value)} items for {len(keys)} needles")
                return {}
            value = {key: item for key, item in zip(keys, value, strict=True) if item is not None}
        if not isinstance(value, Mapping):
            self._mistyped(name, value, "an object or a list")
            return {}
        return {str(key): item for key, item in value.items() if item is not None}

    def flag(self, name: str, default: bool) -> bool:
        """Return a field that is true or false."""
        value = self._data.get(name)
        if isinstance(value, str):
            value = _TRUE_FALSE.get(value.strip().lower(), value)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._mistyped(name, value, "true or false")
            return default
        return value

    def count(self, name: str, least: int) -> int | None:
        """Return a whole number of at least `least`, or None if the field is absent or null."""
        value = self._data.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self._mistyped(name, value, "a whole number")
            return None
        if value < least:
            self.fault(f"{name} is {value}, less than {least}")
            return None
        return value

    def _identifier(self, fields: tuple[str, ...]) -> str | None:
        name = next((field for field in fields if field in self._data), None)
        if name is None:
            self.fault(f"has no {' or '.join(fields)}")
            return None
        value = self._data[name]
        if isinstance(value, int) and not isinstance(value, bool) and not self._yaml:
            return str(value)
        if value == "":
            self.fault(f"{name} is empty")
            return None
        if not isinstance(value, str):
            self._mistyped(name, value, "text")
            return None
        return value

    def _mistyped(self, name: str, value: Any, wanted: str, *, part: str = "is") -> None:
        shown = f"{value!s:.60}" if isinstance(value, date | bool | int | float) else ""
        unquoted = self._yaml and not isinstance(value, str | list | dict)
        hint = " (YAML read it so: quote it)" if unquoted else ""
        self.fault(f"{name} {part} {_kind(value)}{f' {shown}' if shown else ''}{hint}, but must be {wanted}")


def _decoded(text: str, kind: type | UnionType) -> Any:
    """Return the JSON value in `text` if it is of `kind`, else `text` itself."""
    if not text.lstrip().startswith(("[", "{")):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kind) else text


def _kind(value: Any) -> str:
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return "a date" if isinstance(value, date) else names.get(type(value), f"of type {type(value).__name__}")
