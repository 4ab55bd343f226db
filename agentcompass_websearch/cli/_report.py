"""Turns a missing extra into one line that says how to install it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentcompass_websearch.errors import UsageError


@contextmanager
def needs_report() -> Iterator[None]:
    """Import what the extra ``report`` brings inside this context.

    Raises:
        UsageError: a part of it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("agentcompass_websearch"):
            raise
        raise UsageError(
            f"boards need {error.name}, which is not installed. Try: pip install 'agentcompass-websearch[report]'"
        ) from error
