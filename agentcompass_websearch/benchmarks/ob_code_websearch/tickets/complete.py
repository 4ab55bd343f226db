"""From drafts to tickets: ids, needles and code are checked, and each ticket against its own gold and starter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    NeedleKind,
    Submission,
    Verdict,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import with_derived
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.names import name_fault, outfile_fault
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.errors import nearest_name
from agentcompass_websearch.records import Evidence

_KINDS: Final = get_args(NeedleKind)
MAX_NEEDLE_CHARS: Final = 300


def complete(drafts: Iterable[Draft]) -> list[Ticket]:
    """Return the tickets of those drafts that are sound; what is wrong with the others goes on their problems.

    Sound means: id and outfile are safe file names, no id occurs twice, there are needles or they can be derived,
    starter and gold compile, gold holds all needles and the starter does not. Gold that the judge would not regard as
    cited is no fault, since the model is not judged by it; the ticket says so in `gold_cites`.
    """
    tickets = []
    places: dict[str, str] = {}
    for draft in drafts:
        _check_names(draft, places)
        if not draft.words and compile_file(draft.gold, draft.outfile).tree is not None:
            draft = with_derived(draft)
        needles = _needles(draft)
        if draft.record.faults == 0:
            ticket = _self_checked(draft, needles)
            if draft.record.faults == 0:
                tickets.append(ticket)
    return tickets


def _check_names(draft: Draft, places: dict[str, str]) -> None:
    if fault := name_fault(draft.id):
        draft.record.fault(f"id {fault}")
    if fault := outfile_fault(draft.outfile):
        draft.record.fault(f"outfile {draft.outfile!r} {fault}")
    # Folders of some platforms do not tell upper case from lower.
    first = places.setdefault(draft.id.casefold(), draft.record.where)
    if first != draft.record.where:
        draft.record.fault(f"id occurs twice, first in {first}")


def _needles(draft: Draft) -> tuple[Needle, ...]:
    for word in draft.words:
        if any(ch.isspace() or not ch.isprintable() for ch in word):
            draft.record.fault(f"needle {word!r} holds white space or a character that does not print")
        if len(word) > MAX_NEEDLE_CHARS:
            draft.record.fault(f"needle {word[:40]!r}... is longer than {MAX_NEEDLE_CHARS} characters")
    for word, kind in draft.kinds.items():
        if word not in draft.words:
            draft.record.fault(f"kinds names {word!r}, which is no needle of the ticket{_nearest(word, draft.words)}")
        elif kind not in _KINDS:
            draft.record.fault(f"kind of {word!r} is {kind!r}, but must be one of {', '.join(_KINDS)}")
    if draft.record.faults:
        return ()
    return tuple(Needle(word, draft.kinds.get(word) or kind_in_gold(word, draft.gold)) for word in draft.words)


def _self_checked(draft: Draft, needles: tuple[Needle, ...]) -> Ticket:
    gold, starter = _judged(draft, draft.gold, needles), _judged(draft, draft.starter, needles)
    for name, verdict in (("gold", gold), ("starter", starter)):
        if not verdict.compiled:
            draft.record.fault(f"{name} code does not compile{_because(verdict)}")
    if gold.missing:
        draft.record.fault(f"gold code lacks {', '.join(map(repr, gold.missing))}")
    if needles and starter.compiled and not starter.missing:
        draft.record.fault("starter holds all needles already, so that there is nothing to find")
    return Ticket(
        id=draft.id,
        category=draft.category,
        text=draft.text,
        starter=draft.starter,
        gold=draft.gold,
        needles=needles,
        needles_origin=draft.origin,
        outfile=draft.outfile,
        cite_urls=draft.cite_urls,
        limits=draft.limits,
        holds_starter=draft.holds_starter,
        gold_cites=not draft.cite_urls or not gold.uncited,
    )


def _judged(draft: Draft, code: str, needles: tuple[Needle, ...]) -> Verdict:
    return judge_published(Submission(code, ()), needles, Evidence(), outfile=draft.outfile, cite_urls=draft.cite_urls)


def _because(verdict: Verdict) -> str:
    return f": {verdict.notes[0]}" if verdict.notes else ""


def _nearest(word: str, known: Iterable[str]) -> str:
    near = nearest_name(word, known)
    return f" (did you mean {near!r}?)" if near else ""
