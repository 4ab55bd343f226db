"""Responses of the Responses protocol: items, statuses, refusals, and whatever else a server makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.protocols import message as notes
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_responses.reading import read_response
from agentcompass_websearch.records import Usage
from agentcompass_websearch.text import clean

REASONING: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "web_search", "arguments": '{"query": "a"}'}


def said(*parts: dict[str, Any] | str, **more: Any) -> dict[str, Any]:
    """Make a message item; words are output text."""
    content = [
        {"type": "output_text", "text": part, "annotations": []} if isinstance(part, str) else part for part in parts
    ]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content, **more}


def read(*output: Any, taken: set[str] | None = None, **more: Any) -> ModelMessage:
    body = {"id": "resp_1", "status": "completed", "error": None, "output": list(output), **more}
    return read_response(json.dumps(body).encode(), taken_ids=taken or set(), tidy=clean)


def failure(body: object) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        read_response(body if isinstance(body, bytes) else json.dumps(body).encode(), taken_ids=set(), tidy=clean)
    return caught.value


def test_items_are_kept_as_they_came_and_in_their_order() -> None:
    output = [
        REASONING,
        said("I look.", phase="commentary"),
        CALL | {"status": "completed", "namespace": None},
        {"type": "reasoning", "id": "rs_2", "summary": [{"type": "summary_text", "text": "b"}], "status": None},
        CALL | {"id": "fc_2", "call_id": "c2", "arguments": '{"query":   "b"}'},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    ]
    message = read(*output)
    assert message.native == output
    assert [c.call_id for c in message.calls] == ["c1", "c2"]
    assert (message.text, message.reasoning, message.stop) == ("I look.", "b", "tool_calls")


def test_reasoning_in_the_open_and_in_short_is_shown() -> None:
    content = [{"type": "reasoning_text", "text": "the long way"}]
    summary = [{"type": "summary_text", "text": "in short"}, {"type": "summary_text", "text": "more"}]
    assert read(REASONING | {"summary": summary, "content": content}).reasoning == "in short\n\nmore\n\nthe long way"


def test_parts_are_joined_and_messages_stand_apart() -> None:
    assert read(said("one ", "two"), said("three", phase="final_answer")).text == "one two\n\nthree"


@pytest.mark.parametrize("content", ["done", [{"type": "text", "text": "done"}]])
def test_content_of_other_servers_is_read(content: object) -> None:
    assert read({"role": "assistant", "content": content}).text == "done"


def test_a_refusal_is_the_answer_where_there_is_no_other() -> None:
    part = {"type": "refusal", "refusal": "I cannot."}
    assert (read(said(part)).text, read(said(part)).notes) == ("I cannot.", (notes.REFUSAL,))
    assert (read(said("x = 1", part)).text, read(said("x = 1", part)).notes) == ("x = 1", ())


@pytest.mark.parametrize(
    ("reason", "stop", "note"),
    [
        ("max_output_tokens", "length", notes.OUTPUT_LIMIT),
        ("content_filter", "content_filter", notes.CONTENT_FILTER),
    ],
)
def test_an_incomplete_response_says_why_and_runs_nothing(reason: str, stop: str, note: str) -> None:
    incomplete: dict[str, Any] = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    only_reasoning = read({"type": "reasoning", "summary": []}, **incomplete)
    assert (only_reasoning.text, only_reasoning.calls, only_reasoning.stop) == ("", (), stop)
    assert only_reasoning.notes == (note, notes.EMPTY_TURN)
    cut = read(CALL | {"arguments": '{"query": "acm', "status": "incomplete"}, **incomplete)
    assert (cut.stop, cut.notes) == (stop, (note,))
    assert "output limit" in cut.calls[0].arguments.fault
    assert cut.native[0]["arguments"] == "{}"
    assert read(said("half an ans"), **incomplete).notes == (note,)


@pytest.mark.parametrize("details", [None, {}, {"reason": None}, {"reason": "steered"}, "cut"])
def test_other_incomplete_responses_run_nothing_either(details: object) -> None:
    message = read(CALL, status="incomplete", incomplete_details=details)
    assert message.calls[0].arguments.fault
    assert message.stop in ("incomplete", "steered")


def test_ids_that_are_missing_or_taken_are_made_up_in_calls_and_items() -> None:
    bare = {k: v for k, v in CALL.items() if k not in ("call_id", "id")}
    message = read(CALL, CALL, bare, bare | {"id": "fc_9"}, taken={"c1"})
    ids = [c.call_id for c in message.calls]
    assert len({*ids, "c1"}) == 5
    assert ids[3] == "fc_9"
    assert [item["call_id"] for item in message.native] == ids


def test_usage_counts_cached_and_reasoning_tokens_once() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 40},
        "total_tokens": 150,
    }
    assert read(said("x"), usage=usage).usage == Usage(
        input=100, cached_input=60, cache_write=30, output=50, reasoning=40
    )


def test_an_empty_output_is_an_empty_turn() -> None:
    assert read().notes == (notes.EMPTY_TURN,)


@pytest.mark.parametrize(
    ("body", "fault", "words"),
    [
        (b"<html>ok</html>", Fault.NOT_JSON, "<html>"),
        (b'{"id": "resp_1", "outp', Fault.BROKEN, "resp_1"),
        ({}, Fault.SERVER, "no output"),
        ({"output": None, "status": "completed"}, Fault.SERVER, "no output"),
        ({"choices": [{"message": {"content": "wrong protocol"}}]}, Fault.SERVER, "no output"),
        ({"status": "failed", "error": {"code": "server_error", "message": "it broke"}}, Fault.SERVER, "it broke"),
        ({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "later"}}, Fault.RATE_LIMIT, "later"),
        ({"status": "failed", "error": {"code": "invalid_prompt", "message": "not that"}}, Fault.REFUSED, "not that"),
        ({"status": "failed", "error": {"code": "bio_policy", "message": "not that"}}, Fault.REFUSED, "not that"),
        ({"status": "failed", "error": {"code": "oddity", "message": "hm"}}, Fault.PROVIDER, "hm"),
        ({"status": "failed", "error": None, "output": [CALL]}, Fault.PROVIDER, "failed, without a reason"),
        ({"status": "cancelled", "output": []}, Fault.PROVIDER, "cancelled"),
        ({"status": "queued", "output": []}, Fault.PROVIDER, "in the background"),
        ({"status": "in_progress", "output": []}, Fault.PROVIDER, "in the background"),
        ({"error": {"code": 502, "message": "upstream"}, "output": []}, Fault.SERVER, "upstream"),
    ],
)
def test_what_is_no_answer_is_a_failure(body: object, fault: Fault, words: str) -> None:
    found = failure(body)
    assert found.fault is fault
    assert words in str(found)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "content", "summary", "call_id", "id", "name", "arguments", "text", "refusal", "role"]
            ),
            inner | st.sampled_from(["message", "function_call", "reasoning", "output_text", "refusal"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {"output": json_values | st.lists(json_values, max_size=4)},
        optional={
            "status": json_values | st.sampled_from(["completed", "incomplete", "failed"]),
            "error": json_values,
            "incomplete_details": json_values,
            "usage": json_values,
        },
    )
)
def test_any_json_is_read_or_a_failure(body: Any) -> None:
    try:
        message = read_response(json.dumps(body).encode(), taken_ids={"c1"}, tidy=clean)
    except ModelFailure:
        return
    assert len({*(c.call_id for c in message.calls), "c1"}) == len(message.calls) + 1
    json.dumps(message.native, ensure_ascii=False).encode()
