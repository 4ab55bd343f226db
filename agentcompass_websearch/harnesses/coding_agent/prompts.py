"""The harness's own system prompts, for tasks that bring none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentcompass_websearch.records import Board

_ANSWER: Final = "When you are done, give your complete final answer without calling a tool."
_LIMITED: Final = "The number of calls is limited; each reply says how many are left."

DEFAULT_PROMPTS: Final[Mapping[Board, str]] = {
    "search-only": "Carry out the user's task. Use web_search to find what you do not know for certain. "
    f"{_LIMITED} {_ANSWER}",
    "search-fetch": "Carry out the user's task. Use web_search to find what you do not know for certain, and web_fetch "
    f"to read a page that was found. {_LIMITED} {_ANSWER}",
    "no-search": "Carry out the user's task from what you know, and give your complete final answer.",
}
"""The system prompt of each board."""


def system_prompt(board: Board, of_task: object, general: str | None) -> str:
    """Return the system prompt of an attempt.

    Args:
        board: the board of the arm.
        of_task: whatever a benchmark put under ``system_prompts`` into its metadata: a prompt for each board, or none.
        general: the benchmark's prompt for any harness.
    """
    own = of_task.get(board) if isinstance(of_task, Mapping) else None
    if isinstance(own, str) and own.strip():
        return own
    return general if general and general.strip() else DEFAULT_PROMPTS[board]
