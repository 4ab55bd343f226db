"""Paths that a person names in parameters."""

from __future__ import annotations

from pathlib import Path

from agentcompass_websearch.errors import UsageError


def named_path(text: str | Path, where: str) -> Path:
    """Return the path that `text` names, with ``~`` as the home folder.

    Args:
        text: what was given.
        where: the parameter, for the message.

    Raises:
        UsageError: there is no such user, or no path can be so.
    """
    if "\0" in str(text):
        raise UsageError(f"{where}: {str(text)!r} is no path")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{where}: {text} names a home folder that is not known") from error
