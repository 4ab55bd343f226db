"""The user's model parameters, spelled as a protocol wants them."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.protocols.params import (
    apart_from_limit,
    request_params,
    with_effort,
)


def test_what_says_how_a_request_is_sent_is_no_part_of_it() -> None:
    given = {"temperature": 0, "timeout": 5, "extra_headers": {"a": "b"}, "extra_query": {}, "extra_body": {"top_k": 3}}
    assert request_params(given) == {"temperature": 0, "top_k": 3}


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({}, 4000),
        ({"max_tokens": 9}, 9),
        ({"max_completion_tokens": 8, "max_tokens": 9}, 8),
        ({"max_output_tokens": 7, "max_completion_tokens": 8, "max_tokens": 9}, 7),
        ({"max_tokens": 0}, 0),
    ],
)
def test_the_limit_is_taken_out_however_it_is_spelled(given: dict[str, Any], limit: int) -> None:
    assert apart_from_limit(given | {"top_p": 1}, 4000) == ({"top_p": 1}, limit)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"reasoning_effort": "low"}, {"reasoning": {"effort": "low"}}),
        ({"reasoning_effort": "low", "reasoning": None}, {"reasoning": {"effort": "low"}}),
        ({"reasoning_effort": "low", "reasoning": {"effort": "high"}}, {"reasoning": {"effort": "high"}}),
        ({"reasoning_effort": "low", "reasoning": "odd"}, {"reasoning": "odd"}),
    ],
)
def test_the_effort_goes_into_the_protocols_own_object(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert with_effort(given, "reasoning") == expected
