"""The errors that this package raises for a person to read.

Each message says what was wrong, where, and what to do; none holds a secret. The command line prints the message after
``Error:`` and leaves with `exit_code`, without a traceback.
"""

from __future__ import annotations

from typing import ClassVar


class WebSearchError(Exception):
    """Root of all errors that a user may see."""

    exit_code: ClassVar[int] = 1


class UsageError(WebSearchError, ValueError):
    """The user's input is wrong: a name, a parameter, a file. Exit code 2.

    It is a ValueError too, since that is what the host turns into one ``Error:`` line and exit code 2.
    """

    exit_code: ClassVar[int] = 2
