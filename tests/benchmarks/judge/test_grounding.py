"""Which cited pages count as returned."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.grounding import Observed
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search
from tests.benchmarks.judge.support import DOCS, fetched, hits, outcome, published


def grounds(cited: str, evidence: Evidence) -> bool:
    """Whether citing a page is grounded by `evidence`, as the whole judge sees it."""
    verdict = published(f"# source: {cited}\nx = 'needle'", "needle", evidence=evidence)
    assert verdict.passed is (verdict.needles[0].grounded_by is not None)
    return verdict.passed


@pytest.mark.parametrize(
    ("cited", "returned"),
    [
        ("https://d", "https://docs.acme.example/api"),
        ("https://docs.acme.example", "https://docs.acme.example/api/v2/workers"),
        ("https://docs.acme.example/api", "https://docs.acme.example"),
        ("https://docs.acme.example/api/v2-archive", "https://docs.acme.example/api/v2"),
        ("https://docs.acme.example/api/v2", "https://docs.acme.example/api/v2/workers"),
        ("https://docs.acme.example.evil.test/x", "https://docs.acme.example"),
        ("https://docs.acme.example/p?id=2", "https://docs.acme.example/p?id=1"),
        ("https://docs.acme.example/#/guide/two", "https://docs.acme.example/#/guide/one"),
        ("https://docs.acme.example/A", "https://docs.acme.example/a"),
        ("https://docs.acme.example:8443/a", "https://docs.acme.example/a"),
    ],
)
def test_only_the_same_page_counts(cited: str, returned: str) -> None:
    assert not grounds(cited, hits(returned))
    assert not grounds(cited, fetched(returned))
    assert grounds(cited, hits(returned, cited))


def test_hits_of_a_search_that_failed_do_not_count() -> None:
    assert not grounds(DOCS, Evidence((Search("q", (Hit(DOCS),), error="timeout"),)))
    assert grounds(DOCS, Evidence((Search("q", error="timeout"), Search("q", (Hit("https://x.example"), Hit(DOCS))))))


@pytest.mark.parametrize(
    ("fetch", "counts"),
    [
        (Fetch(DOCS, content="x"), True),
        (Fetch(DOCS, content="x", status=200), True),
        (Fetch(DOCS, content="x", status=204), True),
        (Fetch(DOCS, content="x", status=301), False),
        (Fetch(DOCS, content="x", status=404), False),
        (Fetch(DOCS, content="x", status=500), False),
        (Fetch(DOCS, content="x", error="HTTP 404"), False),
        (Fetch(DOCS, content=""), False),
        (Fetch(DOCS, content=" \n\t\u3000"), False),
        (Fetch(DOCS, title="x", content=""), False),
        (Fetch("https://go.example", DOCS, content="x"), True),
        (Fetch(DOCS, "https://other.example/", content="x"), True),
        (Fetch("https://go.example", DOCS, content="x", error="HTTP 404"), False),
    ],
)
def test_a_fetch_counts_if_it_brought_a_page(fetch: Fetch, counts: bool) -> None:
    assert grounds(DOCS, Evidence((), (fetch,))) is counts


def test_what_else_stands_in_replies_does_not_count() -> None:
    assert not grounds(DOCS, fetched("https://x.example", content=f"See {DOCS}"))
    assert not grounds(DOCS, Evidence((Search(f"site:{DOCS}"),)))
    assert not grounds(DOCS, Evidence((Search(DOCS, (Hit("https://x.example", DOCS, DOCS),)),)))
    assert not grounds(DOCS, Evidence((Search("q", error=f"HTTP 500 for {DOCS}"),)))


@pytest.mark.parametrize(
    ("cited", "returned", "counts"),
    [
        ("https://d.example/p", ["https://d.example/p?id=1"], True),
        ("https://d.example/p?utm_source=x&gclid=y", ["https://d.example/p?id=1"], True),
        ("https://d.example/p?", ["https://d.example/p?id=1"], True),
        ("https://d.example/p", ["https://d.example/p?id=1", "https://d.example/p?id=2"], False),
        ("https://d.example/p", ["https://d.example/p?id=1", "http://www.d.example/p/?id=1&utm_x=2#top"], True),
        ("https://d.example/p", ["https://d.example/p?a=1&b=2", "https://d.example/p?b=2&a=1"], True),
        ("https://d.example/p", ["https://d.example/p?id=1", "https://d.example/p"], True),
        ("https://d.example/p", ["https://d.example/p?id=1", "https://d.example/q?id=2"], True),
        ("https://d.example/p", ["https://d.example:81/p?id=1"], False),
        ("https://d.example/p", ["https://d.example/p?id=1#/r"], False),
        ("https://d.example/p#/r", ["https://d.example/p?id=1#/r"], True),
        ("https://d.example/p#/r", ["https://d.example/p?id=1"], False),
        ("https://d.example/p?id=1", ["https://d.example/p"], False),
        ("https://d.example/p?id=1", ["https://d.example/p?id=1&x=2"], False),
    ],
)
def test_a_citation_without_a_query_stands_for_the_only_page_that_has_one(
    cited: str, returned: list[str], counts: bool
) -> None:
    assert grounds(cited, hits(*returned)) is counts


def test_a_page_that_did_not_count_makes_no_second_candidate() -> None:
    failed = Search("q", (Hit("https://d.example/p?id=2"),), error="timeout")
    found = Search("q", (Hit("https://d.example/p?id=1"),))
    assert grounds("https://d.example/p", Evidence((failed, found)))


def test_the_first_call_that_returned_the_page_is_named() -> None:
    searches = (
        Search("q", (Hit("https://x.example"), Hit(DOCS)), call_id="c1"),
        Search("q", (Hit(DOCS),), call_id="c2"),
    )
    found = Observed(Evidence(searches, (Fetch("https://f.example", content="x", call_id="f1"),)))
    assert found.grounding(DOCS + "#part") == ("c1", 2)
    assert found.grounding("https://f.example/") == ("f1", 0)
    assert found.grounding("https://f.example/x") is None
    assert found.grounding("no URL") is None
    unnamed = Observed(Evidence((Search("q"), Search("q", (Hit(DOCS),))), (Fetch("https://f.example", content="x"),)))
    assert unnamed.grounding(DOCS) == ("search 2", 1)
    assert unnamed.grounding("https://f.example") == ("fetch 1", 0)


def test_one_of_several_urls_is_enough() -> None:
    code = f"# source: https://x.example/1, {DOCS} and https://x.example/2\nx = 'needle'"
    assert published(code, "needle").passed


def test_a_ticket_that_asks_for_no_citation() -> None:
    code = "x = 'needle'"
    assert outcome(published(code, "needle", evidence=Evidence())) == "uncited"
    assert published(code, "needle", evidence=Evidence(), cite_urls=False).passed
    assert published(f"# source: {DOCS}\n{code}", "needle", evidence=Evidence(), cite_urls=False).passed
    assert published(code, "other", evidence=Evidence(), cite_urls=False).missing == ("other",)
