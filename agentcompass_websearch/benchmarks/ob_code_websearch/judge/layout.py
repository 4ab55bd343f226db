"""The statements of a file: where each one stands, what its header is, and which block it belongs to.

A *unit* is what a source comment attaches to: a simple statement, or the header of a compound one, or the line of one
of its clauses (``elif``, ``else``, ``except``, ``finally``, ``case``). Units are numbered in the order of the text, so
that a statement with all its body is a range of units.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.lexer import Lexed

_TAB: Final = 8


@dataclass(slots=True)
class Unit:
    """A simple statement, or the header of a compound one or of a clause. Lines are from 1.

    Attributes:
        number: its number, from 0.
        start: the offset where it begins.
        first_line: the line where it begins, decorators included.
        last_line: its last line.
        end_line: the last line of the whole statement or clause that it begins.
        last_unit: the number of the last unit of that whole.
        block: the block it stands in.
        is_clause: whether it begins a clause.
        body: the block below a header.
    """

    number: int
    start: int
    first_line: int
    last_line: int
    end_line: int
    last_unit: int
    block: Block
    is_clause: bool = False
    body: Block | None = None


@dataclass(slots=True)
class Block:
    """The statements of one suite and the clauses of the compound ones, each as the unit that begins it.

    A suite on a header line has no `column`.
    """

    column: int | None
    parent: Block | None
    items: list[Unit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a compound statement; `node` is None for ``else`` and ``finally``, which have no node."""

    node: ast.AST | None
    body: list[ast.stmt]


class Layout:
    """The units and blocks of a file that compiles.

    Attributes:
        units: all units in the order of the text.
        unit_of: the unit of each statement and clause, by the id of its node.
        module: the outermost block.
        lines: the lines of the text.
    """

    def __init__(self, text: str, tree: ast.Module, lexed: Lexed) -> None:
        self.units: list[Unit] = []
        self.unit_of: dict[int, int] = {}
        self.module = Block(0, None)
        self._text = text
        self._lexed = lexed
        self.lines = text.split("\n")
        self._comment_lines = {comment.line for comment in lexed.comments if comment.alone}
        self._byte_columns: dict[int, list[int]] = {}
        self._fill(self.module, tree.body)

    def offset(self, line: int, byte_column: int) -> int:
        """Return the offset of a position as the parser gives it: line from 1, column in bytes of UTF-8."""
        start = self._lexed.line_starts[line - 1]
        if not byte_column or self.lines[line - 1].isascii():
            return start + byte_column
        if line not in self._byte_columns:
            sizes = (len(char.encode()) for char in self.lines[line - 1])
            self._byte_columns[line] = list(accumulate(sizes, initial=0))
        return start + bisect_right(self._byte_columns[line], byte_column) - 1

    def unit_at(self, offset: int) -> int:
        """Return the unit that the text at an offset belongs to; -1 before the first one."""
        return bisect_right(self.units, offset, key=lambda unit: unit.start) - 1

    def units_on(self, line: int) -> Sequence[int]:
        """Return the units that stand on a line or go over it."""
        end = bisect_right(self.units, line, key=lambda unit: unit.first_line)
        first = end
        while first and self.units[first - 1].last_line >= line:
            first -= 1
        return range(first, end)

    def block_of(self, line: int, column: int) -> Block:
        """Return the block that a comment on a line of its own, indented as deep as `column`, belongs to.

        That is the innermost one, of those open there or just ended, that is indented no deeper than the comment.
        """
        index = bisect_right(self.units, line, key=lambda unit: unit.first_line) - 1
        block: Block | None = self.module
        if index >= 0:
            block = self.units[index].body or self.units[index].block
        while block and (block.column is None or block.column > column):
            block = block.parent
        return block or self.module

    def column(self, line: int) -> int:
        """Return how deep a line is indented; a tab goes to the next multiple of eight."""
        text = self.lines[line - 1]
        return len(text[: len(text) - len(text.lstrip(" \t\f"))].rpartition("\f")[2].expandtabs(_TAB))

    def _fill(self, block: Block, body: list[ast.stmt]) -> None:
        for statement in body:
            first, end = _first_line(statement), statement.end_lineno or statement.lineno
            start = self.offset(statement.lineno, statement.col_offset)
            if first < statement.lineno:
                start = self._lexed.line_starts[first - 1]
            unit = self._add_unit(block, statement, start, first, end)
            if hasattr(statement, "body") or isinstance(statement, ast.Match):
                self._fill_compound(unit, statement)

    def _fill_compound(self, unit: Unit, statement: ast.stmt) -> None:
        self._add_suite(unit, statement.lineno, getattr(statement, "body", []))
        at, around = unit.last_line, unit.block
        if isinstance(statement, ast.Match):
            around = unit.body = Block(self.column(self._next_line(at)), unit.block)
        elif unit.body:
            at = unit.body.items[-1].end_line
        for clause in self._clauses(statement):
            line, end = self._next_line(at), clause.body[-1].end_lineno or 0
            begin = self._add_unit(around, clause.node, self._lexed.line_starts[line - 1], line, end)
            begin.is_clause = True
            self._add_suite(begin, line, clause.body)
            at = end
        unit.last_unit = len(self.units) - 1

    def _add_unit(self, block: Block, node: ast.AST | None, start: int, first_line: int, end_line: int) -> Unit:
        number = len(self.units)
        unit = Unit(number, start, first_line, end_line, end_line, number, block)
        self.units.append(unit)
        block.items.append(unit)
        if node is not None:
            self.unit_of[id(node)] = number
        return unit

    def _add_suite(self, header: Unit, keyword_line: int, body: list[ast.stmt]) -> None:
        """Add the suite below or behind a header, and see where the header ends."""
        header.last_line = self._lexed.logical_end(keyword_line)
        if body:
            first = _first_line(body[0])
            inline = first <= header.last_line
            header.last_line = min(header.last_line, first)
            header.body = Block(None if inline else self.column(first), header.block)
            self._fill(header.body, body)
            header.last_unit = len(self.units) - 1

    def _clauses(self, statement: ast.stmt) -> list[_Clause]:
        """Return the clauses of a compound statement behind its first suite."""
        found: list[_Clause] = []
        if isinstance(statement, ast.Match):
            return [_Clause(case, case.body) for case in statement.cases]
        found += [_Clause(handler, handler.body) for handler in getattr(statement, "handlers", ())]
        orelse: list[ast.stmt] = getattr(statement, "orelse", [])
        while len(orelse) == 1 and isinstance(orelse[0], ast.If) and self._is_elif(orelse[0]):
            found.append(_Clause(orelse[0], orelse[0].body))
            orelse = orelse[0].orelse
        found += [_Clause(None, body) for body in (orelse, getattr(statement, "finalbody", [])) if body]
        return found

    def _is_elif(self, statement: ast.If) -> bool:
        return self._text.startswith("elif", self.offset(statement.lineno, statement.col_offset))

    def _next_line(self, line: int) -> int:
        """Return the first line below `line` that holds code."""
        line += 1
        while line in self._comment_lines or not self.lines[line - 1].strip():
            line += 1
        return line


def _first_line(statement: ast.stmt) -> int:
    """Return the line where a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return decorators[0].lineno if decorators else statement.lineno
