"""One set of tickets in every form: the same tickets, needles and hashes, with and without needle columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket, ticket_from_builtins
from agentcompass_websearch.cli._synthetic_files import write_world
from agentcompass_websearch.sample.synthesize import synthesize
from tests.benchmarks.support import write_jsonl
from tests.support.fake_hub import FakeHub, fake_hub
from tests.support.installs import Run

__all__ = ["fake_hub"]

PUBLIC = ("task_id", "vendor", "ticket", "starter_code", "gold_code")
WORLD = synthesize(7, 30)
LOAD = """
import json, sys
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import ticket_to_builtins
dataset = load(parse(sys.argv[1]))
print(json.dumps([dataset.revision, [ticket_to_builtins(t) | {"sha": t.sha} for t in dataset.tickets]]))
"""


def as_json(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def as_jsonl(rows: list[dict[str, Any]], folder: Path) -> Path:
    return write_jsonl(folder / "rows.jsonl", rows)


def as_parquet(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def as_catalog(rows: list[dict[str, Any]], folder: Path) -> Path:
    items = [{"docs_vendor": r["vendor"], **r, "id": r["task_id"]} for r in rows]
    (folder / "catalog.json").write_text(json.dumps({"items": items}), encoding="utf-8")
    for r in rows:
        for name, column in (("starter", "starter_code"), ("gold", "gold_code")):
            (folder / r["task_id"] / name).mkdir(parents=True)
            (folder / r["task_id"] / name / "client.py").write_text(r[column], encoding="utf-8")
        (folder / r["task_id"] / "prompt.txt").write_text(r["ticket"], encoding="utf-8")
    return folder


def deciding(tickets: tuple[Ticket, ...]) -> list[tuple[Any, ...]]:
    return [(t.id, t.category, t.text, t.starter, t.gold, t.needles, t.sha) for t in tickets]


@pytest.mark.parametrize("columns", ["all", "public"])
@pytest.mark.parametrize("form", [as_jsonl, as_parquet, as_catalog])
def test_files_and_folders(columns: str, form: Callable[[list[dict[str, Any]], Path], Path], tmp_path: Path) -> None:
    rows = [r if columns == "all" else {c: r[c] for c in PUBLIC} for r in WORLD.rows()]
    (tmp_path / "json").mkdir()
    expected = load(parse(f"file:{as_json(rows, tmp_path / 'json')}")).tickets
    (tmp_path / "other").mkdir()
    found = load(parse(f"file:{form(rows, tmp_path / 'other')}")).tickets
    assert deciding(found) == deciding(expected)
    assert len(found) == 30
    assert {t.needles_origin for t in found} <= ({"row", "catalog"} if columns == "all" else {"derived"})


@pytest.mark.parametrize("columns", ["all", "public"])
def test_the_hub(columns: str, run: Run, fake_hub: FakeHub, tmp_path: Path) -> None:
    rows = [r if columns == "all" else {c: r[c] for c in PUBLIC} for r in WORLD.rows()]
    path = as_parquet(rows, tmp_path)
    expected = load(parse(f"file:{path}")).tickets
    sha = fake_hub.commit("acme/tickets", {"README.md": "# Tickets", "data/test.parquet": path.read_bytes()}, lfs=True)
    out = run("python", "-c", LOAD, "hf:acme/tickets", only_env=fake_hub.environ(tmp_path / "hf")).ok()
    revision, tickets = json.loads(out)
    assert revision == sha
    assert [t.pop("sha") for t in tickets] == [t.sha for t in expected]
    assert tuple(map(ticket_from_builtins, tickets)) == expected
    assert {t.needles_origin for t in expected} == ({"row"} if columns == "all" else {"derived"})


def test_synthetic_tickets_by_name_and_as_written(tmp_path: Path) -> None:
    write_world(WORLD, tmp_path / "made", force=False, advance=lambda what: None)
    expected = deciding(load(parse("synthetic:seed=7,n=30")).tickets)
    for form in ("rows.jsonl", "catalog", "catalog/catalog.json"):
        assert deciding(load(parse(f"file:{tmp_path / 'made' / form}")).tickets) == expected


def test_needles_as_written_give_the_same_needles(tmp_path: Path) -> None:
    write_world(WORLD, tmp_path / "made", force=False, advance=lambda what: None)
    public = write_jsonl(tmp_path / "public.jsonl", [{c: r[c] for c in PUBLIC} for r in WORLD.rows()])
    found = load(parse(f"file:{public}"), needles_file=tmp_path / "made" / "needles.json").tickets
    assert {t.needles_origin for t in found} == {"file"}
    assert [t.sha for t in found] == [t.sha for t in load(parse("synthetic:seed=7,n=30")).tickets]


def test_derived_needles_hold_those_of_the_sample() -> None:
    """What is derived is at least what the sample's author meant: a patch with the derived ones has the others."""
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import derive_needles

    for row in sample.rows():
        derived = {needle.text.strip("/") for needle in derive_needles(row["gold_code"], row["starter_code"])}
        assert {word.strip("/") for word in row["required"]} <= derived
