"""Writes a board as Markdown and as CSV."""

from __future__ import annotations

import csv
import io

import msgspec

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.columns import columns_of
from agentcompass_websearch.boards.findings import TITLES, findings
from agentcompass_websearch.boards.names import names_of
from agentcompass_websearch.boards.schema import BoardFile, BoardTable
from agentcompass_websearch.text import one_line

_CSV_START = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What begins a formula, also in the wide forms of East Asia."""


def markdown(board: BoardFile) -> str:
    """Return ``board.md``: for each board what it says, its table, the losses, and the pairs that differ."""
    parts = ["# Web search for coding agents"]
    for name, table in board.boards.items():
        if table.arms:
            warnings = [f"- Not alike: {cell(warning)}" for warning in table.warnings]
            parts += [f"## {TITLES[name]}", *warnings, *(f"- {cell(line)}" for line in findings(name, table)), ""]
            parts += [_main(name, table), "", *_funnels(table), "", *_pairs(table)]
    for problem in board.problems:
        parts.append(f"- Not read: {cell(problem)}")
    return "\n".join(parts).rstrip() + "\n"


def csv_text(board: BoardFile) -> str:
    """Return ``board.csv``: one line an arm, every number of ``board.json`` that is no list, unformatted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["board", *_CSV_FIELDS])
    for name, table in board.boards.items():
        for arm in table.arms:
            data = msgspec.to_builtins(arm)
            writer.writerow([name, *(_harmless(_value(data, path)) for path in _CSV_FIELDS)])
    return out.getvalue()


def cell(text: str) -> str:
    """Return `text` that stays in its table cell and means nothing to Markdown or HTML."""
    text = one_line(text)
    for char in "\\`*_{}[]<>|#~&":
        text = text.replace(char, f"\\{char}")
    # Many readers make links of bare addresses.
    return text.replace("://", ":\\//").replace("www.", "www\\.")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *([cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _main(board: str, table: BoardTable) -> str:
    columns = columns_of(board, table)
    return _table([c.label for c in columns], [[c.text(arm) for c in columns] for arm in table.arms])


def _funnels(table: BoardTable) -> list[str]:
    names = list(table.arms[0].funnel)
    called = names_of(table.arms)
    rows = [[called[arm.id], *(str(arm.funnel[name]) for name in names)] for arm in table.arms]
    return ["### Where attempts were lost", "", _table(["arm", *(name.replace("_", " ") for name in names)], rows)]


def _pairs(table: BoardTable) -> list[str]:
    differing = [pair for pair in table.pairs if pair.p_holm is not None and pair.p_holm <= 0.05]
    if not table.pairs:
        return []
    said = f"{len(differing)} of {len(table.pairs)} pairs differ by more than chance (by ticket, Holm's correction)."
    names = names_of(table.arms)
    rows = [
        [names[p.a], names[p.b], n.points(p.diff), n.difference_interval(p.ci95), n.p_value(p.p), n.p_value(p.p_holm)]
        for p in differing
    ]
    shown = [_table(["a", "b", "a - b, points", "95 % interval", "p", "p, Holm"], rows), ""] if rows else []
    return ["### Pairs", "", said, "", *shown]


def _value(data: object, path: str) -> object:
    for step in path.split("."):
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list | tuple):
            data = data[int(step)]
    return data


def _harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple(_CSV_START)) else value


_CSV_FIELDS = (
    "id",
    "vendor_id",
    "model",
    "tickets",
    "repeats",
    "planned",
    "attempts",
    "completeness",
    "completion.mean",
    "completion.sd",
    "completion.ci95.0",
    "completion.ci95.1",
    "correct_official.mean",
    "correct_official.sd",
    "correct_published.mean",
    "correct_published.sd",
    "recovered.mean",
    "bracket.0",
    "bracket.1",
    "group",
    "rank.0",
    "rank.1",
    "median_task_s",
    "mean_search_s",
    "median_tokens",
    "list_usd.search",
    "list_usd.fetch",
    "median_model_usd",
    "median_tool_usd",
    "median_cost_usd",
    "lift.diff",
    "dominated",
    "unique_solves",
    "bill.search.calls",
    "bill.search.list_usd",
    "bill.search.reported_usd",
    "bill.fetch.calls",
    "bill.fetch.list_usd",
    "bill.fetch.reported_usd",
)
