"""Reads one attempt in full: its submission, its evidence, and the judge's record, for audits and for judging again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import evidence_of, tool_calls_of
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import extract_published
from agentcompass_websearch.boards.reader.attempt import Attempt
from agentcompass_websearch.boards.reader.runs import Run, result_path
from agentcompass_websearch.boards.reader.stored import Issue, Scoring
from agentcompass_websearch.records import Evidence

_FENCE = "```"


class _Benchmark(msgspec.Struct, frozen=True):
    scoring: Scoring | None = None


class _Harness(msgspec.Struct, frozen=True):
    telemetry: dict[str, Any] = {}


class _Meta(msgspec.Struct, frozen=True):
    benchmark: _Benchmark = _Benchmark()
    harness: _Harness = _Harness()


class _Result(msgspec.Struct, frozen=True):
    final_answer: str | None = None
    trajectory: dict[str, Any] = {}
    artifacts: dict[str, Any] = {}
    metrics: dict[str, bool | float] = {}
    issues: tuple[Issue, ...] = ()
    meta: _Meta = _Meta()


_decode = msgspec.json.Decoder(_Result).decode


@dataclass(frozen=True, slots=True)
class FullAttempt:
    """An attempt with its texts. `scoring` is None if it was never judged."""

    answer: str
    evidence: Evidence
    scoring: Scoring | None
    metrics: Mapping[str, bool | float]
    issues: tuple[Issue, ...]

    @property
    def submission(self) -> str:
        """The file that was judged."""
        scoring = self.scoring or Scoring()
        return _only_block(self.answer, scoring) or extract_published(self.answer, scoring.outfile).text


def read_full(run: Run, attempt: Attempt) -> FullAttempt:
    """Read the attempt's ``result.json`` again, with its trajectory.

    Raises:
        OSError: the file has gone.
        ValueError: it is no longer readable.
    """
    result = _decode(result_path(run, attempt).read_bytes())
    calls = tool_calls_of(result.trajectory, result.artifacts)
    return FullAttempt(
        answer=result.final_answer or "",
        evidence=evidence_of(calls, run.harness, result.meta.harness.telemetry),
        scoring=result.meta.benchmark.scoring,
        metrics=result.metrics,
        issues=result.issues,
    )


def _only_block(answer: str, scoring: Scoring) -> str:
    """Return the one fenced block of a plain answer if it is what was judged: no Markdown parser is needed for it."""
    parts = answer.split(_FENCE)
    if len(parts) != 3:
        return ""
    _, _, body = parts[1].partition("\n")
    text = body.removesuffix("\n")
    return text if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == scoring.submission_sha else ""
