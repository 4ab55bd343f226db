"""The published policy: the file compiles and holds every needle, each needle is cited, and the page came back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.attachment import Attachments, Sources
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.citations import source_comments
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.grounding import Observed
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.presence import SearchedFile
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.remarks import EMPTY, remarks_on_file
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.source import Source, read_source
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import (
    MAX_REPORTED_URLS,
    Grounding,
    Needle,
    NeedleVerdict,
    Submission,
    Verdict,
    digest_of,
    distinct,
)
from agentcompass_websearch.records import Evidence

NO_STATEMENT: Final = "no statement in it"
NO_NEEDLES: Final = "no needles to look for"


def judge_published(
    submission: Submission | str,
    needles: Sequence[Needle],
    evidence: Evidence,
    *,
    outfile: str,
    cite_urls: bool = True,
) -> Verdict:
    """Judge a submission by the published policy. Pure, never raises, linear in its input.

    Args:
        submission: the file, as `extract_published` takes it from an answer.
        needles: what it must hold; each is judged once, and by itself. Without any, nothing passes.
        evidence: what the tools returned in this attempt.
        outfile: the name of the file, for messages.
        cite_urls: whether needles must be cited and grounded.
    """
    given = Submission(submission) if isinstance(submission, str) else submission
    wanted = distinct(needles)
    compiled = compile_file(given.text, outfile)
    notes = [*given.notes, *remarks_on_file(given.text)]
    if compiled.tree is None or not compiled.tree.body:
        return Verdict(
            passed=False,
            compiled=False,
            needles=tuple(NeedleVerdict(needle.text, needle.kind) for needle in wanted),
            notes=tuple(notes if EMPTY in notes else [compiled.fault or NO_STATEMENT, *notes]),
            digest=digest_of(given.text),
        )
    look = _Look(read_source(compiled.text, compiled.tree), wanted, evidence)
    found = [look.at(needle) for needle in wanted]
    missing = tuple(one.needle for one in found if not one.present)
    uncited = tuple(one.needle for one in found if one.present and not one.urls and cite_urls)
    ungrounded = tuple(one.needle for one in found if one.urls and not one.grounded_by and cite_urls)
    return Verdict(
        passed=bool(found) and not (missing or uncited or ungrounded),
        compiled=True,
        missing=missing,
        uncited=uncited,
        ungrounded=ungrounded,
        needles=tuple(found),
        notes=tuple(notes if found else [*notes, NO_NEEDLES]),
        digest=digest_of(given.text),
    )


class _Look:
    """Looks at a file that compiles, needle by needle."""

    def __init__(self, source: Source, needles: Sequence[Needle], evidence: Evidence) -> None:
        self._source = source
        self._file = SearchedFile(source, needles)
        self._attachments = Attachments(source.layout, source_comments(source.text, source.lexed))
        self._observed = Observed(evidence)
        self._grounds: dict[Sources, tuple[str, Grounding] | None] = {}

    def at(self, needle: Needle) -> NeedleVerdict:
        """Judge one needle: its first grounded occurrence counts, else its first cited one, else its first one."""
        line: int | None = None
        cited: Sources | None = None
        for occurrence in self._file.occurrences(needle):
            line = line or occurrence.line
            for unit in occurrence.units:
                sources = self._attachments.of(unit)
                if sources is None:
                    continue
                here = self._line_in(unit, occurrence.line)
                if ground := self._ground(sources):
                    url, call = ground
                    return NeedleVerdict(needle.text, needle.kind, True, here, _reported(sources, url), call)
                if cited is None:
                    cited, line = sources, here
        if cited:
            return NeedleVerdict(needle.text, needle.kind, True, line, _reported(cited))
        return NeedleVerdict(needle.text, needle.kind, line is not None, line)

    def _line_in(self, unit: int, line: int) -> int:
        """Return `line` if it is one of the unit, else where the unit begins."""
        lines = self._source.layout.units[unit]
        return line if lines.first_line <= line <= lines.last_line else lines.first_line

    def _ground(self, sources: Sources) -> tuple[str, Grounding] | None:
        """Return the first attached URL that came back, with the call that returned it."""
        if sources not in self._grounds:
            found = None
            for url in sources.urls:
                if call := self._observed.grounding(url):
                    found = (url, call)
                    break
            self._grounds[sources] = found or (self._ground(sources.outer) if sources.outer else None)
        return self._grounds[sources]


def _reported(sources: Sources, *counted: str) -> tuple[str, ...]:
    """Return the attached URLs to name, among them the one that counted."""
    attached = (url for one in sources.chain() for url in one.urls)
    return tuple(dict.fromkeys([*counted, *islice(attached, MAX_REPORTED_URLS)]))[:MAX_REPORTED_URLS]
