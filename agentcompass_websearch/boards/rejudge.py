"""Judges stored attempts again, offline, from their answers and what their tools returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Needle, NeedleKind, NeedleVerdict, decided_by
from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import Policy, Score, score
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.boards.reader.attempt import Attempt
from agentcompass_websearch.boards.reader.full import FullAttempt, read_full
from agentcompass_websearch.boards.reader.runs import Run
from agentcompass_websearch.boards.reader.stored import NeedleRecord, Scoring
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.text import clean

_VERDICT: Final = ("passed", "compiled", "missing", "uncited", "ungrounded")
NeedlesFile = Mapping[str, Sequence[Needle]]
_BOM: Final = b"\xef\xbb\xbf"


class _Entry(msgspec.Struct):
    needle: str
    kind: NeedleKind = "other"


class Rejudged(msgspec.Struct, frozen=True):
    """One attempt judged again. `was` is the stored ``correct``, `now` the new one; lists are the deciding policy's.

    `differs` names what else of the judge's record is stored otherwise: metrics, verdicts, the rule that decided.
    """

    run: str
    ticket: str
    attempt: int
    was: bool
    now: bool
    compiled: bool
    missing: list[str]
    uncited: list[str]
    ungrounded: list[str]
    decided_by: str | None
    differs: list[str]

    @property
    def changed(self) -> bool:
        """Whether the verdict is another one than stored."""
        return self.was is not self.now


@dataclass(frozen=True, slots=True)
class Rejudging:
    """The outcome of judging runs again. `problems` are attempts that could not be."""

    policy: str
    attempts: tuple[Rejudged, ...]
    problems: tuple[str, ...]

    @property
    def changed(self) -> list[Rejudged]:
        """The attempts whose verdict is another one now."""
        return [attempt for attempt in self.attempts if attempt.changed]


def rejudge(runs: Sequence[Run], *, policy: Policy | None = None, needles: NeedlesFile | None = None) -> Rejudging:
    """Judge every scored attempt of `runs` again. Reads results, writes nothing.

    Args:
        runs: what `read_runs` returned.
        policy: whose verdict counts; None leaves each attempt the policy it was judged by.
        needles: other needles by ticket id; a ticket that is not named keeps its own.

    Raises:
        UsageError: `needles` names a ticket that no run has.
    """
    known = {attempt.ticket for run in runs for attempt in run.attempts}
    if unknown := sorted(set(needles or ()) - known):
        raise UsageError(f"the needles file names tickets that these runs do not have: {', '.join(unknown[:5])}.")
    done: list[Rejudged] = []
    problems: list[str] = []
    for run, attempt in _scored(runs):
        try:
            full = read_full(run, attempt)
        except (OSError, ValueError) as error:
            problems.append(f"{run.name}, {attempt.path}: {error}")
            continue
        if full.scoring is not None:
            again = judge_again(attempt.ticket, full, full.scoring, policy, (needles or {}).get(attempt.ticket))
            done.append(_record(run, attempt, full, full.scoring, again))
    return Rejudging(policy or "as judged", tuple(done), tuple(problems))


def judge_again(
    ticket: str, full: FullAttempt, scoring: Scoring, policy: Policy | None, needles: Sequence[Needle] | None
) -> Score:
    """Return the score of a stored attempt, computed anew."""
    stored = tuple(Needle(needle.needle, needle.kind) for needle in scoring.needles)
    rebuilt = Ticket(
        id=ticket,
        category="",
        text="",
        starter="",
        gold="",
        needles=stored if needles is None else tuple(needles),
        needles_origin="file",
        outfile=scoring.outfile,
        cite_urls=scoring.cite_urls,
    )
    own: Policy = "official" if scoring.judge == "official" else "published"
    return score(rebuilt, full.answer, full.evidence, (), policy or own)


def read_needles(path: Path) -> NeedlesFile:
    """Read a needles file ``{ticket id: [{"needle": ..., "kind": ...}]}``.

    Raises:
        UsageError: it cannot be read or has another form.
    """
    try:
        data = msgspec.json.decode(path.read_bytes().removeprefix(_BOM), type=dict[str, list[_Entry]])
        return {ticket: _needles(ticket, entries) for ticket, entries in data.items()}
    except (OSError, ValueError, RecursionError) as error:
        form = '{"TICKET": [{"needle": "X-Api-Mode", "kind": "header"}]}'
        raise UsageError(f"cannot read needles from {path}: {error}. Its form is {form}.") from error


def _needles(ticket: str, entries: Sequence[_Entry]) -> list[Needle]:
    if not entries:
        raise ValueError(f"ticket {ticket} has no needle")
    for entry in entries:
        if not entry.needle or any(map(str.isspace, entry.needle)):
            raise ValueError(f"ticket {ticket}: {entry.needle!r} is no needle; it is one word, without white space")
    return [Needle(entry.needle, entry.kind) for entry in entries]


def _scored(runs: Sequence[Run]) -> Iterator[tuple[Run, Attempt]]:
    return ((run, attempt) for run in runs for attempt in run.attempts if attempt.scored)


def _record(run: Run, attempt: Attempt, full: FullAttempt, scoring: Scoring, again: Score) -> Rejudged:
    verdict = again.deciding
    return Rejudged(
        run=run.name,
        ticket=attempt.ticket,
        attempt=attempt.number,
        was=bool(full.metrics.get("correct")),
        now=again.metrics()["correct"],
        compiled=verdict.compiled,
        missing=list(verdict.missing),
        uncited=list(verdict.uncited),
        ungrounded=list(verdict.ungrounded),
        decided_by=decided_by(again.published, again.official),
        differs=_differing(full, scoring, again),
    )


def _differing(full: FullAttempt, scoring: Scoring, again: Score) -> list[str]:
    """Return what is stored otherwise than judged again. Whether a needle stood in a query is no verdict."""
    metrics = {name: value for name, value in again.metrics().items() if name != "needle_in_query"}
    found = [name for name, value in metrics.items() if bool(full.metrics.get(name)) is not value]
    for name, stored, anew in (
        ("the published verdict", scoring.published, again.published),
        ("the official verdict", scoring.official, again.official),
    ):
        if any(getattr(stored, part) != getattr(anew, part) for part in _VERDICT):
            found.append(name)
    if [*map(_stored, scoring.needles)] != [*map(_anew, again.published.needles)]:
        found.append("the record of the needles")
    if scoring.decided_by != (decided_by(again.published, again.official) or ""):
        found.append("decided_by")
    return found


def _stored(needle: NeedleRecord) -> tuple[object, ...]:
    by = needle.grounded_by
    return (*_found(needle), needle.needle, tuple(needle.urls), (by.call_id, by.rank) if by else None)


def _anew(needle: NeedleVerdict) -> tuple[object, ...]:
    return (*_found(needle), needle.needle, tuple(map(clean, needle.urls)), needle.grounded_by)


def _found(needle: NeedleRecord | NeedleVerdict) -> tuple[object, ...]:
    return needle.kind, needle.present, needle.line
