"""Choosing tickets by id or docs vendor."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.select import by_vendor, check_known, names_of
from agentcompass_websearch.errors import UsageError
from tests.benchmarks.support import row, tickets_of, write_jsonl


@pytest.mark.parametrize(
    ("value", "names"),
    [(None, None), ("a", ["a"]), (" a, b,,a ", ["a", "b"]), (["a", "b,c"], ["a", "b,c"]), (("a",), ["a"])],
)
def test_names(value: Any, names: list[str] | None) -> None:
    assert names_of(value, "sample_ids") == names


@pytest.mark.parametrize("value", [7, True, {"a": 1}, [7], [date(2026, 1, 2)], [False], [750], [None]])
def test_what_is_not_text_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="quote it"):
        names_of(value, "sample_ids")


@pytest.mark.parametrize("value", ["", " , ", [], [" "]])
def test_nothing_is_not_everything(value: Any) -> None:
    with pytest.raises(UsageError, match="sample_ids is empty"):
        names_of(value, "sample_ids")


def test_vendors(tmp_path: Path) -> None:
    tickets = tickets_of(write_jsonl(tmp_path / "r.jsonl", [row(task_id="a"), row(task_id="b", vendor="Quell")]))
    assert [one.id for one in by_vendor(tickets, ["quell"])] == ["b"]
    assert by_vendor(tickets, None) == tickets
    with pytest.raises(UsageError, match="unknown docs_vendor: tolvan; did you mean tolvane"):
        by_vendor(tickets, ["tolvan"])


def test_unknown_names_are_all_listed() -> None:
    check_known("sample_ids", [], ["a"])
    with pytest.raises(UsageError, match=r"unknown sample_ids: x, y; known are: t0, t1, .*\.\.\. \(30 in all\)"):
        check_known("sample_ids", ["x", "y"], [f"t{n}" for n in range(30)])
