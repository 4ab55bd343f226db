"""The parts of the host's files that a board reads. Everything else is skipped without being decoded.

The host leaves out empty values, so each field has an empty default.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import NeedleKind
from agentcompass_websearch.records import SCHEMA, AttemptTelemetry
from agentcompass_websearch.text import join_surrogates

RUN_INFO_SCHEMAS: Final = ("agentcompass.run_info.v2", "agentcompass.run_info.v3")
TASK_SCHEMAS: Final = ("agentcompass.task.v2", "agentcompass.task.v3")


class Component(msgspec.Struct, frozen=True):
    """A benchmark, harness or model of a request."""

    id: str = ""
    params: dict[str, Any] = {}


class Request(msgspec.Struct, frozen=True):
    """What was asked for when the run was started."""

    benchmark: Component = Component()
    harness: Component = Component()
    model: Component = Component()


class RunInfo(msgspec.Struct, frozen=True):
    """``run_info.json``. `status` is empty while the run goes on, and for good if its process was killed."""

    schema_version: str = ""
    run_id: str = ""
    status: str = ""
    started_at: str = ""
    finished_at: str = ""
    request: Request = Request()
    reused_from: Any = None


class Progress(msgspec.Struct, frozen=True):
    """``progress.json``: how many tickets the run was to do."""

    total_tasks: int = 0


class AttemptPlan(msgspec.Struct, frozen=True):
    """How often each ticket is attempted."""

    k: int = 1
    strategy: str = "avg"


class Task(msgspec.Struct, frozen=True):
    """``task.json``: the ticket and the folders of its attempts."""

    task_id: str
    schema_version: str = ""
    category: str = ""
    attempts: dict[str, str] = {}
    attempt_plan: AttemptPlan | None = None


class Issue(msgspec.Struct, frozen=True):
    """What went wrong in an attempt."""

    severity: str = ""
    phase: str = ""
    code: str = ""
    message: str = ""


class Grounding(msgspec.Struct, frozen=True):
    """The call, and the rank in its results (none for a fetch), that grounded a needle."""

    call_id: str = ""
    rank: int | None = None


class NeedleRecord(msgspec.Struct, frozen=True):
    """One needle of a ticket, and how it was judged."""

    needle: str = ""
    kind: NeedleKind = "other"
    present: bool = False
    line: int | None = None
    urls: tuple[str, ...] = ()
    grounded_by: Grounding | None = None


class VerdictRecord(msgspec.Struct, frozen=True):
    """A verdict of one policy."""

    passed: bool = False
    compiled: bool = False
    missing: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()
    ungrounded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class DatasetRecord(msgspec.Struct, frozen=True):
    """Where the ticket came from."""

    source: str = ""
    revision: str = ""


class Scoring(msgspec.Struct, frozen=True):
    """``meta.benchmark.scoring``: the judge's record of an attempt."""

    schema: int = SCHEMA
    judge: str = ""
    published: VerdictRecord = VerdictRecord()
    official: VerdictRecord = VerdictRecord()
    needles: tuple[NeedleRecord, ...] = ()
    decided_by: str = ""
    needles_origin: str = ""
    evidence: str = ""
    submission_sha: str = ""
    python: str = ""
    dataset: DatasetRecord = DatasetRecord()
    fingerprint: str = ""
    fingerprint_parts: dict[str, Any] = {}
    outfile: str = "client.py"
    cite_urls: bool = True


class StoredTelemetry(AttemptTelemetry, frozen=True, kw_only=True):
    """``meta.harness.telemetry.websearch`` as stored: empty parts are absent."""

    vendor: dict[str, Any] = msgspec.field(default_factory=dict)
    limits: dict[str, int | None] = msgspec.field(default_factory=dict)
    tools: tuple[str, ...] = ()


class Telemetry(msgspec.Struct, frozen=True):
    """``meta.harness.telemetry``."""

    websearch: StoredTelemetry | None = None


class BenchmarkMeta(msgspec.Struct, frozen=True):
    """``meta.benchmark``."""

    scoring: Scoring | None = None


class HarnessMeta(msgspec.Struct, frozen=True):
    """``meta.harness``."""

    telemetry: Telemetry = Telemetry()


class Meta(msgspec.Struct, frozen=True):
    """``meta``."""

    benchmark: BenchmarkMeta = BenchmarkMeta()
    harness: HarnessMeta = HarnessMeta()


class Times(msgspec.Struct, frozen=True):
    """When an attempt ran: two attempts of one ticket with one start are one attempt."""

    started_at: str = ""
    finished_at: str = ""


class Result(msgspec.Struct, frozen=True):
    """``result.json`` without its trajectory."""

    status: str = ""
    metrics: dict[str, bool | float] = {}
    issues: tuple[Issue, ...] = ()
    trajectory: Times = Times()
    meta: Meta = Meta()
    retry_count: int = 0


def settled(content: bytes) -> bytes:
    """Return a ``result.json`` in the form that it has once its ticket is finished.

    Until then the host keeps an attempt as the harness and the benchmark gave it: ``telemetry`` and ``extra`` on top
    in place of ``meta``, empty values included. A number that JSON does not have (NaN, Infinity, or one too large) is
    unknown, so it is left out.

    Raises:
        ValueError: it is no JSON object.
    """
    result = json.loads(content, parse_constant=lambda _: None, parse_float=_finite)
    if not isinstance(result, dict):
        raise ValueError("no JSON object")
    if result.get("meta") is None:
        harness = {"telemetry": result.pop("telemetry", None)}
        result["meta"] = {"benchmark": result.pop("extra", None), "harness": harness}
    return msgspec.json.encode(_without_nulls(result))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return join_surrogates(value) if isinstance(value, str) else value


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None
