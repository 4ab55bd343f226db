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
    Verdict,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.files import read_text
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.errors import UsageError, nearest_name
from agentcompass_websearch.records import Evidence
from agentcompass_websearch.text import clean

type FileNeedle = tuple[str, NeedleKind | None]
"""A needle and its kind; None leaves the kind to the gold code."""

type Entries = Mapping[str, tuple[FileNeedle, ...]]
"""The needles by ticket id."""


def read_needles(path: Path, problems: Problems) -> Entries:
    """Return the needles of a file, in its order; what is wrong with single entries goes on `problems`.

    Raises:
        UsageError: it cannot be read, is no such object, or names a ticket twice.
    """
    try:
        data = json.loads(read_text(path), object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path} line {error.lineno}: not valid JSON: {error.msg}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: JSON nested too deeply") from error
    except _Twice as error:
        raise UsageError(f"{path}: {error.args[0]!r} stands twice in one object") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path}: must be an object {{ticket_id: [{{needle, kind}}]}}")
    return {ticket_id: _entry(ticket_id, items, path, problems) for ticket_id, items in data.items()}


def with_needles(drafts: Sequence[Draft], path: Path, problems: Problems) -> list[Draft]:
    """Return `drafts` with the needles that the file at `path` gives to those that have none of their own.

    What is wrong with the file's entries goes on `problems`; the drafts concerned are left out.

    Raises:
        UsageError: the file cannot be read as a whole.
    """
    entries = read_needles(path, problems)
    known = [draft.id for draft in drafts]
    for ticket_id in entries:
        if ticket_id not in known:
            near = nearest_name(ticket_id, known)
            problems.add(str(path), ticket_id, "is not in the dataset" + (f"; did you mean {near!r}?" if near else ""))
    given = (_given(draft, entries[draft.id], path, problems) if draft.id in entries else draft for draft in drafts)
    return [draft for draft in given if draft is not None]


def needles_text(tickets: Iterable[tuple[str, Iterable[Needle]]]) -> str:
    """Return the text of a needles file, one needle a line so that a person can strike lines out."""
    blocks = []
    for ticket_id, needles in tickets:
        lines = [json.dumps({"needle": n.text, "kind": n.kind}, ensure_ascii=False) for n in needles]
        inner = "".join(f"\n    {line}{',' if number < len(lines) else ''}" for number, line in enumerate(lines, 1))
        blocks.append(f"  {json.dumps(ticket_id)}: [{inner}\n  ]")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _entry(ticket_id: str, items: Any, path: Path, problems: Problems) -> tuple[FileNeedle, ...]:
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


def _given(draft: Draft, entry: Sequence[FileNeedle], path: Path, problems: Problems) -> Draft | None:
    """Return `draft` with the needles of its entry; None if these are not sound."""
    words = tuple(word for word, _ in entry)
    if draft.words:
        if words and set(words) != set(draft.words):
            fault = f"has needles of its own ({', '.join(draft.words)}), which this file cannot change; leave it out"
            problems.add(str(path), draft.id, fault)
        return draft
    needles = tuple(Needle(word, kind or kind_in_gold(word, draft.gold)) for word, kind in entry)
    absent = _judged(draft.gold, needles, draft).missing
    held = [found.needle for found in _judged(draft.starter, needles, draft).needles if found.present]
    for word in absent:
        problems.add(str(path), draft.id, f"needle {word!r} is absent from the gold code")
    for word in held:
        problems.add(str(path), draft.id, f"needle {word!r} is present in the starter already")
    if not needles or absent or held:
        return None
    return dataclasses.replace(draft, words=words, kinds={n.text: n.kind for n in needles}, origin="file")


def _judged(code: str, needles: Sequence[Needle], draft: Draft) -> Verdict:
    return judge_published(Submission(code), needles, Evidence(), outfile=draft.outfile)


class _Twice(Exception):
    """A name stands twice in one JSON object."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in pairs:
        if name in data:
            raise _Twice(name)
        data[name] = value
    return data
