"""The table of model failures: what each is, and what follows from it."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import (
    failure_of_exception,
    failure_of_status,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import RULES, Fault, ModelFailure


def same(text: str) -> str:
    return text


def error(message: str = "", code: str | None = None, param: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "code": code, "param": param}})


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (401, error("bad key"), Fault.AUTH),
        (403, error("not allowed"), Fault.AUTH),
        (402, error("pay"), Fault.QUOTA),
        (429, error("slow down", "rate_limit_exceeded"), Fault.RATE_LIMIT),
        (429, error("You exceeded your current quota", "insufficient_quota"), Fault.QUOTA),
        (404, error("no such model", "model_not_found"), Fault.NOT_FOUND),
        (404, "<h1>Not Found</h1>", Fault.NOT_FOUND),
        (405, "", Fault.NOT_FOUND),
        (400, error("what?"), Fault.REFUSED),
        (422, '{"detail": [{"msg": "field required"}]}', Fault.REFUSED),
        (400, error("too long", "context_length_exceeded"), Fault.CONTEXT),
        (400, error("This model's maximum context length is 8192 tokens"), Fault.CONTEXT),
        (413, error("prompt is too long"), Fault.CONTEXT),
        (500, error("the request exceeds the available context size"), Fault.CONTEXT),
        (413, "too large", Fault.REFUSED),
        (408, "", Fault.SERVER),
        (500, "", Fault.SERVER),
        (502, "<h1>bad gateway</h1>", Fault.SERVER),
        (503, error("loading model"), Fault.SERVER),
        (529, error("overloaded"), Fault.SERVER),
        (304, "", Fault.NOT_JSON),
    ],
)
def test_a_status_is_told_by_its_number_and_its_words(status: int, body: str, fault: Fault) -> None:
    failure = failure_of_status(status, body, same)
    assert failure.fault is fault
    assert f"HTTP {status}" in str(failure)


def test_every_fault_has_a_rule() -> None:
    assert set(RULES) == set(Fault)


@pytest.mark.parametrize(
    ("fault", "severity", "code"),
    [
        (Fault.AUTH, "fatal", "model_access_failed"),
        (Fault.QUOTA, "fatal", "model_access_failed"),
        (Fault.RATE_LIMIT, "fatal", "model_request_failed"),
        (Fault.SERVER, "fatal", "model_request_failed"),
        (Fault.NO_CONNECTION, "fatal", "model_request_failed"),
        (Fault.TIMEOUT, "error", "model_timeout"),
        (Fault.REFUSED, "error", "model_invalid_output"),
        (Fault.CONTEXT, "error", "model_invalid_output"),
    ],
)
def test_the_host_gets_severity_and_code(fault: Fault, severity: str, code: str) -> None:
    failure = ModelFailure(fault, "x")
    assert (failure.severity, failure.code) == (severity, code)


def test_a_refused_parameter_is_named() -> None:
    failure = failure_of_status(400, error("Unsupported value", "unsupported_value", "temperature"), same)
    assert str(failure) == "model server (HTTP 400): parameter 'temperature' refused: Unsupported value"


def test_the_servers_words_are_short_one_line_and_tidied() -> None:
    failure = failure_of_status(
        500, "<p>\n\nbad   canary " + "x" * 5000 + "</p>", lambda text: text.replace("canary", "***")
    )
    assert "bad ***" in str(failure)
    assert "\n" not in str(failure)
    assert len(str(failure)) < 400
    assert "<p>" not in str(failure)


REQUEST = httpx.Request("POST", "http://127.0.0.1:1/v1")


def wrapped(outer: Exception, inner: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("outer", "inner", "fault"),
    [
        (openai.APITimeoutError(REQUEST), httpx.ReadTimeout("slow"), Fault.TIMEOUT),  # type: ignore[arg-type]
        (openai.APITimeoutError(REQUEST), httpx.ConnectTimeout("cold"), Fault.TIMEOUT),  # type: ignore[arg-type]
        (openai.APIConnectionError(request=REQUEST), httpx.ConnectError("refused"), Fault.NO_CONNECTION),  # type: ignore[arg-type]
        (openai.APIConnectionError(request=REQUEST), httpx.ReadError("reset"), Fault.BROKEN),  # type: ignore[arg-type]
        (openai.APIConnectionError(request=REQUEST), httpx.RemoteProtocolError("cut"), Fault.BROKEN),  # type: ignore[arg-type]
    ],
)
def test_an_exception_is_told_by_what_caused_it(outer: Exception, inner: Exception, fault: Fault) -> None:
    assert failure_of_exception(wrapped(outer, inner), same).fault is fault
