"""Rows to tickets: the same from each kind of file, and each fault named with file, line and ticket."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.errors import UsageError
from tests.benchmarks.support import GOLD, HEADER, PATH, STARTER, row, ticket, tickets_of, write_jsonl


def fault(tmp_path: Path, *rows: Any) -> str:
    """Load rows that must be refused, and return why."""
    with pytest.raises(UsageError) as refused:
        tickets_of(write_jsonl(tmp_path / "rows.jsonl", rows))
    return str(refused.value)


def test_a_row_becomes_a_ticket(tmp_path: Path) -> None:
    one = ticket(tmp_path)
    assert (one.id, one.category, one.outfile, one.needles_origin) == ("tolvane_01", "tolvane", "client.py", "row")
    assert (one.starter, one.gold, one.gold_cites, one.cite_urls) == (STARTER, GOLD, True, True)
    assert [(n.text, n.kind) for n in one.needles] == [(PATH, "path"), (HEADER, "header")]
    assert one.limits.given() == {}


def test_optional_columns_are_used(tmp_path: Path) -> None:
    one = ticket(
        tmp_path,
        task_id=None,
        id="lane-7",
        outfile="lane.py",
        required=[PATH],
        query_forbidden=[HEADER, PATH],
        kinds=["other", "header", None],
        cite_urls="false",
        max_fetches=0,
        max_turns=4,
    )
    assert (one.id, one.outfile, one.cite_urls) == ("lane-7", "lane.py", False)
    assert [(n.text, n.kind) for n in one.needles] == [(PATH, "other"), (HEADER, "header")]
    assert one.limits.given() == {"max_turns": 4, "max_fetches": 0}


def variants() -> list[dict[str, Any]]:
    return [
        row(task_id="a", required=[], query_forbidden=[PATH]),
        row(task_id="b", required=[PATH], query_forbidden=[HEADER]),
        row(task_id="c", query_forbidden=[PATH]) | {"required": None},
    ]


def test_json_jsonl_and_parquet_give_the_same_tickets(tmp_path: Path) -> None:
    rows = variants()
    lines = write_jsonl(tmp_path / "rows.jsonl", rows)
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=1), encoding="utf-8-sig")
    (tmp_path / "lines.json").write_bytes(b"\xef\xbb\xbf" + lines.read_bytes().replace(b"\n", b"\r\n\r\n"))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    loaded = [tickets_of(tmp_path / name) for name in ("rows.jsonl", "rows.json", "lines.json", "rows.parquet")]
    assert [t.id for t in loaded[0]] == ["a", "b", "c"]
    assert loaded[0] == loaded[1] == loaded[2] == loaded[3]


@pytest.mark.parametrize(
    ("required", "words"),
    [(PATH, [PATH]), (json.dumps([PATH, HEADER]), [PATH, HEADER]), ([PATH, PATH], [PATH])],
)
def test_needles_may_be_one_text_or_json_text(tmp_path: Path, required: Any, words: list[str]) -> None:
    assert [n.text for n in ticket(tmp_path, required=required).needles] == words


def test_ids_that_are_numbers_become_text(tmp_path: Path) -> None:
    assert ticket(tmp_path, task_id=4).id == "4"


def test_text_is_cleaned_and_line_ends_are_one_kind(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row(ticket="Köln \ud835 → 東京 \ud83d\ude00\x07", starter_code="x = 1\r\n")), "utf-8")
    (one,) = tickets_of(path)
    assert (one.text, one.starter) == ("Köln \ufffd → 東京 \U0001f600", "x = 1\n")


@pytest.mark.parametrize(
    "name",
    ["../escaped", "/etc/cron.d/x", "a/b", "CON", "com1.txt", "a:b?", "x" * 200, "..", "a b", "a.", "-x", "é", "a\nb"],
)
def test_unsafe_ids_are_refused(tmp_path: Path, name: str) -> None:
    assert f"rows.jsonl line 1: ticket {name!r}: id " in fault(tmp_path, row(task_id=name))


@pytest.mark.parametrize(
    "name", ["../../x.py", "/x.py", "a//b.py", "nul.py", "client.txt", "a\\b.py", "x" * 99 + ".py"]
)
def test_unsafe_outfiles_are_refused(tmp_path: Path, name: str) -> None:
    assert f"outfile {name!r} " in fault(tmp_path, row(outfile=name))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task_id": True}, "task_id is a boolean True, but must be text"),
        ({"task_id": 1.5}, "task_id is a number 1.5"),
        ({"task_id": []}, "task_id is a list"),
        ({"task_id": None}, "has no task_id or id"),
        ({"task_id": ""}, "task_id is empty"),
        ({"ticket": " \n"}, "has no ticket"),
        ({"gold_code": 7}, "gold_code is a number 7, but must be text"),
        ({"starter_code": "def f(:\n"}, "starter code does not compile"),
        ({"gold_code": GOLD + "\n)"}, "gold code does not compile"),
        ({"starter_code": "# nothing\n"}, "starter code does not compile"),
        ({"required": ["X-Tolvane Lane"]}, "holds white space"),
        ({"required": ["/v3/crates\n"]}, "holds white space"),
        ({"required": ["a\u200bb"]}, "does not print"),
        ({"required": ["x" * 400]}, "is longer than"),
        ({"required": [7]}, "required holds a number 7"),
        ({"required": {"a": 1}}, "required is of type dict"),
        ({"required": [PATH, "X-Not-There"]}, "gold code lacks 'X-Not-There'"),
        ({"starter_code": GOLD}, "starter holds all needles already"),
        ({"kinds": {PATH: "heder"}}, f"kind of {PATH!r} is 'heder', but must be one of header, path, other"),
        ({"kinds": {"X-Tolvane-Lne": "header"}}, f"no needle of the ticket (did you mean {HEADER!r}?)"),
        ({"kinds": ["path"]}, "kinds has 1 items for 2 needles"),
        ({"required": [], "query_forbidden": None, "kinds": {PATH: "path"}}, "has kinds, but no needles in required"),
        ({"max_turns": 0}, "max_turns is 0, less than 1"),
        ({"max_fetches": -1}, "max_fetches is -1, less than 0"),
        ({"max_fetches": True}, "max_fetches is a boolean True, but must be a whole number"),
        ({"cite_urls": "nope"}, "cite_urls is text, but must be true or false"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_ticket(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    message = fault(tmp_path, row(task_id="sound"), row(**{"task_id": "sick", **change}))
    assert said in message
    assert "rows.jsonl line 2" in message
    if "task_id" not in change:
        assert "ticket 'sick'" in message


def test_gold_that_is_not_cited_is_no_fault(tmp_path: Path) -> None:
    assert ticket(tmp_path, gold_code=GOLD.replace("source:", "see")).gold_cites is False


def test_ids_that_differ_only_by_case_are_refused(tmp_path: Path) -> None:
    message = fault(tmp_path, row(task_id="Lane"), row(task_id="lane"), row(task_id="other"))
    assert "line 2: ticket 'lane': id occurs twice, first in" in message


def test_all_faults_are_listed_but_not_without_end(tmp_path: Path) -> None:
    message = fault(tmp_path, *(row(task_id=f"bad {n}") for n in range(50)))
    first, *others = message.split("\n")
    assert "line 1: " in first
    assert "(and 49 more, below)" in first
    assert len(others) == 20
    assert others[-1] == "  ... and 30 more"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"task_id": "a"}\n{"task_id": "b", "ven', "line 2: not a JSON object on one line"),
        ('[{"task_id": "a"},\n {"task', "line 2: not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('["text"]', "row 1: is text, not an object"),
        ("null\n", "line 1: is null, not an object"),
        ("", "holds no tickets"),
        ("[]", "holds no tickets"),
    ],
)
def test_files_that_are_no_rows(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"rows\.json") as refused:
        tickets_of(path)
    assert said in str(refused.value)


def test_a_broken_line_is_listed_with_the_faults_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"task_id": "a"}\n{"task_id": \n' + "[" * 100_000 + '\n{"task_id": "d"}\n')
    with pytest.raises(UsageError) as refused:
        tickets_of(path)
    message = str(refused.value)
    for said in ("line 1: ticket 'a'", "line 2: not a JSON object", "line 3: JSON nested", "line 4: ticket 'd'"):
        assert said in message
    assert len(message) < 5_000


def test_of_a_file_in_another_form_one_line_says_enough(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('{\n "rows": [\n  {"task_id": "a"\n}]}\n')
    with pytest.raises(UsageError, match=r"line 1: not a JSON object on one line[^\n]*\Z"):
        tickets_of(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"task_id": "a"}\n{"task_id": "\xe4"}\n')
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "rows.csv").write_text("task_id\n")
    for name, said in [
        ("latin.jsonl", "line 2 is not UTF-8"),
        ("torn.parquet", "not a readable Parquet file"),
        ("rows.csv", "rows are read from .jsonl"),
        ("none.jsonl", "does not exist"),
        (".", "has none of catalog.json"),
    ]:
        with pytest.raises(UsageError) as refused:
            load(parse(f"file:{tmp_path / name}"))
        assert said in str(refused.value)
