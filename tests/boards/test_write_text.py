"""Markdown and CSV of a board."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest

from agentcompass_websearch.boards.schema import BoardFile, encode
from agentcompass_websearch.boards.write_text import cell, csv_text, markdown
from tests.boards.test_compile import board_of


@pytest.fixture(scope="module")
def board(finished: Path) -> BoardFile:
    return board_of(finished)


def test_markdown_has_the_table_of_each_board_and_what_it_says(board: BoardFile) -> None:
    text = markdown(board)
    assert "## Search & fetch" in text
    assert "## Search only" in text
    assert "| Rank | Arm | Task completion, % | 95 % interval |" in text
    assert "Behind: mill\\_fast." in text
    assert "skiff is not ranked" in text
    assert text.count("The tickets are about fictional products") == 3
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(not line.endswith("\\|") for line in rows)


def test_arms_are_named_with_their_model_where_there_are_several(board: BoardFile) -> None:
    table = board.boards["search-only"]
    (skiff,) = table.arms
    other = msgspec.structs.replace(skiff, id="skiff/search-only/other", model="other-model")
    both = msgspec.structs.replace(table, arms=[skiff, other])
    text = markdown(msgspec.structs.replace(board, boards={"search-only": both}))
    assert f"skiff ({cell(skiff.model)}) is not ranked" in text
    assert "skiff (other-model) is not ranked" in text
    losses = text.partition("Where attempts were lost")[2]
    assert f"| skiff ({cell(skiff.model)}) |" in losses
    assert "| skiff (other-model) |" in losses


def test_csv_has_a_line_an_arm_with_plain_numbers(board: BoardFile) -> None:
    lines = list(csv.DictReader(io.StringIO(csv_text(board))))
    assert [(line["board"], line["vendor_id"]) for line in lines][-1] == ("no-search", "none")
    first = board.boards["search-fetch"].arms[0]
    assert float(lines[0]["completion.mean"]) == first.completion.mean
    assert float(lines[0]["completion.ci95.0"]) == (first.completion.ci95 or (None,))[0]
    assert lines[-2]["group"] == "", "an arm without a rank has none here either"


def test_names_mean_nothing_to_markdown_html_or_a_spreadsheet(board: BoardFile) -> None:
    evil = "=HYPERLINK(1)|<script>`x`[a](javascript:b)"
    arm = msgspec.structs.replace(board.boards["search-fetch"].arms[0], vendor_id=evil, id=evil)
    table = msgspec.structs.replace(board.boards["search-fetch"], arms=[arm], pairs=[])
    hostile = msgspec.structs.replace(board, boards={"search-fetch": table})
    assert "<script>" not in markdown(hostile).replace("\\<", "")
    assert cell(evil) in markdown(hostile)
    assert next(csv.DictReader(io.StringIO(csv_text(hostile))))["vendor_id"] == "'" + evil
    assert json.loads(encode(hostile))["boards"]["search-fetch"]["arms"][0]["vendor_id"] == evil


def test_what_was_put_together_with_allow_mixed_is_said_in_markdown_too(board: BoardFile) -> None:
    table = msgspec.structs.replace(board.boards["search-fetch"], warnings=["attempts of one arm\n  were not alike"])
    assert "- Not alike: attempts of one arm were not alike" in markdown(
        msgspec.structs.replace(board, boards={"search-fetch": table})
    )


def test_a_cell_holds_no_address_that_a_reader_would_make_a_link(board: BoardFile) -> None:
    assert cell("https://evil.example www.evil.example ~~x~~ &lt;") == (
        "https:\\//evil.example www\\.evil.example \\~\\~x\\~\\~ \\&lt;"
    )
