"""Chat Completions responses, whatever a server makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.protocols import message as notes
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.reading import read_completion
from agentcompass_websearch.text import clean
from tests.support.fake_model import answers, call, calls, says


def read(body: bytes, taken: set[str] | None = None) -> ModelMessage:
    return read_completion(body, taken_ids=taken or set(), tidy=clean)


def failure(body: object) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        read(body if isinstance(body, bytes) else json.dumps(body).encode())
    return caught.value


def test_text_is_an_answer() -> None:
    message = read(says("```python\nx = 1\n```").body())
    assert (message.text, message.calls, message.stop) == ("```python\nx = 1\n```", (), "stop")
    assert message.usage is not None
    assert message.notes == ()


def test_an_empty_list_of_calls_is_no_call() -> None:
    message = read(says("x = 1", tool_calls=[]).body())
    assert (message.text, message.calls, message.notes) == ("x = 1", (), ())


@pytest.mark.parametrize("nothing", [[], None, "none", [None, "text"]])
def test_the_list_decides_and_not_the_word_for_the_end(nothing: object) -> None:
    message = read(answers({"content": "", "tool_calls": nothing}, "tool_calls").body())
    assert message.calls == ()
    assert message.notes == (notes.EMPTY_TURN,)


def test_calls_are_calls_whatever_the_word_for_the_end() -> None:
    message = read(calls(call("web_search", {"query": "a"}), finish_reason="stop").body())
    assert [c.name for c in message.calls] == ["web_search"]


def test_content_in_parts_is_joined_without_reasoning() -> None:
    parts = [
        {"type": "thinking", "thinking": "hm", "text": "hidden"},
        {"type": "text", "text": "one "},
        "two ",
        {"type": "output_text", "text": "three"},
        {"type": "text", "text": None},
        None,
    ]
    assert read(answers({"content": parts}, "stop").body()).text == "one two three"


def test_ids_that_are_missing_or_repeated_are_made_up_and_others_kept() -> None:
    made = [call("web_search", {"query": n}) for n in "abcde"]
    for item, call_id in zip(made, ["", "call00001", "call00001", "x" * 52, None], strict=True):
        item["id"] = call_id
    del made[0]["id"]
    message = read(answers({"content": None, "tool_calls": made}, "tool_calls").body(), taken={"old"})
    ids = [c.call_id for c in message.calls]
    assert len({*ids, "old"}) == 6
    assert (ids[1], ids[3]) == ("call00001", "x" * 52)
    assert [c.arguments.values["query"] for c in message.calls] == list("abcde")


def test_an_id_of_an_earlier_turn_is_replaced() -> None:
    message = read(calls(call("web_search", {"query": "a"}, "c1")).body(), taken={"c1", "call00002"})
    assert message.calls[0].call_id not in {"c1", "call00002"}


@pytest.mark.parametrize("stop", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_calls_of_a_response_that_was_cut_have_a_fault(stop: str) -> None:
    message = read(calls(call("web_fetch", {"url": "https://a.example/"}), finish_reason=stop).body())
    assert "output limit" in message.calls[0].arguments.fault
    assert notes.OUTPUT_LIMIT in message.notes


def test_a_cut_answer_says_so() -> None:
    assert read(says("half an ans", "length").body()).notes == (notes.OUTPUT_LIMIT,)
    assert read(says("half an ans", "content_filter").body()).notes == (notes.CONTENT_FILTER,)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "web_search", "arguments": {"query": "acme"}}</tool_call>',
        '[TOOL_CALLS] [{"name": "web_search", "arguments": {}}]',
        '{"name": "web_search", "arguments": {"query": "acme"}}',
        '{"name": "web_search", "parameters": {"query": "acme"}}',
        "<\uff5ctool\u2581calls\u2581begin\uff5c>function",
    ],
)
def test_a_call_written_as_text_is_noted_and_not_run(text: str) -> None:
    message = read(says(text).body())
    assert (message.text, message.calls, message.notes) == (text, (), (notes.TEXT_CALL,))


def test_ordinary_json_is_no_call() -> None:
    assert read(says('{"name": "acme"}').body()).notes == ()


def test_a_legacy_function_call_is_ignored() -> None:
    legacy = {"name": "other", "arguments": "{}"}
    assert [c.name for c in read(calls(call("web_search", {}), function_call=legacy).body()).calls] == ["web_search"]
    assert read(says("done", function_call=legacy).body()).calls == ()


def test_a_refusal_is_the_answer_where_there_is_no_other() -> None:
    message = read(answers({"content": None, "refusal": "I cannot."}, "stop").body())
    assert (message.text, message.notes) == ("I cannot.", (notes.REFUSAL,))


@pytest.mark.parametrize(
    "thought", [[{"type": "text", "text": "let me "}, {"type": "text", "text": "see"}], "let me see"]
)
def test_reasoning_in_parts_of_content_is_kept_apart(thought: object) -> None:
    parts = [{"type": "thinking", "thinking": thought}, {"type": "text", "text": "done"}]
    message = read(answers({"content": parts}, "stop").body())
    assert (message.text, message.reasoning) == ("done", "let me see")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(name: str) -> None:
    message = read(says("done", **{name: "let me see"}).body())
    assert (message.text, message.reasoning) == ("done", "let me see")
    structured: dict[str, Any] = {name: ["structured"]}
    assert read(says("done", **structured).body()).reasoning == ""


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("web_search", "web_search"),
        (None, "unnamed"),
        ("", "unnamed"),
        (" web_search ", "web_search"),
        ("a.b c", "a_b_c"),
    ],
)
def test_names_can_be_sent_back(name: object, sent: str) -> None:
    made = {"id": "c", "function": {"name": name, "arguments": "{}"}}
    assert read(answers({"content": "", "tool_calls": [made]}, "tool_calls").body()).calls[0].name == sent


def test_a_call_without_a_function_is_a_call_of_nothing() -> None:
    made = [{"id": "c", "type": "custom"}, {"id": "d", "function": "web_search"}]
    found = read(answers({"content": "", "tool_calls": made}, "tool_calls").body()).calls
    assert [(c.call_id, c.name, c.arguments.text) for c in found] == [("c", "unnamed", "{}"), ("d", "unnamed", "{}")]


def test_surrogates_and_control_characters_are_cleaned() -> None:
    body = json.dumps(
        {"choices": [{"message": {"content": "x\ud835y\x00", "reasoning": "\ud83d\ude00"}, "finish_reason": "stop"}]}
    )
    message = read(body.encode())
    assert message.text == "x\ufffdy"
    assert message.reasoning == "\U0001f600"


@pytest.mark.parametrize(
    ("body", "fault", "words"),
    [
        (b"<html>ok</html>", Fault.NOT_JSON, "<html>"),
        (b"", Fault.NOT_JSON, "nothing"),
        (b"data: {}\n\n", Fault.NOT_JSON, "data:"),
        (b'"ok"', Fault.NOT_JSON, "no JSON object"),
        (b'{"choices": [{"mess', Fault.BROKEN, "no JSON"),
        (b"{" * 100_000, Fault.BROKEN, "no JSON"),
        ({"choices": []}, Fault.SERVER, "no choices"),
        ({"choices": None}, Fault.SERVER, "no choices"),
        ({}, Fault.SERVER, "no choices"),
        ({"choices": [{"message": None}]}, Fault.SERVER, "no choices"),
        (
            {"choices": None, "error": {"code": 429, "message": "upstream says slow down"}},
            Fault.RATE_LIMIT,
            "slow down",
        ),
        ({"error": {"code": 502, "message": "upstream"}}, Fault.SERVER, "upstream"),
        ({"error": {"code": "401", "message": "bad key"}}, Fault.AUTH, "bad key"),
        ({"error": {"code": 400, "message": "no such field"}}, Fault.REFUSED, "no such field"),
        ({"error": {"code": "rate_limit_exceeded", "message": "later"}}, Fault.RATE_LIMIT, "later"),
        ({"error": {"code": "insufficient_quota", "message": "pay"}}, Fault.QUOTA, "pay"),
        ({"error": {"message": "it went wrong"}}, Fault.PROVIDER, "it went wrong"),
        ({"error": "it went wrong"}, Fault.PROVIDER, "it went wrong"),
        ({"error": {}, "choices": []}, Fault.SERVER, "no choices"),
        (
            {
                "choices": [
                    {"finish_reason": "error", "message": {"content": ""}, "error": {"code": 503, "message": "x"}}
                ]
            },
            Fault.SERVER,
            "x",
        ),
        ({"choices": [{"finish_reason": "error", "message": {"content": "half an ans"}}]}, Fault.SERVER, "no end"),
    ],
)
def test_what_is_no_completion_is_a_failure(body: object, fault: Fault, words: str) -> None:
    found = failure(body)
    assert found.fault is fault
    assert words in str(found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "id",
                    "error",
                    "usage",
                    "text",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values | st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": json_values}))}))
def test_any_json_is_read_or_a_failure(body: Any) -> None:
    try:
        message = read(json.dumps(body).encode())
    except ModelFailure:
        return
    assert len({c.call_id for c in message.calls}) == len(message.calls)
