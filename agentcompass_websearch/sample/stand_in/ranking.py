"""Which of the pages seen so far fits a ticket best."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from agentcompass_websearch.sample.stand_in.evidence import Candidate, Found
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.patching import differs
from agentcompass_websearch.sample.stand_in.reading import read
from agentcompass_websearch.sample.stand_in.terms import stems

HEAD_CHARS: Final = 900
NOISE: Final = 0.12
OUTDATED: Final = 0.5
WITHOUT_REQUEST: Final = 0.3
OTHERS_CIRCUMSTANCES: Final = 0.6

_OUTDATED = re.compile(r"\b(archived?|deprecated|retired|superseded|switched off)\b", re.IGNORECASE)
_FORBIDDEN = re.compile(r"\bdo not\b|\bdon't\b|\binstead of\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_APPLIES = re.compile(r"\bapplies to\b[^\n]*", re.IGNORECASE)
_EXAMPLES = re.compile(r"\(([^)\n]*)\)")


def own_words(ticket: str) -> str:
    """Return `ticket` without the sentences that forbid something; what they name belongs to somebody else."""
    return " ".join(sentence for sentence in _SENTENCE.split(ticket) if not _FORBIDDEN.search(sentence))


def ranked(found: Found, ticket: str, starter: str, mood: Mood) -> list[Candidate]:
    """Return the candidates, best first.

    A word of the ticket counts the more, the fewer candidates hold it: that is what tells near-identical pages apart.
    """
    candidates = [candidate for candidate in found.candidates.values() if not candidate.unreadable]
    held = {candidate.url: stems(_head(candidate)) for candidate in candidates}
    spread = Counter(word for words in held.values() for word in words)
    wanted = stems(own_words(ticket))
    weights = {word: math.log(1 + len(candidates) / spread[word]) for word in wanted if word in spread}

    def score(candidate: Candidate) -> float:
        shared = sum(weight for word, weight in weights.items() if word in held[candidate.url])
        swing = 1 + NOISE * (mood.number(f"liking {candidate.url}") - 0.5)
        return shared * swing * _trust(candidate, wanted, starter)

    return sorted(candidates, key=score, reverse=True)


def tells_request(candidate: Candidate, starter: str) -> bool:
    """Return whether what is known of the page holds a request that `starter` does not send already."""
    return bool(candidate.text) and differs(starter, read(candidate.text))


def fit(candidate: Candidate, wanted: frozenset[str]) -> float | None:
    """Return which share of the circumstances that the page says it applies to `wanted` names, None if it says none."""
    applies = _APPLIES.search(candidate.text)
    groups = [stems(group) for group in _EXAMPLES.findall(applies[0])] if applies else []
    return sum(bool(group & wanted) for group in groups) / len(groups) if groups else None


def _head(candidate: Candidate) -> str:
    """Return the parts of a page that say what it is about."""
    text = candidate.content[:HEAD_CHARS] if candidate.content else "\n".join(candidate.snippets)
    return "\n".join([candidate.title, *candidate.mentions[:3], text])


def _trust(candidate: Candidate, wanted: frozenset[str], starter: str) -> float:
    trust = 1.0
    if _OUTDATED.search(candidate.title) or _OUTDATED.search(candidate.text[:HEAD_CHARS]):
        trust *= OUTDATED
    if candidate.content and not tells_request(candidate, starter):
        trust *= WITHOUT_REQUEST
    fitting = fit(candidate, wanted)
    if fitting is not None:
        trust *= OTHERS_CIRCUMSTANCES + (1 - OTHERS_CIRCUMSTANCES) * fitting
    return trust
