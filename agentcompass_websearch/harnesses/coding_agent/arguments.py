"""Reads the arguments of a tool call in every form that models and servers give them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from agentcompass_websearch.text import clean

PREVIEW_CHARS: Final = 300
# A server that encodes the arguments once or twice too often is read all the same.
_MAX_DECODINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call: their values, or why there are none.

    `text` is the JSON object that history and trajectory hold: what the model wrote where that is one, so that a
    server's prompt cache still fits, else the values encoded once, else ``{}``, since servers fail on anything else.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = "{}"
    fault: str = ""


def read_arguments(raw: object) -> Arguments:
    """Return the arguments in `raw`: a JSON object as text (encoded up to three times), a mapping, or nothing.

    Never raises: what is not a JSON object has a `fault`, written for the model.
    """
    try:
        return _read(raw)
    except RecursionError:
        return Arguments(fault="the arguments are nested too deeply")


def _read(raw: object) -> Arguments:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return Arguments()
    value: Any = raw
    decodings = 0
    while isinstance(value, str) and decodings < _MAX_DECODINGS:
        try:
            value = _decode(value)
        except ValueError:
            # Text that was decoded once is a JSON string, only not an object.
            if decodings:
                break
            return Arguments(fault=f"the arguments are not valid JSON: {_preview(value)}")
        decodings += 1
    if not isinstance(value, Mapping):
        return Arguments(fault=f"the arguments must be a JSON object, not {_name_of(value)}: {_preview(raw)}")
    values = _cleaned(value)
    if isinstance(raw, str) and decodings == 1 and values == value and _is_strict(raw):
        return Arguments(values, raw)
    return Arguments(values, json.dumps(values, ensure_ascii=False))


def cut_off() -> Arguments:
    """Return the arguments of a call that must not run, because the output limit cut the response it stands in."""
    return Arguments(fault="the response was cut off at the output limit, so no call of it was run; make it shorter")


def _decode(text: str) -> Any:
    return json.loads(text, strict=False, parse_constant=_no_constant)


def _is_strict(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(k)): _cleaned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_cleaned(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _name_of(value: object) -> str:
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "a boolean"
    return "null" if value is None else "a number"


def _preview(raw: object) -> str:
    text = raw if isinstance(raw, str) else json.dumps(raw, default=str)
    return clean(text[:PREVIEW_CHARS]) + ("..." if len(text) > PREVIEW_CHARS else "")
