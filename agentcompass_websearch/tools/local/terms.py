"""What is searched for in a text: its words, and the names in it (headers, paths, identifiers), each as one term.

Pages and queries go through the same functions, so nothing of a query is ever read as an operator.
"""

from __future__ import annotations

import re
from typing import Final

import tantivy

WORDS: Final = "words"
NAMES: Final = "names"

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Scripts without blanks between words: each letter counts as a word.
_IDEOGRAPH: Final = re.compile(r"(?=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])|(?<=[\u3040-\ufaff])")
_SEPARATORS: Final = re.compile(r"""[()\[\]{}<>"'`,;|=&?*#!\\]+""")
_EDGES: Final = "._-/:$~@%+"
_MAX_NAME_CHARS: Final = 200


def word_text(text: str) -> str:
    """Return `text` with blanks where the analyzer of words must see a boundary: in camelCase, between ideographs."""
    text = _CAMEL.sub(" ", text)
    return text if text.isascii() else _IDEOGRAPH.sub(" ", text)


def names(text: str) -> list[str]:
    """Return the names in `text` in lower case: words that hold punctuation or an inner capital.

    ``X-Acme-Key``, ``/api/v2/workers/{id}`` (as ``api/v2/workers``), ``acme.batch.submit()``, ``workerBatch``.
    """
    found: list[str] = []
    for word in text.split():
        if word.isalpha() and (word.islower() or word.istitle() or word.isupper()):
            continue
        for part in _SEPARATORS.split(word):
            part = part.strip(_EDGES)
            if len(part) <= _MAX_NAME_CHARS and (not part.isalnum() or _CAMEL.search(part)):
                found.append(part.lower())
    return [name for name in found if name]


def analyzers() -> dict[str, tantivy.TextAnalyzer]:
    """Return the analyzers of the index by their names: English stems for words, blanks between names."""
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(100))
    words = words.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
    return {
        WORDS: words.filter(tantivy.Filter.stemmer("english")).build(),
        NAMES: tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build(),
    }
