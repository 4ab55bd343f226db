"""``agentcompass-websearch vendors``: what a user must know to choose a vendor id."""

from __future__ import annotations

import json

import pytest

from agentcompass_websearch import cli
from tests.support.installs import SiteFolder

ACME = """
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.tools.contract import Mode, Price, Vendor

@hookimpl
def websearch_vendor():
    both = frozenset({"search", "fetch"})
    modes = {
        "fast": Mode("fast", "index [beta]", frozenset({"search"}), ("search-only",), Price(0.007, None, "2026-11")),
        "deep": Mode("deep", "live", both, ("search-only", "search-fetch"), Price(0.01, 0.0, "2026-11", "price page")),
        "new": Mode("new", "preview", both, ("search-fetch",)),
    }
    keys = ("ACME_API_KEY", "ACME_KEY")
    return Vendor("acme", "Acme", "https://acme.example", modes, "fast", open=None, key_vars=keys)
"""


@pytest.fixture
def acme(installed_here: SiteFolder) -> SiteFolder:
    installed_here.add_vendor("acme", ACME)
    return installed_here


def test_json_has_every_id_with_unknown_prices_as_null(acme: SiteFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vendors", "acme", "--json"]) == 0
    fast, deep, new = json.loads(capsys.readouterr().out)
    assert fast == {
        "id": "acme_fast",
        "family": "acme",
        "default": True,
        "title": "Acme",
        "description": "index [beta]",
        "homepage": "https://acme.example",
        "operations": ["search"],
        "home_boards": ["search-only"],
        "key_variables": ["ACME_API_KEY", "ACME_KEY"],
        "search_usd": 0.007,
        "fetch_usd": None,
        "price_as_of": "2026-11",
        "price_source": None,
    }
    assert (deep["operations"], deep["fetch_usd"], deep["price_source"]) == (["search", "fetch"], 0.0, "price page")
    assert (new["id"], new["default"], new["search_usd"], new["price_as_of"]) == ("acme_new", False, None, None)


def test_the_table_tells_free_unknown_and_missing_apart(acme: SiteFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vendors", "acme"]) == 0
    _, fast, deep, new = capsys.readouterr().out.splitlines()
    assert fast.split() == [
        *("acme_fast", "(default)", "Acme:", "index", "[beta]", "search", "search-only"),
        *("ACME_API_KEY", "or", "ACME_KEY", "0.007", "-", "2026-11"),
    ]
    assert deep.split()[-3:] == ["0.01", "0", "2026-11"]
    assert new.split()[-2:] == ["unknown", "unknown"]


def test_the_families_shown_can_be_chosen(acme: SiteFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["vendors", "none", "acme", "none", "--json"]) == 0
    assert [row["family"] for row in json.loads(capsys.readouterr().out)] == ["none", "acme", "acme", "acme"]


def test_all_installed_families_are_shown_and_broken_ones_named_on_stderr(
    acme: SiteFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    acme.add_vendor("broken", "raise RuntimeError('no luck')")
    assert cli.main(["vendors", "--json"]) == 0
    out, err = capsys.readouterr()
    assert {"acme", "exa", "local", "none"} <= {row["family"] for row in json.loads(out)}
    (line,) = err.splitlines()
    assert line.startswith("vendor family 'broken' of broken-plugin 1.0")
    assert "RuntimeError: no luck" in line


def test_asking_for_a_broken_family_fails(acme: SiteFolder, capsys: pytest.CaptureFixture[str]) -> None:
    acme.add_vendor("broken", "raise RuntimeError('no luck')")
    assert cli.main(["vendors", "broken"]) == 2
    assert "RuntimeError: no luck" in capsys.readouterr().err
