"""Finds what must not be averaged or compared: attempts that were not made alike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentcompass_websearch.boards.reader.runs import Run
from agentcompass_websearch.boards.redaction import without_secrets
from agentcompass_websearch.records import Board

_OF_AN_ARM = frozenset({"vendor", "tools", "model", "harness"})
"""Parts of a fingerprint in which the arms of one board may differ: they are what is compared, or shown beside it."""


def mixtures(arms: Sequence[tuple[str, Board, Sequence[Run]]]) -> list[str]:
    """Return one message for each mixture: within an arm, and between the arms of a board.

    Args:
        arms: name, board and runs of each arm.
    """
    found = []
    for name, _, runs in arms:
        found += _differences(f"{name}: attempts of one arm were not made alike", _settings(runs))
        found += _ticket_differences(f"{name}: attempts at one ticket were not made alike", runs)
    for board in dict.fromkeys(board for _, board, _ in arms):
        members = [(name, runs) for name, of, runs in arms if of == board]
        shared = [
            (name, {part: value for part, value in parts.items() if part not in _OF_AN_ARM})
            for name, runs in members
            for _, parts in _settings(runs)[:1]
        ]
        found += _differences(f"{board}: the arms of one board were not made alike", shared)
        kinds: dict[str, list[str]] = {}
        for name, runs in members:
            for kind in sorted({a.evidence for run in runs for a in run.attempts} - {"", "none"}):
                kinds.setdefault(kind, []).append(name)
        if len(kinds) > 1:
            listed = "\n".join(f"  {kind}: {', '.join(names)}" for kind, names in kinds.items())
            found.append(f"{board}: evidence was read in different ways, so verdicts cannot be compared\n{listed}")
        if len(members) > 1:
            everything = [run for _, runs in members for run in runs]
            found += _ticket_differences(f"{board}: the arms were not given the same tickets or budgets", everything)
    return found


def _settings(runs: Iterable[Run]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(run.name, without_secrets(parts)) for run in runs for parts in run.settings if parts]


def _differences(title: str, settings: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Return a message with the first two settings side by side where they differ, if any do."""
    if not settings:
        return []
    first_name, first = settings[0]
    for name, parts in settings[1:]:
        if parts != first:
            return [f"{title}:\n{diff(first, parts, first_name, name)}"]
    return []


def _ticket_differences(title: str, runs: Iterable[Run]) -> list[str]:
    seen: dict[str, tuple[str, str]] = {}
    for run in runs:
        for attempt in run.attempts:
            if not attempt.ticket_settings:
                continue
            name, settings = seen.setdefault(attempt.ticket, (run.name, attempt.ticket_settings))
            if settings != attempt.ticket_settings:
                shown = diff(json.loads(settings), json.loads(attempt.ticket_settings), name, run.name)
                return [f"{title}, first at ticket {attempt.ticket}:\n{shown}"]
    return []


def diff(left: Mapping[str, Any], right: Mapping[str, Any], left_name: str, right_name: str) -> str:
    """Return the leaves in which two nested mappings differ, one a line."""
    a, b = dict(_leaves(left)), dict(_leaves(right))
    lines = [f"  {'':24} {left_name} | {right_name}"]
    lines += [f"  {k:24} {_show(a.get(k))} | {_show(b.get(k))}" for k in sorted({*a, *b}) if a.get(k) != b.get(k)]
    return "\n".join(lines)


def _leaves(value: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _show(value: Any) -> str:
    text = "(absent)" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
