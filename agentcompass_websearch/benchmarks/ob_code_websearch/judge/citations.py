"""Reads source comments: which comments cite pages, and which pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.lexer import Comment, Lexed

_SOURCE: Final = re.compile(r"(?<![\w-])(?ai:sources?)(?![\w-])\s*+[:\uff1a]")
# What ends a URL: white space, angle brackets, quotes, backtick, `]`, zero-width and direction marks, CJK stops and
# closing brackets.
_URL: Final = re.compile(
    r"(?ai:https?)://"
    r"[^\s<>\"`\]\u2018\u2019\u201c\u201d\u00ab\u00bb"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
    r"\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\uff61\uff64\uff09\u3009\u300b\u300d\u300f\u3011\u3015]+"
)
_TRAILING: Final = frozenset(".,;:!?*'")
_OPENING_OF: Final = {")": "(", "}": "{"}


@dataclass(frozen=True, slots=True)
class SourceComment:
    """A comment that cites pages, and its line, from 1."""

    line: int
    urls: tuple[str, ...]


def source_comments(text: str, lexed: Lexed) -> list[SourceComment]:
    """Return the comments of `text` that hold ``source:`` and a URL behind it, or on a comment line right below."""
    found = []
    for index, comment in enumerate(lexed.comments):
        mark = _SOURCE.search(text, comment.start, comment.end)
        if mark is None:
            continue
        urls = tuple(urls_in(text[mark.end() : comment.end]))
        if not urls and (below := _line_below(lexed, index)):
            urls = tuple(urls_in(text[below.start : below.end]))
        if urls:
            found.append(SourceComment(comment.line, urls))
    return found


def urls_in(text: str) -> Iterator[str]:
    """Yield the http and https URLs in a line of prose, without the punctuation around them."""
    for match in _URL.finditer(text):
        url = _trimmed(match[0])
        if len(url) > url.index("//") + 2:
            yield url


def _line_below(lexed: Lexed, index: int) -> Comment | None:
    following = lexed.comments[index + 1 : index + 2]
    if following and following[0].alone and following[0].line == lexed.comments[index].line + 1:
        return following[0]
    return None


def _trimmed(url: str) -> str:
    """Return `url` without trailing punctuation and without closing brackets that it does not open."""
    unopened = {closing: url.count(closing) - url.count(opening) for closing, opening in _OPENING_OF.items()}
    end = len(url)
    while end:
        last = url[end - 1]
        if unopened.get(last, 0) > 0:
            unopened[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return url[:end]
