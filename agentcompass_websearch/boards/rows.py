"""One arm's row: the seed's columns by their exact definitions, then what explains them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards import statistics
from agentcompass_websearch.boards.grid import Grid, Measure, correct, recovered
from agentcompass_websearch.boards.names import audit_folder
from agentcompass_websearch.boards.reader import Arm, Attempt, Bill
from agentcompass_websearch.boards.reader.attempt import LOSSES
from agentcompass_websearch.boards.redaction import without_secrets
from agentcompass_websearch.boards.schema import ArmRow, Bills, Completion, Decided, Fairness, ListPrice, Rate

COMPLETE = 0.95
"""The least share of scored attempts with which an arm is ranked."""


def score_of(board: str) -> Measure:
    """Return what decides on a board: without search nothing can be grounded, so there it is `recovered`."""
    return recovered if board == "no-search" else correct


def arm_row(arm: Arm, tickets: Sequence[str], unseen: int) -> ArmRow:
    """Return the row of `arm`, without what only a comparison tells; `unseen` tickets have no attempt of any arm."""
    grid = Grid(arm, tickets)
    attempts = [attempt for _, attempt in arm.attempts.values()]
    scored = [attempt for attempt in attempts if attempt.scored]
    planned = (len(tickets) + unseen) * arm.repeats
    score = score_of(arm.board)
    passed = sum(bool(score(attempt)) for attempt in scored)
    completeness = len(scored) / planned if planned else 0.0
    model, tool = (statistics.median(a.model_usd for a in scored), statistics.median(a.tool_usd for a in scored))
    bill = Bills(Bill.total(a.searches for a in attempts), Bill.total(a.fetches for a in attempts))
    latencies = [seconds for a in scored for seconds in a.search_s]
    return ArmRow(
        id=arm.id,
        vendor_id=arm.vendor_id,
        model=arm.model,
        tickets=len({ticket for ticket, _ in arm.attempts}),
        repeats=arm.repeats,
        planned=planned,
        attempts=len(scored),
        completion=_completion(grid, score),
        correct_official=_rate(grid, lambda a: a.official),
        correct_published=_rate(grid, lambda a: a.published),
        recovered=_rate(grid, recovered),
        bracket=statistics.bracket(passed, len(scored), planned),
        completeness=completeness,
        median_task_s=statistics.median(a.task_s for a in scored),
        mean_search_s=sum(latencies) / len(latencies) if latencies else None,
        median_tokens=statistics.median(a.tokens for a in scored),
        list_usd=ListPrice(_one_price(a.search_usd for a in attempts), _one_price(a.fetch_usd for a in attempts)),
        median_model_usd=model,
        median_tool_usd=tool,
        median_cost_usd=model + tool if model is not None and tool is not None else None,
        unknown=_unknown(scored),
        unranked=_why_unranked(arm, len(scored), planned, completeness),
        funnel=_funnel(attempts, planned),
        decided=_decided(scored),
        failures=dict(Counter(a.reason for a in attempts if a.reason).most_common()),
        fairness=_fairness(arm, attempts, scored, bill),
        bill=bill,
        runs=[run.name for run in arm.runs],
        run_status=[run.status for run in arm.runs],
        audit=f"{audit_folder(arm.id)}/index.html",
    )


def _completion(grid: Grid, score: Measure) -> Completion:
    per_repeat = grid.per_repeat(score)
    mean, sd = statistics.mean_sd([rate for rate in per_repeat if rate is not None])
    passed, scored = grid.counts(score)
    low, high = statistics.rate_interval(passed, scored)
    return Completion(mean, sd, per_repeat, (float(low), float(high)) if mean is not None else None)


def _rate(grid: Grid, measure: Measure) -> Rate:
    return Rate(*statistics.mean_sd([rate for rate in grid.per_repeat(measure) if rate is not None]))


def _one_price(prices: Iterable[float | None]) -> float | None:
    found = {price for price in prices if price is not None}
    return found.pop() if len(found) == 1 else None


def _unknown(scored: Sequence[Attempt]) -> dict[str, int]:
    """Return of how many scored attempts a measure is unknown, so that its median leaves them out."""
    measures: dict[str, Callable[[Attempt], object]] = {
        "task_s": lambda a: a.task_s,
        "tokens": lambda a: a.tokens,
        "model_usd": lambda a: a.model_usd,
        "tool_usd": lambda a: a.tool_usd,
    }
    counts = {name: sum(measure(a) is None for a in scored) for name, measure in measures.items()}
    return {name: count for name, count in counts.items() if count}


def _why_unranked(arm: Arm, scored: int, planned: int, completeness: float) -> str | None:
    """Say what is missing, and which runs gave nothing: most often a first try with a wrong key."""
    if completeness >= COMPLETE:
        return None
    useful = {run for run, attempt in arm.attempts.values() if attempt.scored}
    useless = [run.name for index, run in enumerate(arm.runs) if index not in useful]
    whose = f", none of {n.listed(useless)}" if useful and useless else ""
    return f"{scored} of {planned} attempts scored{whose}; a rank needs {100 * COMPLETE:.0f} %"


def _funnel(attempts: Sequence[Attempt], planned: int) -> dict[str, int]:
    """Return where the planned attempts went: each loss, and the passes (by the published policy)."""
    lost = Counter(attempt.lost for attempt in attempts if attempt.lost)
    lost["not_finished"] = planned - len(attempts)
    losses = {loss: lost[loss] for loss in LOSSES}
    return losses | {"passed": planned - sum(losses.values())}


def _decided(scored: Sequence[Attempt]) -> list[Decided]:
    rules = Counter(attempt.decided_by for attempt in scored if attempt.decided_by)
    return [
        Decided(
            rule,
            count,
            sum(bool(a.published) for a in scored if a.decided_by == rule),
            sum(bool(a.official) for a in scored if a.decided_by == rule),
        )
        for rule, count in rules.most_common()
    ]


def _fairness(arm: Arm, attempts: Sequence[Attempt], scored: Sequence[Attempt], bill: Bills) -> Fairness:
    run = next((run for run in arm.runs if run.settings), arm.runs[0])
    settings = run.settings[0] if run.settings else {}
    model = settings.get("model")
    both = Bill.total((bill.search, bill.fetch))
    return Fairness(
        limits=dict(run.telemetry.limits),
        vendor=without_secrets({name: value for name, value in run.telemetry.vendor.items() if name != "id"}),
        facts=dict(run.telemetry.facts),
        model_params=without_secrets(model.get("params") or {}) if isinstance(model, dict) else {},
        searches=_mean([a.searches.calls for a in scored]),
        fetches=_mean([a.fetches.calls for a in scored]),
        hits_a_search=_a_call(bill.search.hits, bill.search),
        chars_a_search=_a_call(bill.search.chars, bill.search),
        chars_a_fetch=_a_call(bill.fetch.chars, bill.fetch),
        at_search_limit=_mean([a.at_search_limit for a in scored if a.at_search_limit is not None]),
        needle_in_query=_mean([a.needle_in_query for a in scored if a.needle_in_query is not None]),
        retried_calls=both.retried,
        failed_calls=both.failed,
        replayed_calls=both.replayed,
        retried_attempts=sum(a.host_retries > 0 for a in attempts),
        dataset=run.scoring.dataset.source,
        revision=run.scoring.dataset.revision,
        needles=run.scoring.needles_origin,
        judge=run.scoring.judge,
        python=run.scoring.python,
        package=str(settings.get("package") or ""),
        evidence=run.scoring.evidence,
    )


def _a_call(total: int, bill: Bill) -> float | None:
    """Return `total` for each call that went well; no reply is without characters, so none means not recorded."""
    well = bill.calls - bill.failed
    return total / well if well and bill.chars else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
