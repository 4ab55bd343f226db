"""Words of a text as the stand-in compares them: lower case, without endings, without words that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

_WORD = re.compile(r"[A-Za-z0-9]+(?:[.'-][A-Za-z0-9]+)*")
_ENDING = re.compile(r"(?:ations?|ings?|ed|es|s|e|y|ies)$")
_STOP = frozenset((files(__package__) / "stop_words.txt").read_text(encoding="ascii").split())


def words(text: str) -> Iterator[str]:
    """Yield the words of `text` that say something, as written."""
    return (word for word in _WORD.findall(text) if word.lower() not in _STOP and len(word) > 1)


def stem(word: str) -> str:
    """Return `word` without its ending; two forms of a word mostly share the result."""
    word = word.lower().removesuffix("'s")
    return _ENDING.sub("", word) if len(word) > 4 and word.isalpha() else word


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of `text`."""
    return frozenset(map(stem, words(text)))
