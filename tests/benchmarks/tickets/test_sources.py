"""What the dataset parameter may name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import DEFAULT_DATASET, load, parse
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import ticket_from_builtins, ticket_to_builtins
from agentcompass_websearch.errors import UsageError
from tests.benchmarks.support import row, ticket, write_jsonl


@pytest.mark.parametrize(
    ("dataset", "kind", "name", "revision"),
    [
        ("sample", "sample", "sample", None),
        (DEFAULT_DATASET, "hub", "openbenchmarks/OB-Code-Websearch", None),
        ("acme/tickets", "hub", "acme/tickets", None),
        ("hf:acme/tickets@refs/pr/1", "hub", "acme/tickets", "refs/pr/1"),
        ("file:tickets", "path", "tickets", None),
        (" ./tickets ", "path", "./tickets", None),
        ("~/tickets", "path", "~/tickets", None),
        ("/data/tickets", "path", "/data/tickets", None),
        ("data/tickets.JSONL", "path", "data/tickets.JSONL", None),
        ("tickets.parquet", "path", "tickets.parquet", None),
        ("synthetic:seed=7,n=5", "synthetic", "seed=7,n=5", None),
    ],
)
def test_forms(dataset: str, kind: str, name: str, revision: str | None) -> None:
    source = parse(dataset)
    assert (source.kind, source.name, source.revision) == (kind, name, revision)
    assert parse(str(source)) == source


@pytest.mark.parametrize("dataset", ["", "  ", "tickets", "file:", "hf:acme", "a/b/c", None, 7, ["sample"]])
def test_other_forms_are_refused(dataset: Any) -> None:
    with pytest.raises(UsageError, match="sample, file:PATH"):
        parse(dataset)


def test_a_name_that_is_also_here_is_refused_with_both_spellings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme" / "tickets").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="write file:acme/tickets or hf:acme/tickets"):
        parse("acme/tickets")
    assert parse("hf:acme/tickets").kind == "hub"
    assert parse("file:acme/tickets").kind == "path"


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_jsonl(tmp_path / "rows.jsonl", [row()])
    assert len(load(parse("~/rows.jsonl")).tickets) == 1


def test_the_sample_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load(parse("sample"))
    assert dataset.source == "sample"
    assert len(dataset.tickets) == len(list(sample.rows()))
    assert all(one.gold_cites and one.needles_origin == "row" for one in dataset.tickets)


def test_a_ticket_survives_storing(tmp_path: Path) -> None:
    one = ticket(tmp_path, kinds=["path", "header"], max_searches=0)
    assert ticket_from_builtins(ticket_to_builtins(one)) == one


def test_the_hash_of_a_ticket_is_of_what_decides_a_result(tmp_path: Path) -> None:
    base = ticket(tmp_path).sha
    same = [ticket(tmp_path, task_id="renamed"), ticket(tmp_path, vendor="other")]
    other = [
        ticket(tmp_path, ticket="Other words."),
        ticket(tmp_path, starter_code="x = 1\n"),
        ticket(tmp_path, required=["/v3/crates:releaseAll"]),
        ticket(tmp_path, kinds=["other", "header"]),
        ticket(tmp_path, cite_urls=False),
        ticket(tmp_path, max_searches=0),
        ticket(tmp_path, outfile="lane.py"),
    ]
    assert [one.sha for one in same] == [base, base]
    assert len({one.sha for one in other} | {base}) == len(other) + 1
