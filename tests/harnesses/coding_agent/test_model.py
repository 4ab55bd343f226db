"""The model's address, key and parameters."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.model import checked_params, key_to_send, server_url

CHAT, RESPONSES, ANTHROPIC = "openai-chat", "openai-responses", "anthropic"


@pytest.mark.parametrize(
    ("protocol", "given", "url"),
    [
        (CHAT, "http://h:1/v1", "http://h:1/v1"),
        (CHAT, "http://h:1/v1/", "http://h:1/v1"),
        (CHAT, "http://h:1/v1/chat/completions/", "http://h:1/v1"),
        (CHAT, "http://h:1", "http://h:1"),
        (CHAT, "", "https://api.openai.com/v1"),
        (RESPONSES, "http://h:1/v1/responses", "http://h:1/v1"),
        (RESPONSES, "", "https://api.openai.com/v1"),
        (ANTHROPIC, "http://h:1", "http://h:1"),
        (ANTHROPIC, "http://h:1/", "http://h:1"),
        (ANTHROPIC, "http://h:1/v1", "http://h:1"),
        (ANTHROPIC, "http://h:1/v1/", "http://h:1"),
        (ANTHROPIC, "http://h:1/gateway/v1/messages/", "http://h:1/gateway"),
        (ANTHROPIC, "", "https://api.anthropic.com"),
    ],
)
def test_addresses_are_read_as_they_are_usually_written(protocol: str, given: str, url: str) -> None:
    assert server_url(given, protocol) == url


@pytest.mark.parametrize(
    "wrong",
    [
        "127.0.0.1:8000/v1",
        "localhost:8000",
        "ftp://h/v1",
        "http://",
        "http://[x/v1",
        "http://h:port/v1",
        "http://h:99999",
        "http://my host/v1",
    ],
)
@pytest.mark.parametrize("protocol", [CHAT, ANTHROPIC])
def test_what_is_no_address_is_refused(wrong: str, protocol: str) -> None:
    with pytest.raises(UsageError, match="--model-base-url is no http"):
        server_url(wrong, protocol)


@pytest.mark.parametrize("wrong", ["http://h/v1?key=s3cret-key", "https://h/v1/?api-version=1", "http://h/v1#s3cret"])
@pytest.mark.parametrize("protocol", [CHAT, ANTHROPIC])
def test_an_address_after_which_no_path_can_stand_is_refused(wrong: str, protocol: str) -> None:
    with pytest.raises(UsageError, match=r"--model-base-url has a query or fragment.*extra_query") as refused:
        server_url(wrong, protocol)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("protocol", "variables"),
    [
        (CHAT, ("OPENAI_BASE_URL", "OPENAI_API_KEY")),
        (RESPONSES, ("OPENAI_BASE_URL", "OPENAI_API_KEY")),
        (ANTHROPIC, ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")),
        (ANTHROPIC, ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN")),
    ],
)
def test_the_environments_address_and_key_go_together(
    protocol: str, variables: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variables[0], "https://gateway.example/")
    monkeypatch.setenv(variables[1], "env-key")
    other = ANTHROPIC if protocol != ANTHROPIC else CHAT
    assert server_url("", protocol) == "https://gateway.example"
    assert key_to_send("", "", protocol) == "env-key"
    assert key_to_send("own", "", protocol) == "own"
    assert key_to_send("", "http://elsewhere.example/v1", protocol) == "not-set"
    assert key_to_send("", "", other) == "not-set"


def test_white_space_around_a_key_is_not_sent() -> None:
    assert key_to_send(" key\n", "http://127.0.0.1:1", CHAT) == "key"
    assert key_to_send("\n", "http://127.0.0.1:1", CHAT) == "not-set"


@pytest.mark.parametrize("key", ["se\ncret", "secr\u00e9t", "\u201csecret\u201d"])
def test_a_key_that_no_request_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(UsageError, match="the model's API key") as refused:
        key_to_send(key, "http://127.0.0.1:1", CHAT)
    assert "cret" not in str(refused.value)


def test_parameters_are_taken_but_for_nulls() -> None:
    assert checked_params({"temperature": 0, "top_p": None}) == {"temperature": 0}


@pytest.mark.parametrize("params", [{"max_tokens": -1}, {"max_tokens": 5, "extra_body": {"max_output_tokens": 5}}])
def test_an_output_limit_is_any_whole_number_and_may_be_repeated(params: dict[str, Any]) -> None:
    assert checked_params(params) == params


@pytest.mark.parametrize(
    "params",
    [
        {"stream": True},
        {"tools": []},
        {"tool_choice": "auto"},
        {"messages": []},
        {"n": 2},
        {"timeout": 0},
        {"timeout": "60"},
        {"timeout": True},
        {"max_tokens": "many"},
        {"max_output_tokens": "4000"},
        {"max_completion_tokens": 4000.0},
        {"max_tokens": True},
        {"max_output_tokens": 7, "max_tokens": 5},
        {"max_completion_tokens": 7, "extra_body": {"max_tokens": 5}},
        {"extra_body": "x"},
        {"extra_headers": {"X-Team": 5}},
        {"extra_headers": {"X-Team": "a\nb"}},
        {"extra_headers": {"X-Team": "\u00e9"}},
        {"extra_headers": {"": "x"}},
        {"temperature": float("nan")},
        {"extra_body": {"bias": [float("inf")]}},
        {"user": "\ud800"},
        {"seed": {1, 2}},
        {"input": []},
        {"previous_response_id": "resp_1"},
        {"system": "x"},
    ],
)
def test_what_the_harness_decides_and_what_makes_no_sense_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"model parameter '{next(iter(params))}'"):
        checked_params(params)


def test_what_the_harness_decides_cannot_come_by_another_door() -> None:
    with pytest.raises(UsageError, match="model parameter 'stream'"):
        checked_params({"extra_body": {"stream": True}})
