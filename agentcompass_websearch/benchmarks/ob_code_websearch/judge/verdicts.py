"""What goes into the judge beside evidence, and what comes out: needles, submissions, verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import msgspec

RULES_VERSION: Final = 1
"""Counts up with every change of the rules that may change a verdict; part of an attempt's fingerprint."""

MAX_REPORTED_URLS: Final = 20
"""At most so many attached URLs are named for one needle; all of them count."""

NeedleKind = Literal["header", "path", "other"]


class Needle(msgspec.Struct, frozen=True):
    """One gold string that a submission must hold. Its kind says how it is compared."""

    text: str
    kind: NeedleKind = "other"


class Submission(msgspec.Struct, frozen=True):
    """The file taken from an answer, and what a person should know about how it was taken."""

    text: str
    notes: tuple[str, ...] = ()


class Grounding(NamedTuple):
    """The call that returned a cited page: its id, and the rank from 1 of the hit, or 0 for a fetched page."""

    call_id: str
    rank: int


class NeedleVerdict(msgspec.Struct, frozen=True):
    """How one needle fared.

    Attributes:
        needle: its text.
        kind: how it was compared.
        present: whether the code holds it; false, as all that follows is empty, where nothing compiled.
        line: line, from 1, of the occurrence that counted; None where there is none.
        urls: what is attached to that occurrence, at most `MAX_REPORTED_URLS`.
        grounded_by: the call that returned one of these pages.
    """

    needle: str
    kind: NeedleKind
    present: bool = False
    line: int | None = None
    urls: tuple[str, ...] = ()
    grounded_by: Grounding | None = None


class Verdict(msgspec.Struct, frozen=True):
    """The outcome under one policy. `missing`, `uncited` and `ungrounded` are disjoint, and empty if not compiled.

    Attributes:
        passed: whether the submission passes.
        compiled: whether it is Python that compiles.
        missing: needles that it does not hold.
        uncited: needles it holds, but without an attached source comment.
        ungrounded: needles cited, but by no page that came back.
        needles: every needle, in the order given.
        notes: what a person should know, such as why it does not compile.
        digest: hash of the judged text without outer white space, to tell whether two policies judged the same.
    """

    passed: bool
    compiled: bool
    missing: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()
    ungrounded: tuple[str, ...] = ()
    needles: tuple[NeedleVerdict, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str = ""

    @property
    def recovered(self) -> bool:
        """Whether it compiles and holds every needle, cited or not: what the no-search arm is measured by."""
        return self.compiled and not self.missing


def distinct(needles: Iterable[Needle]) -> list[Needle]:
    """Return the needles in order, each text once, with the kind that it has first."""
    found: dict[str, Needle] = {}
    for needle in needles:
        found.setdefault(needle.text, needle)
    return list(found.values())


def digest_of(text: str) -> str:
    """Return the digest of a judged text."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()
