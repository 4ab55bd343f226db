"""References to environment variables in parameters: ``${NAME}`` as a whole value.

The host replaces them in its configuration files, but not in parameters on the command line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.errors import UsageError

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def variable_in(value: object) -> str | None:
    """Return the name of the environment variable that `value` stands for; None if it is no reference."""
    match = _REFERENCE.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1] if match else None


def expanded(value: Any, where: str = "") -> Any:
    """Return `value` with each reference in it, at any depth, replaced by that environment variable.

    Args:
        value: a parameter, or a mapping of parameters.
        where: its name, for the message.

    Raises:
        UsageError: the variable is not set.
    """
    if isinstance(value, Mapping):
        return {name: expanded(item, f"{where}.{name}" if where else str(name)) for name, item in value.items()}
    if isinstance(value, list):
        return [expanded(item, where) for item in value]
    name = variable_in(value)
    if name is None:
        return value
    if name not in os.environ:
        raise UsageError(f"{where} names the environment variable {name}, which is not set")
    return os.environ[name]
