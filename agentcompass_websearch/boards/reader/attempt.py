"""One attempt as a board sees it: small, flat, and without the texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.measures import reached_vendor, tells_list_price
from agentcompass_websearch.boards.reader.stored import Result, Scoring, StoredTelemetry
from agentcompass_websearch.records import CallRecord, Operation
from agentcompass_websearch.text import one_line

Loss = Literal["not_finished", "infrastructure", "no_answer", "not_compiled", "needle_missing", "uncited", "ungrounded"]
"""Where an attempt was lost; the first that holds, in this order. A pass is lost nowhere."""

LOSSES: Final[tuple[Loss, ...]] = get_args(Loss)

_BEYOND_MEASURE: Final = 1e12
"""No attempt takes so many seconds, tokens or dollars."""


class Bill(msgspec.Struct, frozen=True):
    """The calls of one operation: how many, how many were billed, and their price in US dollars by list and by vendor.

    `list_usd` and `reported_usd` add up the calls of which a price is known; `unpriced` counts billed calls without a
    list price, `reported` those whose price the vendor told, `failed_billed` those that were paid for nothing. `hits`
    and `chars` are what calls that went well showed to the model: results, and characters of the replies.
    """

    calls: int = 0
    billed: int = 0
    failed: int = 0
    failed_billed: int = 0
    replayed: int = 0
    retried: int = 0
    list_usd: float = 0.0
    unpriced: int = 0
    reported_usd: float = 0.0
    reported: int = 0
    hits: int = 0
    chars: int = 0

    @classmethod
    def total(cls, bills: Iterable[Bill]) -> Bill:
        """Add up bills."""
        return cls(*map(sum, zip(*map(msgspec.structs.astuple, bills), strict=True)))


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at one ticket. None is unknown, everywhere.

    `path` is the folder of its ``result.json``, relative to the run; `reason` says why it has no score, or which ERROR
    it was scored with; `search_s` is the time of each search at the vendor, `search_usd` and `fetch_usd` are the list
    prices of one call.
    """

    ticket: str
    number: int
    path: str
    category: str = ""
    scored: bool = False
    reason: str = ""
    correct: bool | None = None
    published: bool | None = None
    official: bool | None = None
    recovered: bool | None = None
    needle_in_query: bool | None = None
    lost: Loss | None = None
    decided_by: str = ""
    task_s: float | None = None
    tokens: float | None = None
    model_usd: float | None = None
    tool_usd: float | None = None
    search_s: tuple[float, ...] = ()
    searches: Bill = Bill()
    fetches: Bill = Bill()
    search_usd: float | None = None
    fetch_usd: float | None = None
    at_search_limit: bool | None = None
    host_retries: int = 0
    started_at: str = ""
    evidence: str = ""
    settings: int = 0
    ticket_settings: str = ""


def attempt_of(
    result: Result, *, ticket: str, number: int, path: str, category: str, settings: int, ticket_settings: str
) -> Attempt:
    """Make an attempt of what the host stored. `settings` is the index of its fingerprint among those of the run."""
    fatal = next((issue.code for issue in result.issues if issue.severity == "fatal"), "")
    error = next((issue.code for issue in result.issues if issue.severity == "error"), "")
    metrics = result.metrics
    scored = not fatal and "correct" in metrics
    scoring = result.meta.benchmark.scoring
    telemetry = result.meta.harness.telemetry.websearch
    calls = telemetry.calls if telemetry else ()
    searches = [call for call in calls if call.op == "search"]
    times = [measured(call.service_s) for call in searches if reached_vendor(call)]
    latencies = tuple(s for s in times if s is not None) if telemetry else _mean_latency(metrics)

    def flag(name: str) -> bool | None:
        return bool(metrics[name]) if scored and name in metrics else None

    def number_of(name: str) -> float | None:
        return measured(metrics.get(name)) if scored else None

    return Attempt(
        ticket=ticket,
        number=number,
        path=path,
        category=category,
        scored=scored,
        reason=one_line(fatal or error or ("" if scored else "no metrics")),
        correct=flag("correct"),
        published=flag("correct_published"),
        official=flag("correct_official"),
        recovered=flag("recovered"),
        needle_in_query=flag("needle_in_query"),
        lost=_lost(scored, scoring, telemetry),
        decided_by=one_line(scoring.decided_by) if scored and scoring else "",
        task_s=number_of("task_seconds"),
        tokens=number_of("total_tokens"),
        model_usd=number_of("model_cost_usd"),
        tool_usd=number_of("tool_cost_usd"),
        search_s=latencies,
        searches=bill_of(calls, "search"),
        fetches=bill_of(calls, "fetch"),
        search_usd=_list_price(calls, "search"),
        fetch_usd=_list_price(calls, "fetch"),
        at_search_limit=_at_limit(searches, telemetry),
        host_retries=result.retry_count,
        started_at=result.trajectory.started_at,
        evidence=scoring.evidence if scoring else "",
        settings=settings,
        ticket_settings=ticket_settings,
    )


def measured(value: float | None) -> float | None:
    """Return a time, a price or a count as a number, or None: what is below zero or beyond measure is unknown."""
    return float(value) if value is not None and 0 <= value < _BEYOND_MEASURE else None


def bill_of(calls: Iterable[CallRecord], op: Operation) -> Bill:
    """Add up the calls of one operation. Of a call that does not say whether it was billed: it was if it went well."""
    chosen = [(call, _billed(call)) for call in calls if call.op == op]
    priced = [usd for call, billed in chosen if billed and (usd := measured(call.list_usd)) is not None]
    told = [usd for call, _ in chosen if (usd := measured(call.reported_usd)) is not None]
    billed_calls = sum(billed for _, billed in chosen)
    return Bill(
        calls=len(chosen),
        billed=billed_calls,
        failed=sum(not call.ok for call, _ in chosen),
        failed_billed=sum(billed and not call.ok for call, billed in chosen),
        replayed=sum(call.replayed for call, _ in chosen),
        retried=sum(max(0, call.tries - 1) for call, _ in chosen),
        list_usd=sum(priced, 0.0),
        unpriced=billed_calls - len(priced),
        reported_usd=sum(told, 0.0),
        reported=len(told),
        hits=sum(call.n_hits for call, _ in chosen if call.ok),
        chars=sum(call.chars for call, _ in chosen if call.ok),
    )


def _billed(call: CallRecord) -> bool:
    return call.billed if call.billed is not None else call.ok and reached_vendor(call)


def _list_price(calls: Iterable[CallRecord], op: Operation) -> float | None:
    prices = (measured(call.list_usd) for call in calls if call.op == op and tells_list_price(call))
    return next((price for price in prices if price is not None), None)


def _lost(scored: bool, scoring: Scoring | None, telemetry: StoredTelemetry | None) -> Loss | None:
    """Return where the published policy lost the attempt."""
    if not scored:
        return "infrastructure"
    if scoring is None or scoring.published.passed:
        return None
    verdict = scoring.published
    if not verdict.compiled:
        answered = telemetry is None or telemetry.stop == "answer"
        return "not_compiled" if answered else "no_answer"
    if verdict.missing:
        return "needle_missing"
    return "uncited" if verdict.uncited else "ungrounded"


def _at_limit(searches: list[CallRecord], telemetry: StoredTelemetry | None) -> bool | None:
    limit = telemetry.limits.get("max_searches") if telemetry else None
    return sum(map(reached_vendor, searches)) >= limit if limit else None


def _mean_latency(metrics: dict[str, bool | float]) -> tuple[float, ...]:
    """Return the mean once per search, where only their sum was recorded."""
    calls, seconds = int(metrics.get("search_calls", 0)), measured(metrics.get("search_seconds"))
    return (seconds / calls,) * calls if calls and seconds is not None else ()
