"""What arms are called: told apart where there are several models, short where a chart has little room."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from agentcompass_websearch.boards.names import columns_in, names_of, shortened, slug
from tests.boards.test_compile import board_of


def test_the_model_is_named_where_there_are_several(finished: Path) -> None:
    board = board_of(finished)
    first, second, *_ = board.boards["search-fetch"].arms
    assert list(names_of([first, second]).values()) == [first.vendor_id, second.vendor_id]
    other = msgspec.structs.replace(second, model="beta", id=f"{first.vendor_id}/search-fetch/beta")
    assert names_of([first, other])[other.id] == f"{second.vendor_id} (beta)"


@pytest.mark.parametrize("columns", [8, 15, 44])
def test_short_names_fit_and_are_told_apart(columns: int) -> None:
    names = ["exa", "v" * 90, "v" * 91, "v" * 92, "\u7801" * 60, "with_a_long_beginning_and_an_end_deep"]
    short = shortened(names, columns)
    assert short[0] == "exa"
    assert len(set(short)) == len(names)
    assert all(columns_in(name) <= columns for name in short)
    assert short[-1].startswith("wi")
    assert short[-1].endswith("p")


def test_names_that_differ_by_case_or_by_signs_have_files_of_their_own() -> None:
    names = ["Exa", "exa", "e x a", "e/x/a", "\u00fc", "\u7801", ""]
    assert len({slug(name).lower() for name in names}) == len(names)
