"""How model failures are told, what follows from each, and which of them are the fault of a setting."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import (
    blamed,
    failure_of_exception,
    failure_of_status,
    is_named,
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
        (400, error("Model Not Exist", "invalid_request_error"), Fault.NOT_FOUND),
        (400, error("/chat/completions: Invalid model name passed in model=m. Call `/v1/models`"), Fault.NOT_FOUND),
        (400, error("acme/m-1 is not a valid model ID"), Fault.NOT_FOUND),
        (400, error("Invalid model: m", "invalid_model"), Fault.NOT_FOUND),
        (400, error("The provided model identifier is invalid."), Fault.NOT_FOUND),
        (422, error("model 'm:7b' not found"), Fault.NOT_FOUND),
        (400, error("Unsupported parameter: 'top_p' is not supported with this model."), Fault.REFUSED),
        (400, error("this model does not support images"), Fault.REFUSED),
        (400, error("invalid model parameters"), Fault.REFUSED),
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
        (
            400,
            '[{"error": {"code": 400, "message": "input is too long", "status": "INVALID_ARGUMENT"}}]',
            Fault.CONTEXT,
        ),
        (400, error("litellm.ContextWindowExceededError: too long"), Fault.CONTEXT),
        (400, error("input length and `max_tokens` exceed context limit: 9 + 9 > 10"), Fault.CONTEXT),
        (400, error("The input token count (9) exceeds the maximum number of tokens allowed (8)."), Fault.CONTEXT),
        (400, error("Your credit balance is too low to access the Anthropic API."), Fault.QUOTA),
        (400, error("the billing address may not be empty"), Fault.REFUSED),
        (400, error("llama3 does not support tools", "api_error"), Fault.NO_TOOLS),
        (400, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'), Fault.NO_TOOLS),
        (500, error("tools param requires --jinja flag"), Fault.NO_TOOLS),
        (500, error("Unsupported param: tools"), Fault.NO_TOOLS),
        (404, error("No endpoints found that support tool use."), Fault.NO_TOOLS),
        (400, error("UnsupportedParamsError: x does not support parameters: ['tools', 'n']"), Fault.NO_TOOLS),
        (400, error("tool_choice 'none' is not supported"), Fault.REFUSED),
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
        (Fault.NO_TOOLS, "fatal", "model_access_failed"),
        (Fault.PARAMETER, "error", "model_invalid_output"),
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


@pytest.mark.parametrize(
    ("words", "param", "named"),
    [
        ("no", "temperature", True),
        ("no", "thinking.budget_tokens", False),
        ("`temperature` is deprecated for this model.", None, True),
        ("Unsupported value: 'temperature' does not support 0", None, True),
        ("temperature: Extra inputs are not permitted", None, True),
        ("temperature[0] is odd", None, True),
        ("the temperature outside is 20 degrees", None, False),
    ],
)
def test_a_parameter_is_named_by_a_field_by_quotes_or_at_the_start(words: str, param: str | None, named: bool) -> None:
    assert is_named("temperature", ModelFailure(Fault.REFUSED, words, parameter=param)) is named


def test_a_name_that_is_no_word_of_any_language_needs_no_quotes() -> None:
    assert is_named("reasoning_effort", ModelFailure(Fault.REFUSED, "x has no reasoning_effort here"))
    assert not is_named("reasoning_effort", ModelFailure(Fault.REFUSED, "x has no my_reasoning_effort here"))


def test_a_refusal_that_names_a_setting_of_the_request_is_its_fault() -> None:
    body = {"model": "m", "messages": [], "reasoning_effort": "x", "max_tokens": 64000}
    found = blamed(ModelFailure(Fault.REFUSED, "max_tokens: 64000 > 8192", status=400), body)
    assert (found.fault, found.parameter, found.status) == (Fault.PARAMETER, "max_tokens", 400)
    assert str(found).endswith("; check --model-params")
    for failure in (
        ModelFailure(Fault.REFUSED, "messages.0: `model` 'messages' input"),
        ModelFailure(Fault.REFUSED, "top_p is refused, which nobody sent", parameter="top_p"),
        ModelFailure(Fault.CONTEXT, "max_tokens is more than the maximum context length"),
    ):
        assert blamed(failure, body) is failure


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
