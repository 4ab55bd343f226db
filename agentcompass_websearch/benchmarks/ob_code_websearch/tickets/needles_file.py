"""The needles file ``{ticket_id: [{needle, kind}]}``: a person's word on the needles of tickets that come with none."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    NeedleKind,
    Submission,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.files import read_text
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.select import check_known
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Evidence
from agentcompass_websearch.text import clean

type Entries = Mapping[str, tuple[tuple[str, str | None], ...]]
"""Ticket id -> needles and their kinds, None where the file leaves a kind to the gold code."""


def read_needles(path: Path) -> Entries:
    """Return the needles of a file, in its order.

    Raises:
        UsageError: it cannot be read, is not of the form, or names a ticket twice; all faults are listed.
    """
    try:
        data = json.loads(read_text(path), object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path} line {error.lineno}: not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path}: must be an object {{ticket_id: [{{needle, kind}}]}}")
    problems = Problems()
    entries = {ticket_id: _entry(ticket_id, items, path, problems) for ticket_id, items in data.items()}
    problems.raise_if_any()
    return entries


def with_needles(drafts: Sequence[Draft], path: Path, problems: Problems) -> list[Draft]:
    """Return `drafts` with the needles that the file at `path` gives to those that have none of their own.

    Raises:
        UsageError: the file is not sound, or names tickets that are not there.
    """
    entries = read_needles(path)
    known = [draft.id for draft in drafts]
    check_known(f"tickets in {path}", [ticket_id for ticket_id in entries if ticket_id not in known], known)
    return [_with_entry(draft, entries[draft.id], path, problems) if draft.id in entries else draft for draft in drafts]


def needles_text(tickets: Iterable[tuple[str, Iterable[Needle]]]) -> str:
    """Return the text of a needles file, one needle a line so that a person can strike lines out."""
    blocks = []
    for ticket_id, needles in tickets:
        lines = [json.dumps({"needle": n.text, "kind": n.kind}, ensure_ascii=False) for n in needles]
        inner = "".join(f"\n    {line}{',' if number < len(lines) else ''}" for number, line in enumerate(lines, 1))
        blocks.append(f"  {json.dumps(ticket_id)}: [{inner}\n  ]")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _entry(ticket_id: str, items: Any, path: Path, problems: Problems) -> tuple[tuple[str, str | None], ...]:
    if not isinstance(items, list) or not items:
        problems.add(str(path), ticket_id, "must have a list of one or more {needle, kind}")
        return ()
    needles = []
    for item in items:
        needle = item.get("needle") if isinstance(item, dict) else None
        kind = item.get("kind") if isinstance(item, dict) else None
        if not isinstance(needle, str) or not needle:
            problems.add(str(path), ticket_id, f"{json.dumps(item)[:60]} is not of the form {{needle, kind}}")
        elif unknown := sorted(set(item) - {"needle", "kind"}):
            problems.add(str(path), ticket_id, f"needle {needle!r} has unknown fields: {', '.join(unknown)}")
        elif kind is not None and kind not in get_args(NeedleKind):
            known = ", ".join(get_args(NeedleKind))
            problems.add(str(path), ticket_id, f"kind of {needle!r} is {kind!r}, but must be one of {known}")
        else:
            needles.append((clean(needle), kind))
    return tuple(dict(needles).items())


def _with_entry(draft: Draft, entry: Sequence[tuple[str, str | None]], path: Path, problems: Problems) -> Draft:
    words = tuple(word for word, _ in entry)
    if draft.words:
        if set(words) != set(draft.words):
            fault = f"has needles of its own ({', '.join(draft.words)}), which this file cannot change; leave it out"
            problems.add(str(path), draft.id, fault)
        return draft
    needles = tuple(Needle(word, kind or kind_in_gold(word, draft.gold)) for word, kind in entry)  # type: ignore[arg-type]
    for word in _missing(draft.gold, needles, draft.outfile):
        problems.add(str(path), draft.id, f"needle {word!r} is absent from the gold code")
    missing = _missing(draft.starter, needles, draft.outfile)
    for word in words:
        if word not in missing:
            problems.add(str(path), draft.id, f"needle {word!r} is present in the starter already")
    return dataclasses.replace(draft, words=words, kinds={n.text: n.kind for n in needles}, origin="file")


def _missing(code: str, needles: tuple[Needle, ...], outfile: str) -> Sequence[str]:
    return judge_published(Submission(code, ()), needles, Evidence(), outfile=outfile).missing


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return data
