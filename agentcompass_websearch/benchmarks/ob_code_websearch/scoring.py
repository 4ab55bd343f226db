"""Scores one attempt: both policies on its answer, the metrics that follow, and the record that explains them."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import digest
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    NeedleVerdict,
    Submission,
    Verdict,
    decided_by,
    extract_official,
    extract_published,
    judge_official,
    judge_published,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.prompts import PROMPT_HASH
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.records import SCHEMA, Evidence, submission_sha
from agentcompass_websearch.text import clean

Policy = Literal["published", "official"]


@dataclass(frozen=True, slots=True)
class Score:
    """The verdicts of both policies on one attempt. `policy` is the one whose verdict counts as ``correct``."""

    ticket: Ticket
    policy: Policy
    submission: Submission
    published: Verdict
    official: Verdict
    evidence: Evidence
    needle_in_query: bool

    @property
    def deciding(self) -> Verdict:
        """The verdict that counts."""
        return self.published if self.policy == "published" else self.official

    def metrics(self) -> dict[str, bool]:
        """Return the binary metrics.

        What an attempt without any evidence cannot be, correct or grounded, it is not, by definition: in the no-search
        arm `recovered` is what counts. The steps on the way (compiled, needles present, cited, grounded) are those of
        the published policy.
        """
        verdict = self.published
        searched = self.evidence.kind != "none"
        cited = verdict.recovered and not verdict.uncited
        return {
            "correct": searched and self.deciding.passed,
            "compiled": verdict.compiled,
            "needles_present": all(needle.present for needle in verdict.needles),
            "cited": cited,
            "grounded": searched and cited and not verdict.ungrounded,
            "recovered": verdict.recovered,
            "correct_published": searched and verdict.passed,
            "correct_official": searched and self.official.passed,
            "needle_in_query": self.needle_in_query,
        }

    def record(self, *, dataset: Mapping[str, Any], fingerprint_parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``extra.scoring``: all that explains the verdicts, and lets them be computed again from the answer.

        Args:
            dataset: source and revision of the ticket.
            fingerprint_parts: see `fingerprint.parts_of`.
        """
        return {
            "schema": SCHEMA,
            "evaluation_status": "completed",
            "judge": self.policy,
            "published": _verdict(self.published),
            "official": _verdict(self.official),
            "decided_by": decided_by(self.published, self.official),
            "needles": [_needle(needle) for needle in self.published.needles],
            "needles_origin": self.ticket.needles_origin,
            "outfile": self.ticket.outfile,
            "cite_urls": self.ticket.cite_urls,
            "gold_cites": self.ticket.gold_cites,
            "evidence": self.evidence.kind,
            "submission_sha": submission_sha(self.submission.text),
            "python": platform.python_version(),
            "dataset": {**dataset, "ticket_sha": self.ticket.sha},
            "prompt_hash": PROMPT_HASH,
            "fingerprint": digest(fingerprint_parts),
            "fingerprint_parts": dict(fingerprint_parts),
        }


def score(ticket: Ticket, answer: str, evidence: Evidence, queries: Sequence[str], policy: Policy) -> Score:
    """Return the score of a final answer under both policies; `policy` says whose verdict counts."""
    submission = extract_published(answer, ticket.outfile)
    official = Submission(extract_official(answer), ())
    needles, outfile, cite_urls = ticket.needles, ticket.outfile, ticket.cite_urls
    return Score(
        ticket=ticket,
        policy=policy,
        submission=submission,
        published=judge_published(submission, needles, evidence, outfile=outfile, cite_urls=cite_urls),
        official=judge_official(official, needles, evidence, outfile=outfile, cite_urls=cite_urls),
        evidence=evidence,
        needle_in_query=_any_in(ticket, queries),
    )


def _any_in(ticket: Ticket, queries: Sequence[str]) -> bool:
    text = "\n".join(queries).casefold()
    return any(needle.text.casefold() in text for needle in ticket.needles)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "compiled": verdict.compiled,
        "missing": list(verdict.missing),
        "uncited": list(verdict.uncited),
        "ungrounded": list(verdict.ungrounded),
        "notes": [clean(note) for note in verdict.notes],
    }


def _needle(verdict: NeedleVerdict) -> dict[str, Any]:
    grounded_by = verdict.grounded_by
    return {
        "needle": verdict.needle,
        "kind": verdict.kind,
        "present": verdict.present,
        "line": verdict.line,
        "urls": [clean(url) for url in verdict.urls],
        "grounded_by": {"call_id": grounded_by[0], "rank": grounded_by[1]} if grounded_by else None,
    }
