"""Records between the rooms: written, stored, read back, and robust against what others wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.records import (
    Fetch,
    Hit,
    Search,
    Usage,
    board_of,
    evidence_from_observations,
    telemetry_of,
    to_builtins,
)
from tests.benchmarks.support import DOCS_URL, fetched, refused, searched, telemetry


def test_evidence_is_read_back_as_it_was_written() -> None:
    evidence = evidence_from_observations(
        [searched(DOCS_URL, "https://b.example/"), fetched(DOCS_URL), refused(DOCS_URL), refused()]
    )
    hit = Hit(DOCS_URL, "Bulk release", "How crates are released together.")
    first = evidence.searches[0]
    assert (first.call_id, first.n, first.query) == ("call_1", 1, "tolvane release crates in bulk")
    assert first.hits[0] == hit
    assert [(f.n, f.call_id, f.succeeded, f.error) for f in evidence.fetches] == [
        (1, "call_2", True, None),
        (2, "call_3", False, "not there"),
    ]
    assert evidence.kind == "structured"


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "text",
        "[]",
        "null",
        "7",
        "{",
        '{"results": 5}',
        '{"url": ""}',
        '{"url": 7}',
        "\ud835",
        "[" * 10**5,
        {},
    ],
)
def test_what_is_of_another_form_is_not_evidence(content: Any) -> None:
    evidence = evidence_from_observations([{"content": content}, "text", None])  # type: ignore[list-item]
    assert (evidence.searches, evidence.fetches) == ((), ())


def test_fields_of_another_form_are_as_if_absent() -> None:
    results = [None, 5, "text", {"title": "no link"}, {"url": 5}, {"url": "https://a.example/", "title": None}]
    evidence = evidence_from_observations(
        [
            {"tool_call_id": 7, "content": json.dumps({"query": ["q"], "results": results})},
            {"content": json.dumps({"url": "https://a.example/", "error": {"code": 5}, "content": "page"})},
        ]
    )
    assert evidence.searches == (Search("", (Hit("https://a.example/"),), n=1),)
    assert evidence.fetches == (Fetch("https://a.example/", content="page", error="{'code': 5}", n=1),)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["url", "results", "error", "content", "title", "query"]), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(st.lists(_JSON.map(json.dumps) | st.text() | st.binary(), max_size=4))
def test_evidence_is_read_from_anything_without_an_exception(contents: list[Any]) -> None:
    evidence = evidence_from_observations([{"content": content} for content in contents])
    assert all(hit.url for search in evidence.searches for hit in search.hits)


def sparse(value: Any) -> Any:
    """Drop empty values as the host does when it stores a result."""
    if isinstance(value, dict):
        return {k: v for k, item in value.items() if (v := sparse(item)) not in (None, "", [], {}, ())}
    return value


def test_telemetry_survives_the_host_dropping_empty_values() -> None:
    for record in (telemetry(), telemetry(vendor={}, tools=(), calls=(), model_calls=(), limits={}, usage=Usage())):
        stored = json.loads(json.dumps(sparse({"websearch": to_builtins(record)})))
        assert telemetry_of(stored) == record


@pytest.mark.parametrize("raw", [None, {}, {"websearch": None}, {"websearch": {}}, {"other": 1}])
def test_other_harnesses_have_no_record(raw: Any) -> None:
    assert telemetry_of(raw) is None


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"schema": 99, "turns": "x"}, "schema 99; this version reads up to"),
        ({"turns": "many"}, "turns"),
        ("text", "attempt record expected, got str"),
        ({"schema": "2", "turns": 1}, "schema"),
    ],
)
def test_records_that_cannot_be_read_say_why(raw: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        telemetry_of({"websearch": raw})


def test_boards() -> None:
    assert [board_of(t) for t in ([], ["web_search"], ["web_search", "web_fetch"])] == [
        "no-search",
        "search-only",
        "search-fetch",
    ]
