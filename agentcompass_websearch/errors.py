"""The errors that this package raises for a person to read.

Each message says what was wrong, where, and what to do; none holds a secret. The command line prints the message after
``Error:`` and leaves with `exit_code`, without a traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class WebSearchError(Exception):
    """Root of all errors that a user may see."""

    exit_code: ClassVar[int] = 1


class UsageError(WebSearchError, ValueError):
    """The user's input is wrong: a name, a parameter, a file. Exit code 2.

    It is a ValueError too, since that is what the host turns into one ``Error:`` line and exit code 2.
    """

    exit_code: ClassVar[int] = 2


def nearest_name(name: object, known: Iterable[str]) -> str | None:
    """Return the one of the `known` names that the user most likely meant by `name`; None if none is near."""
    return next(iter(difflib.get_close_matches(str(name), list(known), n=1)), None)
