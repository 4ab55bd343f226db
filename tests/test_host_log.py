"""What the host logs of the user's mistakes."""

from __future__ import annotations

import logging

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.host_log import leave_out_tracebacks


@pytest.mark.parametrize(("error", "shown"), [(UsageError("no such vendor"), False), (ValueError("a bug"), True)])
def test_a_users_mistake_is_logged_without_a_traceback_and_all_else_with_one(
    error: Exception, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_tracebacks()
    leave_out_tracebacks()
    logger = logging.getLogger("agentcompass.runtime.orchestration")
    seen: list[logging.LogRecord] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", seen.append)
    logger.addHandler(handler)
    try:
        raise error
    except ValueError:
        logger.exception("request failed")
    finally:
        logger.removeHandler(handler)
    (record,) = seen
    assert (record.getMessage(), bool(record.exc_info)) == ("request failed", shown)
