from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools import sites
from agentcompass_websearch.tools.results import shorten_query


@pytest.mark.parametrize(
    ("query", "words", "found"),
    [
        ("page size", "page size", []),
        ("orders site:docs.acme.example limit", "orders limit", ["docs.acme.example"]),
        ("SITE:Docs.Acme.Example orders", "orders", ["docs.acme.example"]),
        ("site:https://www.acme.example/docs/ orders", "orders", ["acme.example"]),
        ("site:*.acme.example orders", "orders", ["acme.example"]),
        ('site:"acme.example", orders', "orders", ["acme.example"]),
        ("site:acme.example site:acme.example/docs x", "x", ["acme.example"]),
        ("(site:a.example OR site:b.example) x OR y", "x OR y", ["a.example", "b.example"]),
        ("x site:a.example | site:b.example", "x", ["a.example", "b.example"]),
        ("site:a.example", "a.example", ["a.example"]),
        ("site:a.example site:b.example", "a.example b.example", ["a.example", "b.example"]),
        ("site:例え.jp x", "x", ["例え.jp"]),
    ],
)
def test_sites_are_lifted_out_of_a_query(query: str, words: str, found: list[str]) -> None:
    assert sites.lift(query, most=5) == (words, found)


@pytest.mark.parametrize(
    "query",
    [
        "-site:acme.example orders",
        '"say site:acme.example here" orders',
        "site: acme.example",
        "site:gov orders",
        "site:127.0.0.1 orders",
        "site:acme.example?x=1 orders",
        "website:acme.example orders",
        "inurl:docs intitle:orders",
        f"site:{'a' * 400}.example x",
    ],
)
def test_what_names_no_site_to_search_stays(query: str) -> None:
    assert sites.lift(query, most=5) == (query, [])


def test_a_path_is_kept_where_the_vendor_takes_one() -> None:
    assert sites.lift("site:Acme.example/Docs/v2/ x", most=5, paths=True) == ("x", ["acme.example/Docs/v2"])


def test_no_more_sites_are_lifted_than_the_vendor_takes() -> None:
    query = "x site:a.example site:b.example site:c.example site:a.example"
    assert sites.lift(query, most=2) == ("x site:c.example", ["a.example", "b.example"])


@pytest.mark.parametrize(
    "query",
    [
        "site:" * 50_000,
        "site: " * 50_000,
        "site:" + "a.b-" * 50_000,
        "(" * 50_000 + "site:a.example",
        '"' * 50_000,
        " ".join(f"site:a{n}.example" for n in range(50_000)),
    ],
    ids=["joined", "blank", "dots", "brackets", "quotes", "different"],
)
def test_long_queries_take_no_long_time(query: str) -> None:
    started = time.monotonic()
    sites.lift(query, most=100)
    shorten_query(query, 400, 50)
    assert time.monotonic() - started < 2


@given(st.text(alphabet='site:OR|"()-. /aé\ud800\x00', max_size=60))
def test_any_query_is_read_and_lifted_sites_are_sites(query: str) -> None:
    words, found = sites.lift(query, most=3)
    assert (words, found) == (query, []) or (words.strip() and 0 < len(found) <= 3)
    assert sites.lift(" ".join(f"site:{site}" for site in found), most=3)[1] == found


ASK: dict[str, Any] = {"include": "in", "exclude": "out", "most": 5}


def test_the_domains_of_the_arm_come_before_those_of_the_query() -> None:
    query = "x site:a.example"
    assert sites.asked(query, {}, **ASK) == ("x", {"in": ["a.example"]})
    assert sites.asked("x", {}, **ASK) == ("x", {})
    assert sites.asked(query, {"include_domains": ["b.example"]}, **ASK) == (query, {"in": ["b.example"]})
    assert sites.asked(query, {"exclude_domains": ["b.example"]}, **ASK) == (query, {"out": ["b.example"]})
    assert sites.asked(query, {"include_domains": []}, **ASK) == ("x", {"in": ["a.example"]})
    assert sites.asked(query, {"lift_sites": False}, **ASK) == (query, {})


@pytest.mark.parametrize(
    "options",
    [
        {"include_domains": "docs.acme.example"},
        {"exclude_domains": [5]},
        {"include_domains": [" "]},
        {"include_domains": ["a.example"], "exclude_domains": ["b.example"]},
        {"lift_sites": "yes"},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="of acme"):
        sites.check(options, "acme")


def test_right_options() -> None:
    sites.check({"include_domains": ["a.example"], "exclude_domains": [], "lift_sites": False}, "acme")
