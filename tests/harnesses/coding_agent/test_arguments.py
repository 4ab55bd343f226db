"""Tool arguments: every form that models and servers give them is read, or answered with a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.arguments import PREVIEW_CHARS, cut_off, read_arguments

QUERY = {"query": "acme worker batch"}


def test_an_object_as_text_is_kept_to_the_letter() -> None:
    raw = '{"query":  "acme worker batch"}'
    read = read_arguments(raw)
    assert (read.values, read.text, read.fault) == (QUERY, raw, "")


@pytest.mark.parametrize("times", [2, 3])
def test_an_object_encoded_too_often_is_read_and_written_once(times: int) -> None:
    raw: Any = QUERY
    for _ in range(times):
        raw = json.dumps(raw)
    read = read_arguments(raw)
    assert read.values == QUERY
    assert json.loads(read.text) == QUERY


def test_encoding_beyond_reason_is_a_fault() -> None:
    raw: Any = QUERY
    for _ in range(4):
        raw = json.dumps(raw)
    assert "must be a JSON object, not a string" in read_arguments(raw).fault


def test_a_mapping_is_read_and_written_as_text() -> None:
    read = read_arguments(QUERY)
    assert read.values == QUERY
    assert json.loads(read.text) == QUERY


@pytest.mark.parametrize("raw", ["", "  ", None])
def test_nothing_is_an_empty_object(raw: str | None) -> None:
    read = read_arguments(raw)
    assert (read.values, read.text, read.fault) == ({}, "{}", "")


@pytest.mark.parametrize(
    ("raw", "kind"),
    [('["acme"]', "a list"), ("null", "null"), ("42", "a number"), ("true", "a boolean"), ('"acme"', "a string")],
)
def test_json_that_is_no_object_is_a_fault(raw: str, kind: str) -> None:
    read = read_arguments(raw)
    assert f"must be a JSON object, not {kind}" in read.fault
    assert (read.values, read.text) == ({}, "{}")


def test_cut_json_is_a_fault_with_a_short_preview() -> None:
    read = read_arguments('{"query": "acme worker ba' + "x" * 1000)
    assert "not valid JSON" in read.fault
    assert '{"query": "acme worker ba' in read.fault
    assert len(read.fault) < PREVIEW_CHARS + 60
    assert read.text == "{}"


def test_raw_line_breaks_inside_a_string_are_read_and_written_properly() -> None:
    read = read_arguments('{"query": "two\nlines"}')
    assert read.values == {"query": "two\nlines"}
    assert json.loads(read.text) == read.values


def test_lone_surrogates_and_control_characters_are_cleaned_wherever_they_stand() -> None:
    read = read_arguments('{"query": "x\\ud835y\\u0000z \\ud83d\\ude00", "more": [{"\\ud800": "\\udfff"}]}')
    assert read.values["query"] == "x\ufffdyz \U0001f600"
    assert read.values["more"] == [{"\ufffd": "\ufffd"}]
    read.text.encode()
    assert json.loads(read.text) == read.values


@pytest.mark.parametrize("raw", ['{"n": NaN}', '{"n": Infinity}'])
def test_numbers_that_are_not_json_are_a_fault(raw: str) -> None:
    assert "not valid JSON" in read_arguments(raw).fault


@pytest.mark.parametrize(
    "raw", ['{"n": 1e999}', '{"n": ' + "9" * 5000 + "}", "[" * 100_000, '{"a":' * 900 + "1" + "}" * 900]
)
def test_hostile_json_is_read_or_refused_and_never_raises(raw: str) -> None:
    read = read_arguments(raw)
    assert isinstance(json.loads(read.text), dict)
    assert "Infinity" not in read.text


def test_a_call_cut_by_the_output_limit_has_a_fault() -> None:
    assert "output limit" in cut_off().fault


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(json_values | json_values.map(json.dumps) | st.text())
def test_whatever_comes_the_history_gets_a_json_object_that_can_be_sent(raw: object) -> None:
    read = read_arguments(raw)
    read.text.encode()
    assert isinstance(json.loads(read.text, parse_constant=pytest.fail), dict)
    assert not (read.fault and read.values)
