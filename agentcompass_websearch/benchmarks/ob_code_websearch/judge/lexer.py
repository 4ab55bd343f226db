"""Finds the comments of Python code, and the lines that a bracket, a string or a backslash joins to the next one.

The standard tokenizer does this too, but takes time in the square of a line's length (CPython 3.12.1).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

_CODE: Final = re.compile(r"""[#'"()\[\]{}\\]""")
_FIELD: Final = re.compile(r"""[#'"()\[\]{}\\:]""")
_PREFIX: Final = re.compile(r"[^\W_]*\Z")
_OPENING: Final = frozenset("([{")
_QUOTES: Final = ("'", '"', "'''", '"""')
_STRING_ENDS: Final = {quote: re.compile(rf"\\.|{quote}", re.DOTALL) for quote in _QUOTES}
_LITERALS: Final = {quote: re.compile(rf"[{{}}\\]|{quote}") for quote in _QUOTES}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. `line` is from 1; `start` and `end` are offsets; `alone` says that its line holds nothing else."""

    line: int
    start: int
    end: int
    alone: bool


@dataclass(slots=True)
class _Literal:
    """Where the scan is in an f-string: in its text, or in a format specification."""

    quote: str
    raw: bool
    in_spec: bool = False


@dataclass(slots=True)
class _Field:
    """Where the scan is in an f-string: in a replacement field of `literal`, so many brackets deep."""

    literal: _Literal
    depth: int = 0


@dataclass(slots=True)
class Lexed:
    """The comments of a text in order, the offsets of its lines, and which lines go on in the next one."""

    comments: list[Comment] = field(default_factory=list)
    line_starts: list[int] = field(default_factory=list)
    continued: bytearray = field(default_factory=bytearray)

    def line_of(self, offset: int) -> int:
        """Return the line, from 1, of an offset."""
        return bisect_right(self.line_starts, offset)

    def logical_end(self, line: int) -> int:
        """Return the last physical line of the logical line that goes through `line`."""
        found = self.continued.find(0, line)
        return found if found >= 0 else len(self.line_starts)


def lex(text: str) -> Lexed:
    """Scan code that compiles, with ``\\n`` as its only line end. Code without a ``#`` is not looked into."""
    scan = _Scan(text)
    if "#" in text:
        scan.run()
    return scan.found


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))[:-1]
        self.found = Lexed([], starts, bytearray(len(starts) + 1))
        self.stack: list[_Literal | _Field] = []
        self.depth = 0
        self.opened = 0
        self.opened_string = 0

    def run(self) -> None:
        at = 0
        while at < len(self.text):
            inner = self.stack[-1] if self.stack else None
            at = self._literal(inner, at) if isinstance(inner, _Literal) else self._code(inner, at)

    def _code(self, inner: _Field | None, at: int) -> int:
        """Go on to the next character that matters in code, and past it."""
        match = (_FIELD if inner else _CODE).search(self.text, at)
        if match is None:
            return len(self.text)
        char, start = match[0], match.start()
        if char == "#":
            return self._comment(start)
        if char in "'\"":
            return self._string(start)
        if char == "\\":
            self._join(start, start + 2)
        elif inner and not inner.depth and char == "}":
            self.stack.pop()
        elif inner and not inner.depth and char == ":":
            self.stack.append(_Literal(inner.literal.quote, inner.literal.raw, in_spec=True))
        elif char != ":":
            self._bracket(inner, char, start)
        return start + 1

    def _bracket(self, inner: _Field | None, char: str, start: int) -> None:
        step = 1 if char in _OPENING else -1
        if inner:
            inner.depth += step
            return
        if not self.depth:
            self.opened = start
        self.depth += step
        if not self.depth:
            self._join(self.opened, start)

    def _comment(self, start: int) -> int:
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        line = self.found.line_of(start)
        before = self.text[self.found.line_starts[line - 1] : start]
        self.found.comments.append(Comment(line, start, end, not before.strip()))
        return end

    def _string(self, start: int) -> int:
        """Go past a plain string, or into an f-string."""
        text = self.text
        quote = text[start] * 3 if text.startswith(text[start] * 3, start) else text[start]
        run = _PREFIX.search(text, max(0, start - 3), start)
        prefix = run[0].lower() if run and len(run[0]) < 3 else ""
        if prefix in ("f", "fr", "rf"):
            if not self.stack:
                self.opened_string = start
            self.stack.append(_Literal(quote, "r" in prefix))
            return start + len(quote)
        end = _STRING_ENDS[quote]
        at = start + len(quote)
        while (match := end.search(text, at)) is not None:
            at = match.end()
            if match[0] == quote:
                break
        else:
            at = len(text)
        self._join(start, at)
        return at

    def _literal(self, inner: _Literal, at: int) -> int:
        """Go on to the next character that matters in the text of an f-string, and past it."""
        text = self.text
        match = _LITERALS[inner.quote].search(text, at)
        if match is None:
            return len(text)
        found, start = match[0], match.start()
        if found == inner.quote:
            self.stack.pop()
            if not self.stack:
                self._join(self.opened_string, start)
            return match.end()
        if found[0] == "\\":
            return self._escape(inner, start)
        doubled = text.startswith(found, start + 1) and not inner.in_spec
        if doubled:
            return start + 2
        if found == "{":
            self.stack.append(_Field(inner))
        elif inner.in_spec:
            del self.stack[-2:]
        return start + 1

    def _escape(self, inner: _Literal, start: int) -> int:
        following = self.text[start + 1 : start + 2]
        if following in ("{", "}"):
            return start + 1
        if not inner.raw and self.text.startswith("N{", start + 1):
            end = self.text.find("}", start)
            return end + 1 if end >= 0 else len(self.text)
        return start + 2

    def _join(self, start: int, end: int) -> None:
        """Mark the lines of ``text[start:end]`` but the last as going on in the next one."""
        newlines = self.text.count("\n", start, end)
        if newlines:
            line = self.found.line_of(start)
            self.found.continued[line : line + newlines] = b"\x01" * newlines
