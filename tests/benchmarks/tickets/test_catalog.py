"""Catalog trees to tickets: files beside the catalog, defaults, and what YAML makes of unquoted values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentcompass_websearch.errors import UsageError
from tests.benchmarks.support import GOLD, HEADER, PATH, STARTER, tickets_of

ITEM = {"id": "lane_01", "required": [PATH], "query_forbidden": [HEADER]}


def tree(root: Path, *items: Any, name: str = "catalog.json", defaults: Any = None) -> Path:
    """Write a catalog with the folders of its items and return its folder."""
    for item in items:
        if isinstance(item, dict):
            task_files(root, str(item.get("id")), item.get("outfile", "client.py"))
    catalog = {"defaults": defaults, "items": list(items)}
    text = json.dumps(catalog) if name.endswith(".json") else yaml.safe_dump(catalog)
    (root / name).write_text(text, encoding="utf-8")
    return root


def task_files(root: Path, task_id: str, outfile: str = "client.py") -> Path:
    task = root / task_id
    for folder, code in (("starter", STARTER), ("gold", GOLD)):
        path = task / folder / outfile
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    (task / "prompt.txt").write_text("Release crates → in bulk.", encoding="utf-8-sig")
    return task


def fault(root: Path) -> str:
    with pytest.raises(UsageError) as refused:
        tickets_of(root)
    return str(refused.value)


@pytest.mark.parametrize("name", ["catalog.json", "catalog.yaml", "catalog.yml"])
def test_a_tree_becomes_tickets(tmp_path: Path, name: str) -> None:
    defaults = {"outfile": "lane.py", "max_turns": 9, "repo": "tolvane-docs"}
    (one,) = tickets_of(tree(tmp_path, {**ITEM, "outfile": "lane.py", "max_turns": 3}, name=name, defaults=defaults))
    assert (one.id, one.category, one.outfile, one.needles_origin) == ("lane_01", "tolvane-docs", "lane.py", "catalog")
    assert (one.text, one.starter, one.gold, one.holds_starter) == ("Release crates → in bulk.", STARTER, GOLD, False)
    assert [n.text for n in one.needles] == [PATH, HEADER]
    assert one.limits.given() == {"max_turns": 3}
    assert tickets_of(tmp_path / name) == (one,)


@pytest.mark.parametrize(
    ("fields", "category"),
    [
        ({"docs_vendor": "tolvane", "docs": ["https://docs.other.example/x"], "repo": "r"}, "tolvane"),
        ({"docs": ["https://Docs.Tolvane.example:443/x"], "repo": "r"}, "docs.tolvane.example"),
        ({"docs": "https://docs.tolvane.example/x"}, "docs.tolvane.example"),
        ({"docs": ["http://[bad"], "repo": "r"}, "r"),
        ({"docs": [], "repo": " r "}, "r"),
        ({}, "unknown"),
    ],
)
def test_category_is_the_docs_vendor(tmp_path: Path, fields: dict[str, Any], category: str) -> None:
    (one,) = tickets_of(tree(tmp_path, {**ITEM, **fields}))
    assert one.category == category


def test_a_prompt_with_the_starter_in_it_is_whole(tmp_path: Path) -> None:
    tree(tmp_path, ITEM)
    (tmp_path / "lane_01" / "prompt.txt").write_text(f"Release.\n```python\n{STARTER}```\n")
    (one,) = tickets_of(tmp_path)
    assert one.holds_starter


def test_the_prompt_may_stand_in_the_catalog(tmp_path: Path) -> None:
    tree(tmp_path, {**ITEM, "prompt": "Release."})
    (tmp_path / "lane_01" / "prompt.txt").unlink()
    (one,) = tickets_of(tmp_path)
    assert one.text == "Release."


def test_numbers_are_ids_in_json(tmp_path: Path) -> None:
    (one,) = tickets_of(tree(tmp_path, {**ITEM, "id": 7}))
    assert one.id == "7"


@pytest.mark.parametrize(
    ("unquoted", "said"),
    [
        ("2026-01-02", "a date 2026-01-02"),
        ("no", "a boolean False"),
        ("007", "a number 7"),
        ("12:30", "a number 750"),
        ("1_000", "a number 1000"),
        ("~", "null"),
    ],
)
def test_what_yaml_makes_of_unquoted_ids_is_refused(tmp_path: Path, unquoted: str, said: str) -> None:
    (tmp_path / "catalog.yaml").write_text(f"items:\n- id: {unquoted}\n  required: [{PATH}]\n")
    message = fault(tmp_path)
    assert "catalog.yaml item 1: id is " + said in message
    assert "quote it" in message


def test_a_needle_that_yaml_reads_as_a_date_is_refused(tmp_path: Path) -> None:
    task_files(tmp_path, "lane_01")
    (tmp_path / "catalog.yaml").write_text("items:\n- id: lane_01\n  required: [2026-07-01]\n")
    assert "ticket 'lane_01': required holds a date 2026-07-01 (YAML read it so: quote it)" in fault(tmp_path)


@pytest.mark.parametrize("missing", ["starter/client.py", "gold/client.py", "prompt.txt"])
def test_missing_files_are_named(tmp_path: Path, missing: str) -> None:
    tree(tmp_path, ITEM)
    (tmp_path / "lane_01" / missing).unlink()
    message = fault(tmp_path)
    assert "item 1: ticket 'lane_01'" in message
    assert f"lane_01/{missing}" in message


def test_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    tree(root, ITEM)
    outside = tmp_path / "outside.py"
    outside.write_text(GOLD)
    gold = root / "lane_01" / "gold" / "client.py"
    gold.unlink()
    gold.symlink_to(outside)
    assert "file lane_01/gold/client.py is a link that leads out of" in fault(root)
    gold.unlink()
    gold.write_text(outside.read_text())
    prompt = root / "lane_01" / "prompt.txt"
    prompt.unlink()
    prompt.symlink_to(outside)
    message = fault(root)
    assert "file lane_01/prompt.txt is a link that leads out of" in message
    assert "neither a prompt" not in message


def test_names_are_checked_before_any_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text(
        json.dumps({"items": [{**ITEM, "id": "../lane_01"}, {**ITEM, "outfile": "../client.py"}, "text"]})
    )
    message = fault(tmp_path)
    assert "ticket '../lane_01': id may hold only" in message
    assert "outfile '../client.py' " in message
    assert "item 3: is text, not an object" in message


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("catalog.json", '{"items": [\n', "catalog.json line 2: not valid JSON"),
        ("catalog.yaml", "items:\n- id: [\n", "catalog.yaml line 3: not valid YAML"),
        ("catalog.yaml", "items: !!python/object:os.system {}\n", "catalog.yaml line 1: not valid YAML"),
        ("catalog.yaml", "when: 2026-13-45\nitems: []\n", "catalog.yaml: cannot be read"),
        ("catalog.yaml", "a\x00b", "catalog.yaml: cannot be read"),
        ("catalog.json", "[]", "needs a list named items"),
        ("catalog.json", '{"items": {}}', "needs a list named items"),
        ("catalog.json", '{"items": [], "defaults": []}', "holds no tickets"),
        ("catalog.json", '{"items": [], "defaults": [1]}', "defaults must be named fields"),
    ],
)
def test_files_that_are_no_catalog(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    assert said in fault(tmp_path)
