"""The model's address, key and parameters."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.model import checked_params, key_to_send, server_url


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://h:1/v1", "http://h:1/v1"),
        ("http://h:1/v1/", "http://h:1/v1"),
        ("http://h:1/v1/chat/completions/", "http://h:1/v1"),
        ("http://h:1/v1/responses", "http://h:1/v1"),
        ("", "https://api.openai.com/v1"),
    ],
)
def test_addresses_are_read_as_they_are_usually_written(given: str, url: str) -> None:
    assert server_url(given) == url


@pytest.mark.parametrize("wrong", ["127.0.0.1:8000/v1", "localhost:8000", "ftp://h/v1", "http://", "http://[x/v1"])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="--model-base-url is no http"):
        server_url(wrong)


def test_the_environments_address_and_key_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.example/v1/")
    monkeypatch.setenv("OPENAI_API_KEY", "env-key")
    assert server_url("") == "https://gateway.example/v1"
    assert key_to_send("", "") == "env-key"
    assert key_to_send("own", "") == "own"
    assert key_to_send("", "http://elsewhere.example/v1") == "not-set"


def test_parameters_are_taken_but_for_nulls() -> None:
    assert checked_params({"temperature": 0, "top_p": None}) == {"temperature": 0}


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
        {"extra_body": "x"},
    ],
)
def test_what_the_harness_decides_and_what_makes_no_sense_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"model parameter '{next(iter(params))}'"):
        checked_params(params)
