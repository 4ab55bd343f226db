"""Derives needles from gold and starter code, for tickets that come without any.

What is left when the starter's words, the author's own names and everybody's names are taken from gold is what a
reader of the documentation had to find. Such needles are not the benchmark's own, and results say so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    Submission,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_code import bound_names
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_gold import Candidate, Gold, read_gold
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_names import (
    QUERY_WORDS,
    is_generic,
    is_generic_header,
    is_opaque,
    library_names,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_wire import sent_strings
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_words import whole_query_words
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft
from agentcompass_websearch.records import Evidence

MAX_NEEDLES: Final = 8
_ASK: Final = "name them in a needles_file (agentcompass-websearch dataset needles DATASET --out FILE writes one)"


def derive_needles(gold: str, starter: str) -> tuple[Needle, ...]:
    """Return the names that gold has and the starter has not, in the order of the code, however many there are.

    Gold code that does not compile gives none.
    """
    read = read_gold(gold)
    if read is None:
        return ()
    rule = _Rule(gold, read)
    words = dict.fromkeys(candidate.text for candidate in read.candidates if rule.keeps(candidate))
    needles = _without_same_headers(Needle(word, kind_in_gold(word, gold)) for word in words)
    held = _held(starter, needles)
    return tuple(needle for needle in needles if needle.text not in held)


def with_derived(draft: Draft) -> Draft:
    """Return a draft with derived needles; none or too many of them is a fault on its record."""
    needles = derive_needles(draft.gold, draft.starter)
    if fault := count_fault(needles):
        draft.record.fault(fault)
    kinds = {needle.text: needle.kind for needle in needles}
    return dataclasses.replace(draft, words=tuple(kinds), kinds=kinds, origin="derived")


def needles_or_derived(draft: Draft) -> tuple[Needle, ...]:
    """Return a ticket's own needles, or else those that can be derived, however many."""
    if not draft.words:
        return derive_needles(draft.gold, draft.starter)
    return tuple(Needle(word, draft.kinds.get(word) or kind_in_gold(word, draft.gold)) for word in draft.words)


def count_fault(needles: Sequence[Needle]) -> str | None:
    """Return why so many derived needles are not to be relied upon, or None if they are."""
    if not needles:
        return f"no needle can be derived from gold and starter code: {_ASK}"
    if len(needles) > MAX_NEEDLES:
        words = ", ".join(needle.text for needle in needles)
        return f"{len(needles)} needles are derived, more than {MAX_NEEDLES} ({words}): {_ASK}"
    return None


class _Rule:
    """Which candidates are kept. A library's name is not, unless it is sent: then it is a name of the API too."""

    def __init__(self, code: str, gold: Gold) -> None:
        self._code = code
        self._bound = bound_names(gold.tree)
        self._sent = sent_strings(gold.tree).union(*map(whole_query_words, gold.values))

    def keeps(self, candidate: Candidate) -> bool:
        """Whether a candidate is a name that documentation must tell."""
        word = candidate.text
        is_sent = word in self._sent
        if is_generic(word) or word in self._bound:
            return False
        if word in library_names() and (candidate.is_code or not is_sent):
            return False
        if word in QUERY_WORDS and not is_sent:
            return False
        if is_generic_header(word) and kind_in_gold(word, self._code) == "header":
            return False
        return is_sent or is_opaque(word)


def _without_same_headers(needles: Iterable[Needle]) -> list[Needle]:
    """Return `needles` without headers that differ from an earlier one by letter case only."""
    kept: dict[str, Needle] = {}
    for needle in needles:
        kept.setdefault(needle.text.lower() if needle.kind == "header" else needle.text, needle)
    return list(kept.values())


def _held(code: str, needles: Sequence[Needle]) -> set[str]:
    """Return the needles that a starter holds: as the judge finds them, or as whole words in its comments."""
    verdict = judge_published(Submission(code), needles, Evidence(), outfile="starter.py")
    held = {found.needle for found in verdict.needles if found.present}
    for needle in needles:
        flags = re.IGNORECASE if needle.kind == "header" else re.NOFLAG
        if re.search(rf"(?<![\w-]){re.escape(needle.text)}(?![\w-])", code, flags):
            held.add(needle.text)
    return held
