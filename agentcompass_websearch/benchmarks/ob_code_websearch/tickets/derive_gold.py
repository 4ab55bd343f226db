"""Reads gold code as the judge does: the words of its strings and its names, in the statements that are cited."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.attachment import Attachments
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.citations import source_comments
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.folding import Value, fold
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.source import Source, read_source
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_code import namespace_keys, silence, used_names
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_words import OPEN, Word, words_of, xml_prefixes


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word of the code that could be a documented name. `offset` is about where it stands, for the order."""

    text: str
    offset: int
    is_code: bool


@dataclass(frozen=True, slots=True)
class Gold:
    """What there is to derive needles from: the tree without what its author worded, candidates, string values."""

    tree: ast.Module
    candidates: list[Candidate]
    values: list[str]


type _Key = tuple[int, int, str]
"""A string expression: its statement, its line, its value."""


def read_gold(code: str) -> Gold | None:
    """Return the candidates of gold code in the order of the text; None if it does not compile.

    Candidates stand in statements that the judge regards as cited, or anywhere if it regards none so. A word counts
    where the literals that hold its characters stand, and where the names that lead there are bound or used.
    """
    compiled = compile_file(code, "gold.py")
    if compiled.tree is None:
        return None
    source = read_source(compiled.text, compiled.tree)
    silence(source.tree)
    attachments = Attachments(source.layout, source_comments(source.text, source.lexed))
    cited = {unit for unit in range(len(source.layout.units)) if attachments.of(unit)}
    values = fold(source.tree, source.layout.unit_of, OPEN).values
    found = [*_names(source, cited), *_strings(source, values, cited)]
    return Gold(source.tree, sorted(found, key=lambda one: one.offset), [value.text for value in values])


def _names(source: Source, cited: set[int]) -> Iterator[Candidate]:
    for use in used_names(source.tree):
        offset = source.layout.offset(use.line, use.column)
        if not cited or source.layout.unit_at(offset) in cited:
            yield Candidate(use.name, offset, is_code=True)


def _strings(source: Source, values: Iterable[Value], cited: set[int]) -> Iterator[Candidate]:
    """Yield the words of string values that never stand only inside a longer word which they are a part of."""
    prefixes = xml_prefixes(value.text for value in values) | namespace_keys(source.tree)
    words = [(value, word) for value in values for word in words_of(value.text, prefixes)]
    inside = _inside_longer_words(words)
    for value, word in words:
        if any(a <= word.start and word.end <= b for a, b in inside[value.unit, value.line, value.text]):
            continue
        if not cited or not cited.isdisjoint(value.units(word.start, word.end, set())):
            yield Candidate(word.text, _offset(source, value, word), is_code=False)


def _inside_longer_words(words: Iterable[tuple[Value, Word]]) -> dict[_Key, list[tuple[int, int]]]:
    """Return which parts of the values that names stand for are parts of a word of the value that uses the name."""
    spans: dict[_Key, list[tuple[int, int]]] = defaultdict(list)
    for value, word in words:
        stack = [(value, word.start, word.end)]
        while stack:
            whole, start, end = stack.pop()
            for at, named in whole.names:
                first, last = max(start - at, 0), min(end - at, len(named.text))
                if first < last:
                    if last - first < word.end - word.start:
                        spans[named.unit, named.line, named.text].append((first, last))
                    stack.append((named, first, last))
    return spans


def _offset(source: Source, value: Value, word: Word) -> int:
    """Return where the word is written, or else where its expression begins."""
    line_start = source.lexed.line_starts[value.line - 1]
    found = source.text.find(value.text[word.start : word.end].partition(OPEN)[0], line_start)
    return found if found >= 0 else line_start
