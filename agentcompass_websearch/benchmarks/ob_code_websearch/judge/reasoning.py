"""Drops the reasoning that some models put before their answer, between ``<think>`` and ``</think>``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.fences import lines_of, read_fences

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"
# A closing tag may share its line with a fence that closes before it or opens after it.
_AFTER_FENCE: Final = re.compile(rf"^([ \t]*+(?:`{{3,}}+|~{{3,}}+)[ \t]*+)<(?={_CLOSE[1:]})", re.MULTILINE)
_BEFORE_FENCE: Final = re.compile(rf"({_CLOSE[:-1]})>(?=[ \t]*+(?:```|~~~))")
_NOT_SPACE: Final = re.compile(r"\S")
_OWN_LINE: Final = re.compile(rf"^[ \t]*+{_CLOSE}", re.MULTILINE)


def without_reasoning(text: str) -> str:
    """Return `text` without leading reasoning.

    That is what stands between an opening tag at its start and the closing one; of an opening tag that is never closed,
    all; without an opening tag, what stands before the last closing one, unless nothing follows it. Tags inside a
    fenced block are text.
    """
    start = _skip_space(text, 0)
    if text.startswith(_OPEN, start):
        return _after_thoughts(text[start:])
    return _after_last_tag(text)


def _after_thoughts(text: str) -> str:
    """Return what follows the thoughts, each with its tags, that `text` begins with."""
    tags = _tags_outside_fences(text, len(_OPEN))
    at = 0
    while text.startswith(_OPEN, at):
        end = next((tag for tag in tags if tag > at), None)
        if end is None:
            # A fence that a thought left open hides the tag that ends it: then a tag that begins its line is meant.
            own = _OWN_LINE.search(text, at + len(_OPEN))
            if own is None:
                return ""
            end = own.end() - len(_CLOSE)
        after = end + len(_CLOSE)
        at = _skip_space(text, after)
    return text[after:]


def _after_last_tag(text: str) -> str:
    tags = list(_tags_outside_fences(text, 0))
    if not tags:
        return text
    after = text[tags[-1] + len(_CLOSE) :]
    return after if after.strip() else text[: tags[-1]] + after


def _tags_outside_fences(text: str, start: int) -> Iterator[int]:
    """Yield the offsets, from `start` on, of the closing tags that stand in no fenced block of that part."""
    if _CLOSE not in text:
        return
    # In this copy, as long as the text, such tags have lines of their own.
    part = _BEFORE_FENCE.sub(r"\1\n", _AFTER_FENCE.sub(r"\1\n", text[start:]))
    starts = list(accumulate(map(len, lines_of(part)), initial=start))
    spans = [(starts[block.first_line], starts[block.end_line]) for block in read_fences(part).blocks]
    blocks = iter([*spans, (len(text) + 1, len(text) + 1)])
    first, end = next(blocks)
    for match in re.finditer(_CLOSE, text[start:]):
        tag = start + match.start()
        # The first character may be a line end in the copy; the second one is on the line that is meant.
        while end <= tag + 1:
            first, end = next(blocks)
        if tag + 1 < first:
            yield tag


def _skip_space(text: str, start: int) -> int:
    found = _NOT_SPACE.search(text, start)
    return found.start() if found else len(text)
