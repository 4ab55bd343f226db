"""Folds string expressions to their values, and knows which statements each character of a value comes from.

Folded are adjacent literals, sums, f-strings, and names that are bound once, to such an expression. What is not known
before the code runs is an *unknown part*, one character of its own that no needle holds.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.names import Binding, Candidate, Scope, walk

MAX_CHARS: Final = 10_000
MAX_TOTAL_CHARS: Final = 1 << 20


@dataclass(eq=False, slots=True)
class Value:
    """The value of a string expression, of at most `MAX_CHARS` characters.

    Attributes:
        text: the value, unknown parts included.
        unit: the statement where the expression stands.
        line: the line where it begins.
        names: the values of the names in it, with where in `text` each of them begins.
    """

    text: str
    unit: int
    line: int
    names: Sequence[tuple[int, Value]] = ()

    def units(self, start: int, end: int, seen: set[tuple[int, int, int]]) -> Iterator[int]:
        """Yield the statements that ``text[start:end]`` comes from: of its literals, and of the names involved.

        What is in `seen` is left out, and what is yielded is added to it.
        """
        stack = [(self, start, end)]
        while stack:
            value, start, end = stack.pop()
            key = (id(value), start, end)
            if key in seen:
                continue
            seen.add(key)
            yield value.unit
            index = bisect_right(value.names, start, key=lambda entry: entry[0])
            for at, named in map(value.names.__getitem__, range(max(index - 1, 0), len(value.names))):
                if at >= end:
                    break
                first, last = max(start - at, 0), min(end - at, len(named.text))
                if first < last:
                    stack.append((named, first, last))


@dataclass(frozen=True, slots=True)
class Folded:
    """The values of a file's outermost string expressions, and the units that are nothing but such an expression."""

    values: list[Value]
    string_statements: set[int]


def fold(tree: ast.Module, unit_of: Mapping[int, int], unknown: str) -> Folded:
    """Fold the string expressions of a module, until their values fill `MAX_TOTAL_CHARS`.

    Args:
        tree: the module.
        unit_of: the unit of each statement and clause by the id of its node.
        unknown: the character that stands for an unknown part.
    """
    walked = walk(tree, unit_of)
    folder = _Folder(unknown)
    statements = {one.unit for one in walked.statements if folder.is_string(one)}
    values = []
    for candidate in walked.candidates:
        if candidate.unit not in statements and id(candidate.node) not in folder.inner:
            value = folder.value_of(candidate)
            if value is not None and value.text:
                values.append(value)
        if folder.is_full:
            break
    return Folded(values, statements)


_Parts = list[str | Binding | None]
"""The parts of an expression in order: known text, a name that is bound once, an unknown part."""


class _Folder:
    """Folds expressions; `inner` are the nodes, by id, that are parts of an expression already folded."""

    def __init__(self, unknown: str) -> None:
        self.inner: set[int] = set()
        self._unknown = unknown
        self._room = MAX_TOTAL_CHARS
        self._known: dict[int, Value | None] = {}

    @property
    def is_full(self) -> bool:
        """Whether the values fill their space."""
        return self._room <= 0

    def is_string(self, candidate: Candidate) -> bool:
        """Whether an expression is a string expression."""
        parts = self._parts(candidate.node, candidate.scope)
        self._resolve(parts)
        return self._holds_string(parts, candidate.node)

    def value_of(self, candidate: Candidate) -> Value | None:
        """Return the value of an expression; None if it is no string, or there is no room left."""
        key = id(candidate.node)
        if key not in self._known:
            parts = self._parts(candidate.node, candidate.scope)
            self._resolve(parts)
            self._known[key] = self._join(parts, candidate.node, candidate.unit)
        return self._known[key]

    def _parts(self, root: ast.expr, scope: Scope) -> _Parts:
        parts: _Parts = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node is not root:
                self.inner.add(id(node))
            match node:
                case ast.Constant(value=str(text)):
                    parts.append(text)
                case ast.BinOp(op=ast.Add()):
                    stack += (node.right, node.left)
                case ast.JoinedStr():
                    stack += reversed(node.values)
                case ast.FormattedValue(conversion=-1, format_spec=None):
                    stack.append(node.value)
                case ast.Name():
                    parts.append(scope.find(node.id))
                case _:
                    self.inner.discard(id(node))
                    parts.append(None)
        return parts

    def _resolve(self, wanted: _Parts) -> None:
        """Fold what the names in `wanted` are bound to, and the names in that; in a circle, a name is unknown."""
        stack = [part for part in wanted if isinstance(part, Binding)]
        open_parts: dict[int, _Parts] = {}
        while stack:
            binding = stack[-1]
            key = id(binding.node)
            if key in self._known:
                stack.pop()
            elif key in open_parts:
                stack.pop()
                self._known[key] = self._join(open_parts.pop(key), binding.node, binding.unit)
            else:
                open_parts[key] = self._parts(binding.node, binding.scope)
                for part in open_parts[key]:
                    if (
                        isinstance(part, Binding)
                        and id(part.node) not in self._known
                        and id(part.node) not in open_parts
                    ):
                        stack.append(part)

    def _holds_string(self, parts: _Parts, node: ast.expr) -> bool:
        return isinstance(node, ast.JoinedStr) or any(
            isinstance(part, str) or (part is not None and self._known.get(id(part.node)) is not None) for part in parts
        )

    def _join(self, parts: _Parts, node: ast.expr, unit: int) -> Value | None:
        if self.is_full or not self._holds_string(parts, node):
            return None
        pieces: list[str] = []
        names: list[tuple[int, Value]] = []
        size = 0
        for part in parts:
            named = self._known.get(id(part.node)) if isinstance(part, Binding) else None
            piece = part if isinstance(part, str) else named.text if named else self._unknown
            if piece == self._unknown and pieces[-1:] == [piece]:
                continue
            if named:
                names.append((size, named))
            pieces.append(piece)
            size += len(piece)
            if size >= MAX_CHARS:
                break
        text = "".join(pieces)[: min(MAX_CHARS, self._room)]
        self._room -= len(text)
        return Value(text, unit, node.lineno, names or ())
