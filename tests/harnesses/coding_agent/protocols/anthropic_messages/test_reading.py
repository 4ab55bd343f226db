"""Responses of the Messages protocol: blocks, reasons to stop, usage, and whatever else a server makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.protocols import message as notes
from agentcompass_websearch.harnesses.coding_agent.protocols.anthropic_messages.reading import read_message
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.records import Usage
from agentcompass_websearch.text import clean

THINKING = {"type": "thinking", "thinking": "hm\x07", "signature": "EqQB"}
REDACTED = {"type": "redacted_thinking", "data": "EmwK"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "a"}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": None}


def read(*content: Any, stop: str | None = "end_turn", taken: set[str] | None = None, **more: Any) -> ModelMessage:
    body = {"type": "message", "role": "assistant", "content": list(content), "stop_reason": stop, **more}
    return read_message(json.dumps(body).encode(), taken_ids=taken or set(), tidy=clean)


def failure(body: object) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        read_message(body if isinstance(body, bytes) else json.dumps(body).encode(), taken_ids=set(), tidy=clean)
    return caught.value


def test_blocks_are_kept_as_they_came_and_in_their_order() -> None:
    content = [THINKING, REDACTED, text("I look."), CALL | {"caller": {"type": "direct"}}, {"type": "new", "x": 1}]
    message = read(*content, stop="tool_use")
    assert message.native == content
    assert (message.text, message.reasoning, message.stop, message.notes) == ("I look.", "hm", "tool_use", ())
    assert [(c.call_id, c.name, c.arguments.values) for c in message.calls] == [
        ("toolu_1", "web_search", {"query": "a"})
    ]
    assert message.calls[0].arguments.text == '{"query": "a"}'


def test_thinking_goes_back_as_it_came_and_text_is_tidied() -> None:
    message = read(THINKING, text("a\x07b"), CALL | {"input": {"query": "c\x07d"}})
    assert message.native[0]["thinking"] == "hm\x07"
    assert (message.text, message.native[1]["text"]) == ("ab", "ab")
    assert message.native[2]["input"] == {"query": "cd"}


def test_blank_text_is_not_sent_back() -> None:
    assert read(text("\n\n"), CALL).native == [CALL]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"query": "a"}', {"query": "a"}),
        ("", {}),
        (None, {}),
        ("{cut", {}),
        ([1], {}),
        ({"query": "a"}, {"query": "a"}),
    ],
)
def test_input_goes_back_as_an_object_whatever_it_was(given: object, kept: dict[str, str]) -> None:
    message = read(CALL | {"input": given}, stop="tool_use")
    assert message.native[0]["input"] == message.calls[0].arguments.values == kept


def test_ids_that_are_missing_or_taken_are_made_up_in_calls_and_blocks() -> None:
    bare = {k: v for k, v in CALL.items() if k != "id"}
    message = read(CALL, CALL, bare, taken={"toolu_1"})
    ids = [c.call_id for c in message.calls]
    assert len({*ids, "toolu_1"}) == 4
    assert [block["id"] for block in message.native] == ids


@pytest.mark.parametrize(
    ("stop", "note"),
    [("max_tokens", notes.OUTPUT_LIMIT), ("model_context_window_exceeded", notes.CONTEXT_FULL)],
)
def test_a_response_that_was_cut_says_so_and_runs_nothing(stop: str, note: str) -> None:
    cut = read(THINKING, CALL | {"input": {"query": "acm"}}, stop=stop)
    assert (cut.stop, cut.notes) == (stop, (note,))
    assert cut.calls[0].arguments.fault
    assert cut.native[1]["input"] == {}
    assert read(THINKING, stop=stop).notes == (note, notes.EMPTY_TURN)
    assert read(text("half an ans"), stop=stop).notes == (note,)


def test_a_refusal_ends_the_conversation() -> None:
    explained = read(stop="refusal", stop_details={"type": "refusal", "explanation": "Not that."})
    assert (explained.text, explained.calls, explained.notes) == ("Not that.", (), (notes.REFUSAL,))
    partial = read(text("So far"), CALL, stop="refusal", stop_details=None)
    assert (partial.text, partial.calls, partial.notes) == ("So far", (), (notes.REFUSAL,))
    assert read(stop="refusal").notes == (notes.REFUSAL, notes.EMPTY_TURN)


def test_calls_are_calls_whatever_the_word_for_the_end() -> None:
    assert len(read(CALL, stop="end_turn").calls) == 1
    assert read(text("x"), stop="tool_use").calls == ()
    assert read(text("x"), stop=None).stop == ""


def test_content_as_mere_text_is_read() -> None:
    body = {"content": "done", "stop_reason": "end_turn"}
    message = read_message(json.dumps(body).encode(), taken_ids=set(), tidy=clean)
    assert (message.text, message.native) == ("done", [{"type": "text", "text": "done"}])


def test_usage_includes_what_was_read_from_the_cache_and_written_to_it() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 30,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 40},
    }
    assert read(text("x"), usage=usage).usage == Usage(
        input=100, cached_input=60, cache_write=30, output=50, reasoning=40
    )


@pytest.mark.parametrize(
    ("body", "fault", "words"),
    [
        (b"<html>ok</html>", Fault.NOT_JSON, "<html>"),
        (b'{"id": "msg_1", "cont', Fault.BROKEN, "msg_1"),
        ({}, Fault.SERVER, "no content"),
        ({"content": None}, Fault.SERVER, "no content"),
        ({"choices": [{"message": {"content": "wrong protocol"}}]}, Fault.SERVER, "no content"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, Fault.SERVER, "Overloaded"),
        ({"type": "error", "error": {"type": "api_error", "message": "it broke"}}, Fault.SERVER, "it broke"),
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "later"}}, Fault.RATE_LIMIT, "later"),
        ({"type": "error", "error": {"type": "authentication_error", "message": "no"}}, Fault.AUTH, "no"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}, Fault.REFUSED, "no"),
        ({"content": [], "error": {"code": 502, "message": "upstream"}}, Fault.SERVER, "upstream"),
    ],
)
def test_what_is_no_message_is_a_failure(body: object, fault: Fault, words: str) -> None:
    found = failure(body)
    assert found.fault is fault
    assert words in str(found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "thinking", "signature", "id", "name", "input", "data"]),
            inner | st.sampled_from(["text", "thinking", "tool_use", "redacted_thinking"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {"content": json_values | st.lists(json_values, max_size=4)},
        optional={
            "stop_reason": json_values | st.sampled_from(["max_tokens", "refusal", "tool_use"]),
            "stop_details": json_values,
            "error": json_values,
            "usage": json_values,
        },
    )
)
def test_any_json_is_read_or_a_failure(body: Any) -> None:
    try:
        message = read_message(json.dumps(body).encode(), taken_ids={"toolu_1"}, tidy=clean)
    except ModelFailure:
        return
    assert len({*(c.call_id for c in message.calls), "toolu_1"}) == len(message.calls) + 1
    json.dumps(message.native, ensure_ascii=False).encode()
