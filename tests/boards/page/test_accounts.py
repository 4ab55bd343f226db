"""The tables for a fair reader."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agentcompass_websearch.boards.page.accounts import fairness
from tests.boards.test_compile import board_of


def test_what_a_vendor_says_of_itself_is_shown(finished: Path) -> None:
    table = board_of(finished).boards["search-fetch"]
    said = {"site_operator": "lifted", "cache": "a day", "objective": "told"}
    arms = [msgspec.structs.replace(a, fairness=msgspec.structs.replace(a.fairness, facts=said)) for a in table.arms]
    shown = str(fairness(msgspec.structs.replace(table, arms=arms)))
    assert "Objective of a fetch" in shown
    for words in said.values():
        assert shown.count(f">{words}<") == len(arms)
