"""Keeps secrets out of everything that a board writes: by the names of fields, and by the values in the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from agentcompass_websearch.text import Redactor

_SECRET_NAME: Final = re.compile(
    r"(^|_)(api_?key|key|secret|token|jwt|password|passwd|passphrase|bearer|authorization|auth|cookie|credentials|headers)$",
    re.IGNORECASE,
)
_IN_ONE_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a new word begins in camel case."""
_WHO_ASKS: Final = re.compile(r"(?<=://)[^/?#\s]*@")
"""Name and password in an address."""
_IN_QUERY: Final = re.compile(r"(?<=[?&;])([^=?&;#\s]+)=([^&;#\s]+)")
"""Name and value in the query of an address."""


def without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested settings without fields that bear a secret's name, and without passwords and keys in addresses."""
    return {name: _without_secrets(value) for name, value in values.items() if not _is_secret(name)}


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(_IN_ONE_WORD.sub("_", name).replace("-", "_")) is not None


def _without_secrets(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple):
        return [_without_secrets(item) for item in value]
    if isinstance(value, str):
        return _IN_QUERY.sub(
            lambda found: f"{found[1]}=********" if _is_secret(found[1]) else found[0], _WHO_ASKS.sub("", value)
        )
    return value


def public_plan(run_info: bytes) -> bytes:
    """Return a ``run_info.json`` without secrets; one that is no JSON object as it is: nothing is read from it."""
    try:
        plan = msgspec.json.decode(run_info, type=dict[str, Any])
    except ValueError:
        return run_info
    return msgspec.json.format(msgspec.json.encode(without_secrets(plan)), indent=2)


def environment_redactor() -> Redactor:
    """Return what removes the values of all environment variables that bear a secret's name."""
    return Redactor(value for name, value in os.environ.items() if _SECRET_NAME.search(name))
