"""The example board in the repository is what the code of today makes of its numbers."""

from __future__ import annotations

from pathlib import Path

from agentcompass_websearch.boards.schema import decode, encode
from agentcompass_websearch.boards.write_text import csv_text, markdown
from examples.board.make import ARMS, readme

EXAMPLE = Path(__file__).parents[2] / "examples" / "board"


def test_all_its_files_say_the_same() -> None:
    board = decode((EXAMPLE / "board.json").read_bytes())
    assert encode(board) == (EXAMPLE / "board.json").read_bytes()
    assert markdown(board) == (EXAMPLE / "board.md").read_text()
    assert csv_text(board) == (EXAMPLE / "board.csv").read_text()
    assert readme(board) == (EXAMPLE / "README.md").read_text()
    page = (EXAMPLE / "board.html").read_text()
    assert all(arm.vendor_id in page for arm in ARMS)


def test_a_tie_is_called_a_tie_and_a_gap_a_gap() -> None:
    """Arms whose true rates differ by ten points or less share a group here, those twenty apart do not."""
    board = decode((EXAMPLE / "board.json").read_bytes())
    rates = {(arm.board, arm.vendor_id): arm.rate for arm in ARMS}
    for name, table in board.boards.items():
        ranked = [(rates[name, arm.vendor_id], arm.group) for arm in table.arms if arm.group]  # type: ignore[index]
        for rate, group in ranked:
            for other, other_group in ranked:
                if abs(rate - other) <= 0.1:
                    assert group == other_group
                if abs(rate - other) >= 0.16:
                    assert group != other_group
