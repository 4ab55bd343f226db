"""Splitting a page into passages of the size of a snippet, and finding its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

PASSAGE_CHARS: Final = 1000
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)")
_LONGEST_HEADING_CHARS: Final = 300


def passages(text: str) -> list[str]:
    """Return `text` in passages of at most `PASSAGE_CHARS` characters, in order, without blank ones.

    A passage ends before a heading, else between paragraphs, lines or words, in this order of preference.
    """
    found: list[str] = []
    current = ""
    for block in _blocks(text):
        begins_section = _HEADING.match(block) is not None and bool(current.strip())
        if begins_section or len(current) + len(block) > PASSAGE_CHARS:
            found.append(current)
            current = ""
        current += block
    found.append(current)
    return [passage for part in found if (passage := part.strip())]


def headings(text: str) -> list[str]:
    """Return the Markdown headings of `text`, in order, without those inside code fences."""
    found: list[str] = []
    in_fence = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_fence = not in_fence
        elif not in_fence and len(line) <= _LONGEST_HEADING_CHARS and (match := _HEADING.match(line)):
            found.append(match.group(1))
    return [heading for heading in found if heading]


def _blocks(text: str) -> Iterator[str]:
    """Yield the lines of `text`, joined to paragraphs where they fit into a passage; no piece is longer than one."""
    paragraph = ""
    for line in text.splitlines(keepends=True):
        for piece in _pieces(line):
            if len(paragraph) + len(piece) > PASSAGE_CHARS or (paragraph and _HEADING.match(piece.rstrip("\r\n"))):
                yield paragraph
                paragraph = ""
            paragraph += piece
        if not line.strip():
            yield paragraph
            paragraph = ""
    yield paragraph


def _pieces(line: str) -> Iterator[str]:
    while len(line) > PASSAGE_CHARS:
        end = line.rfind(" ", PASSAGE_CHARS // 2, PASSAGE_CHARS) + 1 or PASSAGE_CHARS
        yield line[:end]
        line = line[end:]
    yield line
