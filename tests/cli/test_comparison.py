"""The page that compares vendors, and the pages of the families, against the vendors themselves."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agentcompass_websearch import cli, plugins
from agentcompass_websearch.cli._comparison import price
from agentcompass_websearch.tools import base_urls

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
ENTRY_POINTS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
FAMILIES = sorted(ENTRY_POINTS[plugins.VENDOR_GROUP])
PAGES = sorted(path for path in (DOCS / "vendors").glob("*.md") if path.stem in FAMILIES)


def test_the_committed_page_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["vendors", "--markdown", *FAMILIES]
    assert cli.main(command) == 0
    printed = capsys.readouterr().out
    committed = (DOCS / "vendors" / "comparison.md").read_text(encoding="utf-8")
    assert committed == printed, f"agentcompass-websearch {' '.join(command)} > docs/vendors/comparison.md"


def test_it_compares_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vendors", "--markdown", "string", "brave", "perplexity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| `string` | search & fetch, search-only | unknown | unknown | - | - |" in lines
    assert "| `brave` | search-only | 0.005 | - | 2026-11 | 50 |" in lines
    assert any(line.startswith("| `perplexity_high` (also `perplexity`) | search & fetch |") for line in lines)
    assert any("| none | native |" in line and "400 characters, 50 words" in line for line in lines)
    rows = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in rows} == {7, 8}, "every row of a table has all its cells"


def test_one_form_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vendors", "--markdown", "--json"]) == 2
    assert "not both" in capsys.readouterr().err


def test_every_family_is_described() -> None:
    overview = (DOCS / "vendors.md").read_text(encoding="utf-8")
    pages = {path.stem for path in PAGES}
    assert [family for family in FAMILIES if family not in pages and f"`{family}`" not in overview] == []
    for family in pages:
        assert f"(vendors/{family}.md)" in overview


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_of_a_family_tells_its_ids_prices_keys_and_options(page: Path) -> None:
    vendor = plugins.load(page.stem)
    text = page.read_text(encoding="utf-8")
    named = [*vendor.vendor_ids(), *vendor.key_vars, *(vendor.options.keys() - base_urls.OPTIONS.keys())]
    assert [name for name in named if f"`{name}`" not in text] == []
    for mode in vendor.modes.values():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{vendor.vendor_id(mode.name)}`"))
        for op, usd in (("search", mode.price.search_usd), ("fetch", mode.price.fetch_usd)):
            if op in mode.operations and vendor.key_vars:
                assert f" {price(usd, True)} " in row, f"{op} of {mode.name} costs {usd}"
    for limit in (vendor.facts.max_query_chars, vendor.facts.max_query_words):
        assert limit is None or f"{limit:,} " in text
