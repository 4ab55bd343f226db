from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.tools.hints import hints


def test_what_vendors_write_to_developers() -> None:
    body = {
        "agent_hints": ["ask me again"],
        "warnings": None,
        "notices": [],
        "warning": "few pages\nmatched",
        "data": {"warning": "slow page"},
        "error": {"message": "no", "next_actions": ["create_api_key"]},
        "results": [{"warning": "text of a page"}],
    }
    assert list(hints(body)) == [
        'agent_hints: ["ask me again"]',
        'warning: "few pages\\nmatched"',
        'warning: "slow page"',
        'next_actions: ["create_api_key"]',
    ]


@pytest.mark.parametrize("body", [None, [], "text", 5, {}, {"error": "text", "data": [{"warning": "x"}]}])
def test_replies_without_any(body: Any) -> None:
    assert list(hints(body)) == []


def test_a_long_one_is_cut() -> None:
    [hint] = hints({"upgrade_url": "x" * 10_000})
    assert len(hint) < 600
