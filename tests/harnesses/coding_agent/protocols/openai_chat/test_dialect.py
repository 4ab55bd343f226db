"""How a history is written for a Chat Completions server, and what its refusals teach."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.dialect import SYSTEM_JOINED, ChatDialect

CALL = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}
SIGNED = CALL | {"extra_content": {"google": {"thought_signature": "sig"}}}
SYSTEM = {"role": "system", "content": "Be good."}
TASK = {"role": "user", "content": "Do it."}
REPLY = {"role": "tool", "tool_call_id": "c1", "content": "{}"}
NOW = {"role": "user", "content": "Answer now."}
SAID = {
    "role": "assistant",
    "content": "",
    "tool_calls": [SIGNED],
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
}
HISTORY: list[dict[str, Any]] = [SYSTEM, TASK, SAID, REPLY, NOW]


def learned(dialect: ChatDialect, words: str, *, fault: Fault = Fault.REFUSED, **body: Any) -> bool:
    """Let the dialect learn; return whether the next request is another one."""

    def request() -> dict[str, Any]:
        limits = {dialect.limit_name(k if k.startswith("max_") else None): v for k, v in body.items()}
        return {"model": "m", "messages": dialect.written(HISTORY), **limits}

    refused = request()
    return dialect.learn(ModelFailure(fault, words), refused) and request() != refused


def test_usually_only_the_keys_of_the_protocol_are_sent() -> None:
    plain = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    assert ChatDialect.of("http://127.0.0.1:8000/v1").written(HISTORY) == [SYSTEM, TASK, plain, REPLY, NOW]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.deepseek.com/v1", "reasoning_content"),
        ("https://api.moonshot.ai/v1", "reasoning_content"),
        ("https://openrouter.ai/api/v1", "reasoning_details"),
    ],
)
def test_servers_that_are_known_to_want_reasoning_back_get_it(url: str, kept: str) -> None:
    said = ChatDialect.of(url).written(HISTORY)[2]
    assert said == {"role": "assistant", "content": "", "tool_calls": [CALL], kept: SAID[kept]}


def test_signatures_go_back_where_they_came_from() -> None:
    said = ChatDialect.of("https://generativelanguage.googleapis.com/v1beta/openai").written(HISTORY)[2]
    assert said == {"role": "assistant", "content": "", "tool_calls": [SIGNED]}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("The `reasoning_content` in the thinking mode must be passed back to the API.", "reasoning_content"),
        ("thinking is enabled but reasoning_content is missing in assistant tool call message", "reasoning_content"),
    ],
)
def test_reasoning_is_learned_to_be_wanted_back_once(words: str, shown: str) -> None:
    dialect = ChatDialect()
    assert learned(dialect, words)
    assert shown in dialect.written(HISTORY)[2]
    assert not learned(dialect, words)


def test_signatures_are_learned_to_be_wanted_back_once() -> None:
    words = "Function call is missing a thought_signature in functionCall parts."
    dialect = ChatDialect()
    assert learned(dialect, words)
    assert dialect.written(HISTORY)[2]["tool_calls"] == [SIGNED]
    assert not learned(dialect, words)


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.SERVER])
def test_words_after_replies_stand_in_the_last_reply_where_a_template_wants_that(fault: Fault) -> None:
    dialect = ChatDialect()
    assert learned(dialect, "Unexpected role 'user' after role 'tool'", fault=fault)
    assert dialect.written(HISTORY)[3:] == [REPLY | {"content": "{}\n\nAnswer now."}]
    assert HISTORY[3:] == [REPLY, NOW]
    assert dialect.remarks == []


def test_roles_that_must_alternate_are_first_those_after_replies_and_then_the_system_prompt() -> None:
    words = "Conversation roles must alternate user/assistant/user/assistant/..."
    dialect = ChatDialect()
    assert learned(dialect, words)
    assert learned(dialect, words)
    assert dialect.written(HISTORY)[:2] == [
        {"role": "user", "content": "Be good.\n\nDo it."},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
    ]
    assert dialect.remarks == [SYSTEM_JOINED]
    assert not learned(dialect, words)


@pytest.mark.parametrize("words", ["System role not supported", "system messages is not supported", "Only user roles"])
def test_a_template_without_a_system_role_gets_its_words_with_the_task(words: str) -> None:
    dialect = ChatDialect()
    assert learned(dialect, words) is (words != "Only user roles")
    assert dialect.join_system is (words != "Only user roles")


class TestLimit:
    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("https://api.openai.com/v1", "max_completion_tokens"),
            ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
            ("http://127.0.0.1:8000/v1", "max_tokens"),
        ],
    )
    def test_it_is_called_what_the_server_is_known_to_take(self, url: str, name: str) -> None:
        assert ChatDialect.of(url).limit_name(None) == name

    def test_the_users_own_name_counts_until_it_is_refused(self) -> None:
        dialect = ChatDialect.of("https://api.openai.com/v1")
        assert dialect.limit_name("max_tokens") == "max_tokens"
        assert learned(dialect, "Unsupported parameter: 'max_tokens'", max_tokens=9)
        assert dialect.limit_name("max_tokens") == "max_completion_tokens"

    def test_a_server_that_refuses_both_names_is_believed(self) -> None:
        dialect = ChatDialect()
        assert learned(dialect, "max_tokens is not supported", max_tokens=9)
        assert not learned(dialect, "max_completion_tokens is not supported", max_tokens=9)

    def test_two_requests_refused_at_the_same_time_learn_the_same(self) -> None:
        dialect = ChatDialect()
        refused = {"messages": [TASK], "max_tokens": 9}
        for _ in range(2):
            assert dialect.learn(ModelFailure(Fault.REFUSED, "max_tokens is not supported"), refused)
        assert dialect.limit_name(None) == "max_completion_tokens"


@pytest.mark.parametrize("fault", [Fault.AUTH, Fault.CONTEXT, Fault.RATE_LIMIT, Fault.NO_TOOLS])
def test_nothing_is_learned_from_other_failures(fault: Fault) -> None:
    assert not learned(ChatDialect(), "Unexpected role 'user' after role 'tool'; tool_choice", fault=fault)
