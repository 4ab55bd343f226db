"""Reads the fenced blocks of a Markdown text as CommonMark does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from markdown_it import MarkdownIt

_RUN: Final = re.compile(r"```|~~~")
_LINE_END: Final = re.compile(r"\r\n?|\n")
# Only what may hold a fence, hide it or end it; half a dozen lists within lists are enough.
_MARKDOWN: Final = MarkdownIt("commonmark", {"maxNesting": 12})
_MARKDOWN.block.ruler.enableOnly(["code", "fence", "blockquote", "list", "paragraph"])


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the words on its opening fence, its content without a last newline, and its lines.

    `first_line` is that of the opening fence and `end_line` the one after the block, both from 0.
    """

    info: str
    content: str
    first_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Fences:
    """The blocks of a text in order; `stray_line` is that of an untagged fence that opens on the last line with text.

    Such a fence opens nothing: it is what is left of a closing one.
    """

    blocks: tuple[Fence, ...]
    stray_line: int | None = None


def read_fences(text: str) -> Fences:
    """Return the fenced blocks of `text`. Line ends in a block become ``\\n``."""
    if not _RUN.search(text):
        return Fences(())
    source = _LINE_END.sub("\n", text)
    tokens: list[Any] = []
    # Not parse(): its first step replaces NUL characters, which the judge must see.
    _MARKDOWN.block.parse(source, _MARKDOWN, {}, tokens)
    blocks = tuple(
        Fence(token.info.strip(), token.content.removesuffix("\n"), *token.map)
        for token in tokens
        if token.type == "fence"
    )
    last_line = source.count("\n", 0, len(source.rstrip()))
    if blocks and not blocks[-1].info and blocks[-1].first_line == last_line:
        return Fences(blocks[:-1], last_line)
    return Fences(blocks)


def lines_of(text: str) -> list[str]:
    """Return the lines of `text` as CommonMark counts them, with their ends."""
    return [match[0] for match in re.finditer(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text)]
