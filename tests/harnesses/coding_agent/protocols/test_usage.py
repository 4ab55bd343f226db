"""Token usage in the dialects of servers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.protocols.usage import read_messages_usage, read_usage
from agentcompass_websearch.records import Usage


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Usage(input=10, output=5)),
        ({"prompt_tokens": "10", "completion_tokens": "5"}, Usage(input=10, output=5)),
        ({"prompt_tokens": 10.0, "completion_tokens": 5.0}, Usage(input=10, output=5)),
        ({"input_tokens": 9, "output_tokens": 4, "output_tokens_details": None}, Usage(input=9, output=4)),
        ({"prompt_tokens": None, "completion_tokens": 7, "total_tokens": 17}, Usage(input=10, output=7)),
        ({"prompt_tokens": 10, "total_tokens": 17}, Usage(input=10, output=7)),
        (
            {"prompt_tokens": 2000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1900}},
            Usage(input=2000, cached_input=1900, output=100),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 99}},
            Usage(input=10, cached_input=10, output=1),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 1, "prompt_cache_hit_tokens": 4},
            Usage(input=10, cached_input=4, output=1),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 6}},
            Usage(input=10, output=8, reasoning=6),
        ),
    ],
)
def test_usage_is_read(raw: dict[str, Any], usage: Usage) -> None:
    assert read_usage(raw) == usage


def test_reasoning_counted_apart_is_added_once() -> None:
    raw = {"prompt_tokens": 10, "completion_tokens": 8, "total_tokens": 24}
    assert read_usage(raw | {"completion_tokens_details": {"reasoning_tokens": 6}}) == Usage(
        input=10, output=14, reasoning=6
    )
    raw["total_tokens"] = 18
    assert read_usage(raw | {"completion_tokens_details": {"reasoning_tokens": 6}}) == Usage(
        input=10, output=8, reasoning=6
    )


@pytest.mark.parametrize(
    "names", [{}, {"prompt_tokens_details": {"cached_tokens": 1500, "cache_creation_tokens": 100}}]
)
def test_a_gateway_that_names_cached_tokens_as_anthropic_does_counts_them_once(names: dict[str, Any]) -> None:
    raw = {"completion_tokens": 10, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 100, **names}
    usage = Usage(input=2000, cached_input=1500, cache_write=100, output=10)
    assert read_usage(raw | {"prompt_tokens": 2000, "total_tokens": 2010}) == usage
    assert read_usage(raw | {"prompt_tokens": 2000}) == usage
    assert read_usage(raw | {"prompt_tokens": 400, "total_tokens": 2010}) == usage


def test_reasoning_that_only_the_total_shows_is_output() -> None:
    raw = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115}
    assert read_usage(raw) == Usage(input=10, output=105, reasoning=100)
    assert read_usage(raw | {"completion_tokens_details": {"reasoning_tokens": 3}}) == Usage(
        input=10, output=5, reasoning=3
    )


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        "many",
        {"prompt_tokens": 10**400, "completion_tokens": 7},
        {"prompt_tokens": None, "completion_tokens": 7},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": -3, "completion_tokens": 7},
        {"prompt_tokens": True, "completion_tokens": 7},
        {"prompt_tokens": float("nan"), "completion_tokens": 7},
        {"prompt_tokens": "ten", "completion_tokens": "five"},
    ],
)
def test_usage_that_is_missing_is_unknown_and_not_zero(raw: object) -> None:
    assert read_usage(raw) is None


counts = st.none() | st.integers(-5, 50) | st.text(max_size=3) | st.floats() | st.booleans()
details = st.none() | st.dictionaries(
    st.sampled_from(["cached_tokens", "reasoning_tokens", "cache_write_tokens"]), counts
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "prompt_tokens": counts,
            "completion_tokens": counts,
            "total_tokens": counts,
            "prompt_tokens_details": details,
            "completion_tokens_details": details,
            "prompt_cache_hit_tokens": counts,
        },
    )
)
def test_parts_are_never_more_than_the_whole(raw: dict[str, Any]) -> None:
    usage = read_usage(raw)
    if usage is not None:
        assert 0 <= usage.cached_input + usage.cache_write <= usage.input
        assert 0 <= usage.reasoning <= usage.output


class TestMessages:
    """The dialect of the Messages protocol, which counts what the prompt cache did apart from the input."""

    @pytest.mark.parametrize(
        ("raw", "usage"),
        [
            ({"input_tokens": 10, "output_tokens": 5}, Usage(input=10, output=5)),
            (
                {"input_tokens": 4, "cache_read_input_tokens": 90, "output_tokens": 5},
                Usage(input=94, cached_input=90, output=5),
            ),
            (
                {"input_tokens": 0, "cache_creation_input_tokens": 90, "output_tokens": 5},
                Usage(input=90, cache_write=90, output=5),
            ),
            (
                {
                    "input_tokens": 1,
                    "cache_read_input_tokens": None,
                    "cache_creation_input_tokens": None,
                    "output_tokens": 5,
                },
                Usage(input=1, output=5),
            ),
            (
                {"input_tokens": "10", "output_tokens": 5, "output_tokens_details": {"thinking_tokens": 4}},
                Usage(input=10, output=5, reasoning=4),
            ),
            (
                {"input_tokens": 10, "output_tokens": 5, "output_tokens_details": {"thinking_tokens": 9}},
                Usage(input=10, output=5, reasoning=5),
            ),
            ({"input_tokens": 10, "output_tokens": 0}, Usage(input=10)),
        ],
    )
    def test_usage_is_read(self, raw: dict[str, Any], usage: Usage) -> None:
        assert read_messages_usage(raw) == usage

    @pytest.mark.parametrize(
        "raw",
        [None, {}, [], "many", {"input_tokens": 3}, {"output_tokens": 3}, {"input_tokens": 0, "output_tokens": 3}],
    )
    def test_usage_that_is_missing_is_unknown_and_not_zero(self, raw: object) -> None:
        assert read_messages_usage(raw) is None

    @given(
        st.dictionaries(
            st.sampled_from(
                [
                    "input_tokens",
                    "output_tokens",
                    "cache_read_input_tokens",
                    "cache_creation_input_tokens",
                    "output_tokens_details",
                ]
            ),
            counts | st.dictionaries(st.just("thinking_tokens"), counts),
        )
    )
    def test_parts_are_never_more_than_the_whole(self, raw: dict[str, Any]) -> None:
        usage = read_messages_usage(raw)
        if usage is not None:
            assert 0 <= usage.cached_input + usage.cache_write <= usage.input
            assert 0 <= usage.reasoning <= usage.output
