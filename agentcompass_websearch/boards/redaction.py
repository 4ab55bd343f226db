"""Keeps secrets out of everything that a board writes: by the names of fields, and by the values in the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.text import Redactor

_SECRET_NAME: Final = re.compile(
    r"(^|_)(api_?key|key|secret|token|jwt|password|authorization|auth|cookie|credentials|headers)$", re.IGNORECASE
)


def without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested settings without the fields that bear a secret's name."""
    return {
        name: without_secrets(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if not _SECRET_NAME.search(name.replace("-", "_"))
    }


def environment_redactor() -> Redactor:
    """Return what removes the values of all environment variables that bear a secret's name."""
    return Redactor(value for name, value in os.environ.items() if _SECRET_NAME.search(name))
