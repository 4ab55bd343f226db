"""Keeps the host's log from showing a traceback where the news is the user's own mistake."""

from __future__ import annotations

import logging
from typing import Final

from agentcompass_websearch.errors import UsageError

_HOST_LOGGER: Final = "agentcompass.runtime.orchestration"


def _without_traceback(record: logging.LogRecord) -> bool:
    """Leave the traceback of a `UsageError` out: its message follows in one ``Error:`` line, which is all there is."""
    if record.exc_info and isinstance(record.exc_info[1], UsageError):
        record.exc_info = None
    return True


def leave_out_tracebacks() -> None:
    """Let the host log a `UsageError` without its traceback; calling it again changes nothing."""
    logging.getLogger(_HOST_LOGGER).addFilter(_without_traceback)
