"""Search queries from the words of a ticket and its file, and of what earlier searches brought."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from agentcompass_websearch.sample.stand_in.evidence import Candidate
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.ranking import own_words
from agentcompass_websearch.sample.stand_in.terms import stem, stems, words

MAX_WORDS: Final = 24
TELLING_WORDS: Final = 8
LEFT_OUT: Final = 0.15

_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+(?: [A-Z]\w+)*")
_FUNCTION = re.compile(r"^(?:async )?def ([a-z]\w*)\(", re.MULTILINE)
_DETAILS = "request reference required header body field signing handling codes POST path"


def product_name(ticket: str) -> str:
    """Return the capitalised words in mid-sentence that come first: mostly the product's name."""
    match = _NAME.search(ticket)
    return match[0] if match else ""


def first_query(ticket: str, mood: Mood) -> str:
    """Return the ticket's own words, the product first, some left out by mood."""
    rest = [word for word in words(own_words(ticket)) if mood.number(f"leave out {word}") >= LEFT_OUT]
    return _joined([*product_name(ticket).split(), *rest])


def closer_query(ticket: str, starter: str, seen: Iterable[Candidate], mood: Mood) -> str:
    """Return a query of what the client is called and of those words of the ticket that few results share."""
    functions = _FUNCTION.findall(starter)
    spread = Counter(word for page in seen for word in stems(f"{page.title} {page.text}"))
    telling = [word for word in words(own_words(ticket)) if mood.number(f"leave out again {word}") >= LEFT_OUT]
    telling.sort(key=lambda word: spread.get(stem(word)) or len(spread))
    called = functions[-1].split("_") if functions else ()
    return _joined([*product_name(ticket).split(), *called, *telling[:TELLING_WORDS]])


def detail_query(title: str) -> str:
    """Return a query for the place in a known page that documents its request."""
    return _joined([*words(title), *_DETAILS.split()])


def _joined(terms: Iterable[str]) -> str:
    kept: dict[str, str] = {}
    for term in terms:
        kept.setdefault(stem(term), term)
    return " ".join(list(kept.values())[:MAX_WORDS])
