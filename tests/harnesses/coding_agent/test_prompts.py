"""Which system prompt an attempt has."""

from __future__ import annotations

import pytest

from agentcompass_websearch.harnesses.coding_agent.prompts import DEFAULT_PROMPTS, system_prompt
from agentcompass_websearch.records import Board


@pytest.mark.parametrize("board", ["search-only", "search-fetch", "no-search"])
def test_the_tasks_own_for_the_board_then_its_general_one_then_the_harnesss(board: Board) -> None:
    of_task = {board: "for this board", "other": "x"}
    assert system_prompt(board, of_task, "general") == "for this board"
    assert system_prompt(board, {board: "  "}, "general") == "general"
    assert system_prompt(board, {"other": "x"}, "general") == "general"
    assert system_prompt(board, ["of another benchmark"], None) == DEFAULT_PROMPTS[board]
    assert system_prompt(board, None, " ") == DEFAULT_PROMPTS[board]


def test_the_defaults_speak_of_the_tools_that_are_there() -> None:
    assert "web_fetch" not in DEFAULT_PROMPTS["search-only"]
    assert "web_fetch" in DEFAULT_PROMPTS["search-fetch"]
    assert "web_" not in DEFAULT_PROMPTS["no-search"]
