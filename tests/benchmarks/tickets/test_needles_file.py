"""The needles file: what it gives to which tickets, and each fault in it by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Needle
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.needles_file import needles_text, read_needles
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.errors import UsageError
from tests.benchmarks.support import HEADER, PATH, row, write_jsonl


def with_file(tmp_path: Path, entries: Any, *rows: dict[str, Any]) -> tuple[Ticket, ...]:
    """Load rows (default: one without needles) with a needles file."""
    file = tmp_path / "needles.json"
    file.write_text(entries if isinstance(entries, str) else json.dumps(entries), encoding="utf-8")
    data = write_jsonl(tmp_path / "rows.jsonl", rows or [row(required=None)])
    return load(parse(f"file:{data}"), needles_file=file).tickets


def fault(tmp_path: Path, entries: Any, *rows: dict[str, Any]) -> str:
    with pytest.raises(UsageError) as refused:
        with_file(tmp_path, entries, *rows)
    return str(refused.value)


def test_it_gives_needles_to_tickets_that_have_none(tmp_path: Path) -> None:
    entries = {"tolvane_01": [{"needle": PATH, "kind": "other"}, {"needle": HEADER}]}
    (one,) = with_file(tmp_path, entries)
    assert one.needles == (Needle(PATH, "other"), Needle(HEADER, "header"))
    assert one.needles_origin == "file"


def test_tickets_that_it_leaves_out_keep_their_own_or_derived_ones(tmp_path: Path) -> None:
    rows = [row(task_id="a"), row(task_id="b", required=None), row(task_id="c", required=None)]
    tickets = with_file(tmp_path, {"c": [{"needle": HEADER}]}, *rows)
    assert [one.needles_origin for one in tickets] == ["row", "derived", "file"]


def test_needles_that_the_dataset_has_cannot_be_changed(tmp_path: Path) -> None:
    same = {"tolvane_01": [{"needle": PATH}, {"needle": HEADER}]}
    (one,) = with_file(tmp_path, same, row())
    assert one.needles_origin == "row"
    assert "has needles of its own" in fault(tmp_path, {"tolvane_01": [{"needle": HEADER}]}, row())


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"tolvane_1": [{"needle": PATH}]}, "ticket 'tolvane_1': is not in the dataset; did you mean 'tolvane_01'?"),
        (
            {"tolvane_01": [{"needle": "X-Not-There"}]},
            "ticket 'tolvane_01': needle 'X-Not-There' is absent from the gold",
        ),
        ({"tolvane_01": [{"needle": HEADER}, {"needle": "httpx.post"}]}, "'httpx.post' is present in the starter"),
        (
            {"tolvane_01": [{"needle": HEADER, "kind": "head"}]},
            "kind of 'X-Tolvane-Lane' is 'head', but must be one of",
        ),
        ({"tolvane_01": [{"needle": HEADER, "knid": "header"}]}, "unknown fields: knid"),
        ({"tolvane_01": [{"kind": "header"}]}, "is not of the form {needle, kind}"),
        ({"tolvane_01": [HEADER]}, "is not of the form {needle, kind}"),
        ({"tolvane_01": HEADER}, "must have a list"),
        ({"tolvane_01": []}, "must have a list of one or more"),
        ([], "must be an object"),
        ('{"a": [],\n "b": }', "line 2: not valid JSON"),
        ('{"a": [{"needle": "x"}], "a": [{"needle": "y"}]}', "'a' stands twice"),
        ("[" * 100_000, "needles.json"),
    ],
)
def test_faults_are_named(tmp_path: Path, entries: Any, said: str) -> None:
    message = fault(tmp_path, entries)
    assert said in message
    assert "needles.json" in message


def test_all_faults_are_listed(tmp_path: Path) -> None:
    message = fault(tmp_path, {"tolvane_01": [{"needle": "x-1"}, {"needle": "x-2"}, {"needle": "httpx.post"}]})
    assert [word in message for word in ("'x-1'", "'x-2'", "'httpx.post'")] == [True] * 3


def test_faults_of_dataset_and_file_are_listed_together(tmp_path: Path) -> None:
    rows = [row(task_id="a", required=None), row(task_id="../b")]
    message = fault(tmp_path, {"a": [{"needle": "x-1"}], "c": [{"needle": "x-2"}]}, *rows)
    assert [part in message for part in ("'x-1'", "ticket 'c'", "'../b'")] == [True] * 3


def test_code_that_does_not_compile_is_said_once(tmp_path: Path) -> None:
    entries = {"tolvane_01": [{"needle": HEADER}]}
    for column in ("gold_code", "starter_code"):
        message = fault(tmp_path, entries, row(required=None, **{column: "def :"}))
        assert f"{column.partition('_')[0]} code does not compile" in message
        assert HEADER not in message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_needles(tmp_path / "none.json", Problems())


def test_what_is_written_reads_back_one_needle_a_line(tmp_path: Path) -> None:
    written = {"a": (Needle("X-Å", "header"), Needle('q"\\', "other")), "b": (Needle("v2/{}/x", "path"),), "c": ()}
    text = needles_text(written.items())
    file = tmp_path / "n.json"
    file.write_text(text, encoding="utf-8")
    assert [line.count('"needle"') for line in text.splitlines() if '"needle"' in line] == [1, 1, 1]
    assert json.loads(text) == {
        key: [{"needle": n.text, "kind": n.kind} for n in needles] for key, needles in written.items()
    }
    problems = Problems()
    read = read_needles(file, problems)
    assert {key: [Needle(*needle) for needle in entry] for key, entry in read.items()} == {  # type: ignore[arg-type]
        key: list(needles) for key, needles in written.items()
    }
    assert [line.partition("ticket ")[2] for line in problems.lines] == [
        "'c': must have a list of one or more {needle, kind}"
    ]
