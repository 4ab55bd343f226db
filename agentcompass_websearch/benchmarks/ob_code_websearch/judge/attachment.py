"""Attaches source comments to statements: which pages a statement cites."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.citations import SourceComment
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.layout import Block, Layout, Unit


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What is cited for a statement: the URLs attached to it, and what is attached to a statement around it."""

    urls: tuple[str, ...]
    outer: Sources | None = None

    def chain(self) -> Iterator[Sources]:
        """Yield this one, then those around it."""
        here: Sources | None = self
        while here:
            yield here
            here = here.outer


class Attachments:
    """The source comments of a file, by unit.

    A comment on a line of a statement belongs to that statement; a free one to the run of statements below it, with
    the bodies of compound ones, or to the clause below it. Such ranges of units nest, they never cross.
    """

    def __init__(self, layout: Layout, comments: list[SourceComment]) -> None:
        on_lines: dict[int, list[SourceComment]] = {}
        runs = _Runs(layout, comments)
        for comment in comments:
            units = layout.units_on(comment.line)
            for unit in units:
                on_lines.setdefault(unit, []).append(comment)
            if not units:
                runs.add(comment)
        ranges = runs.ranges()
        self._starts = sorted(ranges, key=lambda span: (span[0], -span[1]))
        self._nested: list[Sources] = []
        self._outer: list[int] = []
        open_ranges: list[int] = []
        for index, (first, last) in enumerate(self._starts):
            while open_ranges and self._starts[open_ranges[-1]][1] < first:
                open_ranges.pop()
            outer = open_ranges[-1] if open_ranges else -1
            self._outer.append(outer)
            self._nested.append(Sources(_urls(ranges[first, last]), self._nested[outer] if outer >= 0 else None))
            open_ranges.append(index)
        self._own = {unit: Sources(_urls(found), self._around(unit)) for unit, found in on_lines.items()}

    def of(self, unit: int) -> Sources | None:
        """Return what is attached to a unit; None if nothing is."""
        return self._own.get(unit) or self._around(unit)

    def _around(self, unit: int) -> Sources | None:
        """Return what is attached to the innermost range that holds `unit`."""
        index = bisect_right(self._starts, unit, key=lambda span: span[0]) - 1
        while index >= 0 and self._starts[index][1] < unit:
            index = self._outer[index]
        return self._nested[index] if index >= 0 else None


class _Runs:
    """Finds the range of units that each free comment covers; `comments` are all of the file, free or not."""

    def __init__(self, layout: Layout, comments: list[SourceComment]) -> None:
        self._layout = layout
        self._lines = [comment.line for comment in comments]
        numbers = range(1, len(layout.lines) + 1)
        self._blank = list(accumulate((not layout.lines[n - 1].strip(" \t\f") for n in numbers), initial=0))
        self._below: dict[tuple[int, int], tuple[Block, list[SourceComment]]] = {}

    def add(self, comment: SourceComment) -> None:
        """Note a free comment, above the next statement or clause of its block."""
        block = self._layout.block_of(comment.line, self._layout.column(comment.line))
        index = bisect_right(block.items, comment.line, key=lambda item: item.first_line)
        if index < len(block.items):
            self._below.setdefault((id(block), index), (block, []))[1].append(comment)

    def ranges(self) -> dict[tuple[int, int], list[SourceComment]]:
        """Return the comments by first and last unit of what they cover."""
        found: dict[tuple[int, int], list[SourceComment]] = {}
        for (_, index), (block, comments) in self._below.items():
            first = block.items[index]
            last = first if first.is_clause else self._end_of_run(block, index)
            found.setdefault((first.number, last.last_unit), []).extend(comments)
        return found

    def _end_of_run(self, block: Block, index: int) -> Unit:
        """Return the last statement of the run that begins at an item of `block`."""
        last = block.items[index]
        for number in range(index + 1, len(block.items)):
            item = block.items[number]
            if item.is_clause:
                continue
            blank = self._blank[item.first_line - 1] > self._blank[last.end_line]
            if blank or (id(block), number) in self._below or self._has_comment(item):
                break
            last = item
        return last

    def _has_comment(self, item: Unit) -> bool:
        return bisect_left(self._lines, item.first_line) < bisect_right(self._lines, item.end_line)


def _urls(comments: Iterable[SourceComment]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(url for comment in comments for url in comment.urls))
