"""The verdict of the public harness."""

from __future__ import annotations

import pytest

from agentcompass_websearch.records import Evidence, Fetch, Hit, Search
from tests.benchmarks.judge.support import DOCS, OTHER, fetched, hits, official, outcome

NEEDLE = "needle"
CITED = f"# source: {DOCS}\nx = 'needle'"


def judged(code: str, evidence: Evidence | None = None) -> str:
    return outcome(official(code, NEEDLE, evidence=evidence))


def test_a_needle_is_any_part_of_the_text() -> None:
    assert judged("x = 1") == "missing"
    for code in ("# needle", "x = 'my-needles'", "'''needle'''", f"# source: {DOCS}/needle"):
        assert judged(code) == "uncited"
    assert judged(f"# source: {DOCS}\nx = 'my-needles'") == "passed"
    assert judged(f"# source: {DOCS}\nx = 'nee' 'dle'") == "missing"
    assert judged(f"# source: {DOCS}\nx = 'NEEDLE'") == "missing"


def test_short_needles_are_not_asked_for() -> None:
    assert official("x = 1", "MRP", "v61").passed
    assert official("x = 1", "MRP", "v61").notes
    verdict = official("x = 1", "MRP", "v61.")
    assert (verdict.missing, [one.needle for one in verdict.needles]) == (("v61.",), ["v61."])
    assert not verdict.notes


def test_citations_are_asked_for_only_when_nothing_is_missing() -> None:
    verdict = official("x = 'needle'", "needle", "other")
    assert (verdict.missing, verdict.uncited, verdict.ungrounded) == (("other",), (), ())
    verdict = official(f"x = 'needle'\n# source: {OTHER}/x\ny = 'other'", "needle", "other", evidence=hits())
    assert (verdict.missing, verdict.uncited, verdict.ungrounded) == ((), ("needle",), ("other",))
    assert official("x = 'needle'", "needle", cite_urls=False).passed


@pytest.mark.parametrize(
    ("code", "got"),
    [
        (CITED, "passed"),
        (f"   # {DOCS}\nx = 'needle'", "passed"),
        (f"#{DOCS}\nx = 'needle'", "passed"),
        (f"# see {OTHER}/x {DOCS}\nx = 'needle'", "passed"),
        (f"# see {DOCS} {OTHER}/x\nx = 'needle'", "ungrounded"),
        (f"# source: {DOCS}\n\n\ny = 1\n\ndef f():\n    return 'needle'", "passed"),
        (f"'''\n# source: {DOCS}\n'''\nx = 'needle'", "passed"),
        (f"# {DOCS}\n# no URL here\nx = 'needle'", "passed"),
        (f"x = 'needle'  # source: {DOCS}", "uncited"),
        (f"x = 'needle'\n# source: {DOCS}", "uncited"),
        (f"y = 1  # {DOCS}\nx = 'needle'", "uncited"),
        (f"y = '{DOCS}'\nx = 'needle'", "uncited"),
        (f"# source: {DOCS}\n# needle\nx = 1", "uncited"),
        (f"# source: {DOCS} needle\nx = 1", "uncited"),
        # the last use counts, with the last URL above it
        (f"# {DOCS}\nx = 'needle'\n# {OTHER}/x\ny = 'needle'", "ungrounded"),
        (f"# {OTHER}/x\nx = 'needle'\n# {DOCS}\ny = 'needle'", "passed"),
        (f"# {DOCS}\nx = 'needle'\n# {OTHER}/x\ny = 1", "passed"),
        (f"# {DOCS}\nx = 'needle'\n# {OTHER}/x\n# needle", "passed"),
        # any line separator ends a line
        (f"# {DOCS}\u2028x = 1\nx = 'needle'", "passed"),
        (f"# {DOCS}\n# c\x0cx = 'needle'\ny = 1", "passed"),
    ],
)
def test_how_needles_are_cited(code: str, got: str) -> None:
    assert judged(code, hits(DOCS)) == got


@pytest.mark.parametrize(
    ("cited", "returned"),
    [
        ("https://d", "https://docs.acme.example/api"),
        ("https://docs.acme.example", "https://docs.acme.example/api/v2/workers"),
        ("https://docs.acme.example/api/v2/workers", "https://docs.acme.example"),
        ("https://docs.acme.example/api/v2-archive", "https://docs.acme.example/api/v2"),
        ("https://docs.acme.example.evil.test/x", "https://docs.acme.example"),
        ("https://docs.acme.example/p?id=2", "https://docs.acme.example/p?id=1"),
        ("https://docs.acme.example/#/guide/two", "https://docs.acme.example/#/guide/one"),
        ("HTTP://WWW.Docs.Acme.Example/A/", "https://docs.acme.example/a"),
        ("https://docs.acme.example/a).", "https://docs.acme.example/a"),
        ("https://docs.acme.example/a", "docs.acme.example/a"),
    ],
)
def test_prefixes_either_way_ground(cited: str, returned: str) -> None:
    code = f"# {cited}\nx = 'needle'"
    assert judged(code, hits("https://x.example", returned, "https://y.example")) == "passed"
    assert judged(code, fetched(returned, content="")) == "passed"
    assert judged(code, hits("https://x.example")) == "ungrounded"


def test_every_prefix_is_found_among_many_pages() -> None:
    pages = [f"https://d.example/{n:03}" for n in range(300)] + ["https://d.example/15", "https://d.example/1500/x"]
    for cited in ("https://d.example/150", "https://d.example/1500", "https://d.example/15000", "https://d.example/29"):
        assert judged(f"# {cited}\nx = 'needle'", hits(*pages)) == "passed"
    for cited in ("https://d.example/3", "https://d.example/30", "https://e.example", "https://c.example"):
        assert judged(f"# {cited}\nx = 'needle'", hits(*pages)) == "ungrounded"


def test_failed_calls_ground_too_but_empty_addresses_do_not() -> None:
    assert judged(CITED, Evidence((Search("q", (Hit(DOCS),), error="timeout"),))) == "passed"
    assert judged(CITED, Evidence((), (Fetch(DOCS, error="HTTP 404"),))) == "passed"
    assert judged(CITED, Evidence((Search("q", (Hit(""),)),), (Fetch(""),))) == "ungrounded"
    assert judged("# https://?x\nx = 'needle'", hits(DOCS)) == "ungrounded"


def test_the_final_url_of_a_fetch_stands_for_the_requested_one() -> None:
    moved = fetched("https://go.example/1", final_url=DOCS)
    assert judged(CITED, moved) == "passed"
    assert judged("# https://go.example/1\nx = 'needle'", moved) == "ungrounded"


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence((Search("q", (Hit("https://x.example", title="the needle"),)),)),
        Evidence((Search("q", (Hit("https://x.example", snippet="needles"),)),)),
        fetched("https://x.example", content="a page with the needle"),
    ],
)
def test_a_needle_in_a_returned_text_grounds(evidence: Evidence) -> None:
    assert judged(CITED, evidence) == "passed"
    assert judged("x = 'needle'", evidence) == "uncited"


def test_a_needle_in_a_query_or_an_error_does_not() -> None:
    assert judged(CITED, Evidence((Search("needle"), Search("q", error="needle")))) == "ungrounded"
    assert judged(CITED, Evidence((Search("q", (Hit("u", "nee", "dle"),)),))) == "ungrounded"


def test_what_is_reported() -> None:
    (one,) = official(f"\n{CITED}", NEEDLE).needles
    assert (one.line, one.urls, one.grounded_by) == (3, (DOCS,), ("c1", 1))
    found = Evidence((Search("q", (Hit("https://x.example"), Hit("https://y.example", snippet="needle"))),))
    (one,) = official(CITED, NEEDLE, evidence=found).needles
    assert one.grounded_by == ("search 1", 2)
