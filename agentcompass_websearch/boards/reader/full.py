"""Reads one attempt in full: its submission, its evidence, and the judge's record, for audits and for judging again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import evidence_of, tool_calls_of
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import extract_published
from agentcompass_websearch.boards.reader.attempt import Attempt
from agentcompass_websearch.boards.reader.runs import Run, result_path
from agentcompass_websearch.boards.reader.stored import BenchmarkMeta, Issue, Scoring, settled
from agentcompass_websearch.records import Evidence, board_of, evidence_from_observations, submission_sha

OWN_HARNESS: Final = "coding_agent"
_FENCE: Final = "```"


class _Websearch(msgspec.Struct, frozen=True):
    tools: tuple[str, ...] = ()


class _Telemetry(msgspec.Struct, frozen=True):
    websearch: _Websearch | None = None


class _Harness(msgspec.Struct, frozen=True):
    telemetry: _Telemetry = _Telemetry()


class _Meta(msgspec.Struct, frozen=True):
    benchmark: BenchmarkMeta = BenchmarkMeta()
    harness: _Harness = _Harness()


class _Step(msgspec.Struct, frozen=True):
    observation: list[dict[str, Any]] = []


class _Trajectory(msgspec.Struct, frozen=True):
    steps: list[_Step] = []


class _Result(msgspec.Struct, frozen=True):
    """What is read of an attempt by this package's harness: of the trajectory, only what the tools replied."""

    final_answer: str | None = None
    trajectory: _Trajectory = _Trajectory()
    metrics: dict[str, bool | float] = {}
    issues: tuple[Issue, ...] = ()
    meta: _Meta = _Meta()


class _AnyResult(msgspec.Struct, frozen=True):
    """What is read besides of an attempt by another harness: its reader may need any of it."""

    trajectory: dict[str, Any] = {}
    artifacts: dict[str, Any] = {}
    meta: dict[str, dict[str, Any]] = {}


_decode = msgspec.json.Decoder(_Result).decode
_decode_any = msgspec.json.Decoder(_AnyResult).decode


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
    content = _content(run, attempt)
    try:
        result = _decode(content)
    except msgspec.DecodeError:
        content = settled(content)
        result = _decode(content)
    return FullAttempt(
        answer=result.final_answer or "",
        evidence=_evidence(result, content, run.harness),
        scoring=result.meta.benchmark.scoring,
        metrics=result.metrics,
        issues=result.issues,
    )


def _content(run: Run, attempt: Attempt) -> bytes:
    try:
        return (run.path / attempt.path / "result.json").read_bytes()
    except FileNotFoundError:
        return result_path(run, attempt).read_bytes()


def _evidence(result: _Result, content: bytes, harness: str) -> Evidence:
    """Return the evidence as the benchmark reads it, for this package's harness without its detour over tool calls."""
    own = result.meta.harness.telemetry.websearch
    if harness != OWN_HARNESS or own is None:
        whole = _decode_any(content)
        telemetry = whole.meta.get("harness", {}).get("telemetry", {})
        return evidence_of(tool_calls_of(whole.trajectory, whole.artifacts), harness, telemetry)
    if board_of(own.tools) == "no-search":
        return Evidence(kind="none")
    return evidence_from_observations(reply for step in result.trajectory.steps for reply in step.observation)


def _only_block(answer: str, scoring: Scoring) -> str:
    """Return the one fenced block of a plain answer if it is what was judged: no Markdown parser is needed for it."""
    parts = answer.split(_FENCE)
    if len(parts) != 3:
        return ""
    _, _, body = parts[1].partition("\n")
    text = body.removesuffix("\n")
    return text if submission_sha(text) == scoring.submission_sha else ""
