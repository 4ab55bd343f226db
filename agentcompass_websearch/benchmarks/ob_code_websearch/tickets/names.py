"""Which names of a dataset are safe to use as file names, on every platform."""

from __future__ import annotations

import re
from typing import Final

MAX_NAME_CHARS: Final = 100

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
_DEVICES: Final = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))})


def name_fault(name: str) -> str | None:
    """Return why `name` cannot be one file name everywhere, or None if it can."""
    if len(name) > MAX_NAME_CHARS:
        return f"is longer than {MAX_NAME_CHARS} characters"
    if not _NAME.match(name):
        return "may hold only letters A-Z, digits, '.', '_' and '-', and begins with a letter, a digit or '_'"
    if name.endswith("."):
        return "ends in a dot"
    if name.partition(".")[0].lower() in _DEVICES:
        return "is the name of a device on Windows"
    return None


def outfile_fault(path: str) -> str | None:
    """Return why `path` cannot be a submission's file, or None: a relative path of safe names that ends in ``.py``."""
    if not path.endswith(".py"):
        return "does not end in .py"
    if len(path) > MAX_NAME_CHARS:
        return f"is longer than {MAX_NAME_CHARS} characters"
    return next((fault for name in path.split("/") if (fault := name_fault(name))), None)
