"""Finds needles in a file: where they stand in its code, and where in the values of its string expressions."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.folding import fold
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.source import Source
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import Needle

_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_PLACEHOLDER: Final = re.compile(r"\$?\{[^{}]*\}|<[^<>]+>|:[^\W\d]\w*")
# Noncharacters and private use: what stands for an unknown part and between strings must be in no needle.
_SPECIAL: Final = (range(0xFDD0, 0xFDF0), range(0xE000, 0xF900), range(0xF0000, 0x10FFFE))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A needle found: the line where it stands, from 1, and the statements that hold it, as units."""

    line: int
    units: Iterable[int]


class SearchedFile:
    """A file ready to be searched for needles.

    Searched are its code, with comments and statements that are only a string blanked, and the values of its string
    expressions.
    """

    def __init__(self, source: Source, needles: Sequence[Needle]) -> None:
        held = {char for needle in needles for char in needle.text}
        special = (char for char in map(chr, chain(*_SPECIAL)) if char not in held)
        unknown, self._border = next(special), next(special)
        folded = fold(source.tree, source.layout.unit_of, unknown)
        self._source = source
        self._values = folded.values
        self._code = _blanked(source, folded.string_statements, self._border)
        self._strings = "".join(value.text + self._border for value in self._values)
        self._starts = list(accumulate((len(value.text) + 1 for value in self._values), initial=0))

    def occurrences(self, needle: Needle) -> Iterator[Occurrence]:
        """Yield the places where a needle stands. A statement named for one place is not named again for others."""
        if needle.kind == "path":
            segments = _segments(needle.text)
            if any(_PLACEHOLDER.fullmatch(segment) for segment in segments):
                yield from self._in_strings(self._spans_of_pattern(segments))
                return
            text = "/".join(segments)
        else:
            text = needle.text
        code, strings = self._code, self._strings
        if needle.kind == "header":
            text, code, strings = text.translate(_LOWER), self._code_lower, self._strings_lower
        for start in _find(code, text):
            unit = self._source.layout.unit_at(start)
            yield Occurrence(self._source.lexed.line_of(start), (unit,) if unit >= 0 else ())
        yield from self._in_strings((start, start + len(text)) for start in _find(strings, text))

    @cached_property
    def _code_lower(self) -> str:
        return self._code.translate(_LOWER)

    @cached_property
    def _strings_lower(self) -> str:
        return self._strings.translate(_LOWER)

    def _in_strings(self, spans: Iterable[tuple[int, int]]) -> Iterator[Occurrence]:
        seen: set[tuple[int, int, int]] = set()
        for start, end in spans:
            index = bisect_right(self._starts, start) - 1
            value, at = self._values[index], self._starts[index]
            yield Occurrence(value.line, value.units(start - at, end - at, seen))

    def _spans_of_pattern(self, segments: list[str]) -> Iterator[tuple[int, int]]:
        """Yield where a path with placeholders stands in the strings, whole segments included."""
        opens = len(segments) > 1 and _PLACEHOLDER.fullmatch(segments[0])
        for match in _pattern(segments, self._border).finditer(self._strings):
            start = match.start()
            if opens:
                string_start = self._starts[bisect_right(self._starts, start - 1) - 1]
                start = max(self._strings.rfind("/", string_start, start) + 1, string_start)
            yield start, match.end()


def _blanked(source: Source, string_statements: Iterable[int], blank: str) -> str:
    """Return the text with comments and string statements overwritten."""
    text, units = source.text, source.layout.units
    starts = [unit.start for unit in units] + [len(text)]
    spans = [(comment.start, comment.end) for comment in source.lexed.comments]
    spans += [(starts[unit], starts[unit + 1]) for unit in string_statements]
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        pieces += (text[at:start], blank * (end - max(start, at)))
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _find(text: str, needle: str) -> Iterator[int]:
    """Yield the offsets of `needle` in `text` where it is no part of a longer word."""
    if not needle:
        return
    from_left, from_right = _is_word(needle[0]), _is_word(needle[-1])
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        if not ((from_left and _continues(text[at - 1 : at])) or (from_right and _continues(text[end : end + 1]))):
            yield at
        at = text.find(needle, at + 1)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _continues(neighbour: str) -> bool:
    return neighbour.isalnum() or neighbour in ("_", "-")


def _segments(path: str) -> list[str]:
    """Return the segments of a path; where there are two or more, without the slashes around them."""
    bare = path.strip("/")
    return bare.split("/") if "/" in bare else path.split("/")


def _pattern(segments: list[str], border: str) -> re.Pattern[str]:
    """Return the pattern of a path with placeholders. For speed it begins behind a leading placeholder."""
    segment = rf"[^/{border}]"
    parts = [f"{segment}++" if _PLACEHOLDER.fullmatch(text) else re.escape(text) for text in segments]
    if _PLACEHOLDER.fullmatch(segments[0]):
        parts[0] = f"(?<={segment})" if len(parts) > 1 else segment
    elif _is_word(segments[0][:1] or "/"):
        parts[0] = rf"(?<![\w-]){parts[0]}"
    if not _PLACEHOLDER.fullmatch(segments[-1]) and _is_word(segments[-1][-1:] or "/"):
        parts[-1] = rf"{parts[-1]}(?![\w-])"
    return re.compile("/".join(parts))
