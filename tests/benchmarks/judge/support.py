"""Short ways to ask the judge one question, for its tests."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import dedent
from typing import Literal

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    NeedleKind,
    Verdict,
    judge_official,
    judge_published,
)
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search

DOCS = "https://docs.acme.example/a"
OTHER = "https://docs.acme.example/never-returned"

Outcome = Literal["passed", "missing", "uncited", "ungrounded", "not compiled"]


def hits(*urls: str) -> Evidence:
    """Return the evidence of one search that returned `urls`."""
    return Evidence((Search("acme", tuple(Hit(url) for url in urls), call_id="c1"),))


def fetched(url: str, *, final_url: str | None = None, content: str = "text", **more: object) -> Evidence:
    """Return the evidence of one fetch."""
    return Evidence((), (Fetch(url, final_url, content=content, call_id="f1", **more),))  # type: ignore[arg-type]


def published(
    code: str,
    *needles: str | Needle,
    kind: NeedleKind = "other",
    evidence: Evidence | None = None,
    cite_urls: bool = True,
) -> Verdict:
    """Judge `code`, dedented, by the published policy; by default the page `DOCS` came back."""
    wanted = [n if isinstance(n, Needle) else Needle(n, kind) for n in needles]
    found = hits(DOCS) if evidence is None else evidence
    return judge_published(dedent(code), wanted, found, outfile="client.py", cite_urls=cite_urls)


def official(code: str, *needles: str, evidence: Evidence | None = None, cite_urls: bool = True) -> Verdict:
    """Judge `code`, dedented, by the official policy; by default the page `DOCS` came back."""
    wanted = [Needle(text) for text in needles]
    found = hits(DOCS) if evidence is None else evidence
    return judge_official(dedent(code), wanted, found, outfile="client.py", cite_urls=cite_urls)


def outcome(verdict: Verdict) -> Outcome:
    """Return what became of the one needle of a verdict."""
    if not verdict.compiled:
        return "not compiled"
    if verdict.missing:
        return "missing"
    if verdict.uncited:
        return "uncited"
    return "ungrounded" if verdict.ungrounded else "passed"


def present(code: str, needle: str, kind: NeedleKind = "other") -> bool:
    """Whether `code`, dedented, holds a needle."""
    verdict = published(code, needle, kind=kind, cite_urls=False)
    assert verdict.compiled, verdict.notes
    return verdict.passed


def cited(code: str, needles: Iterable[str]) -> list[str]:
    """Return those of `needles`, all of them present in `code`, that are cited."""
    verdict = published(code, *needles)
    assert verdict.compiled, verdict.notes
    assert not verdict.missing
    return [one.needle for one in verdict.needles if one.needle not in verdict.uncited]
