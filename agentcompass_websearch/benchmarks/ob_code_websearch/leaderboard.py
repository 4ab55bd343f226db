"""The benchmark's own table over the attempts of a run: completion with its deviation, medians, costs, and caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import differing
from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import PRIMARY
from agentcompass_websearch.benchmarks.ob_code_websearch.scored import Attempt
from agentcompass_websearch.records import SCHEMA, Operation, board_of

OWN_NEEDLES: Final = ("row", "catalog")
"""Origins of needles that are the benchmark's own; others were made here."""

_MEASURES: Final = {
    "task_s": "task_seconds",
    "tokens": "total_tokens",
    "model_usd": "model_cost_usd",
    "tool_usd": "tool_cost_usd",
}

_STOPS_EARLY: Final = (
    "strategy pass stops a ticket at its first success, so that there are no k repeats to compare; use "
    "--attempt-strategy avg"
)


def leaderboard(attempts: Sequence[Attempt], tickets: Sequence[str], *, k: int, strategy: str) -> dict[str, Any]:
    """Return the table, JSON-clean: rates as fractions, times in seconds, money in US dollars, null for unknown.

    Args:
        attempts: those of all tickets.
        tickets: ids of all tickets of the run, also of one that has no attempt.
        k: repeats that were asked for.
        strategy: ``avg`` or ``pass``.
    """
    whole = k == 1 or strategy == "avg"
    table: dict[str, Any] = {
        "schema": SCHEMA,
        "tickets": len(tickets),
        "repeats": k,
        "attempts": sum(a.passed(PRIMARY) is not None for a in attempts),
        "judge": _only(_judge(a) for a in attempts),
        "vendor_id": _only(_vendor_id(a) for a in attempts),
        "board": _only(board_of(a.telemetry.tools) if a.telemetry else None for a in attempts),
        "completion": _rates(attempts, tickets, PRIMARY, k, whole),
        "correct_published": _rates(attempts, tickets, "correct_published", k, whole),
        "correct_official": _rates(attempts, tickets, "correct_official", k, whole),
        "recovered": _rates(attempts, tickets, "recovered", k, whole),
        **(_pooled(attempts) if whole else dict.fromkeys(_pooled(()))),
        "list_usd": {"search": list_price(attempts, "search"), "fetch": list_price(attempts, "fetch")},
        "unknown": _unknown(attempts),
        "needles": needles(attempts),
        "evidence": dict(Counter(kind for a in attempts if (kind := a.scoring.get("evidence")))),
        "failures": failures(attempts, tickets, k, whole),
        "searches": searches(attempts),
        "needle_in_query": _mean([float(v) for a in attempts if (v := a.passed("needle_in_query")) is not None]),
        "fingerprint": fingerprints(attempts),
    }
    return table if whole else {**table, "why": _STOPS_EARLY}


def complete_tickets(attempts: Iterable[Attempt], k: int, metric: str = PRIMARY) -> set[str]:
    """Return the tickets of which all k attempts were observed and none has a FATAL issue."""
    observed = Counter(a.ticket for a in attempts if a.passed(metric) is not None)
    return {ticket for ticket, count in observed.items() if count == k}


def list_price(attempts: Iterable[Attempt], operation: Operation) -> float | None:
    """Return the list price of one call, None if no call tells it or they tell several."""
    prices = {price for a in attempts for price in a.list_prices(operation)}
    return prices.pop() if len(prices) == 1 else None


def needles(attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Return where the needles come from, how many a ticket has, and whether all are the benchmark's own."""
    per_ticket = {
        a.ticket: (origin, len(a.scoring.get("needles") or ()))
        for a in attempts
        if (origin := a.scoring.get("needles_origin"))
    }
    origins = Counter(origin for origin, _ in per_ticket.values())
    return {
        "origins": dict(origins),
        "per_ticket": _mean([float(count) for _, count in per_ticket.values()]),
        "own": all(origin in OWN_NEEDLES for origin in origins) if origins else None,
    }


def failures(attempts: Sequence[Attempt], tickets: Sequence[str], k: int, whole: bool = True) -> dict[str, Any]:
    """Return how many attempts a FATAL issue voids, with its codes, and what else went wrong around the model."""
    return {
        "attempts": sum(bool(a.fatal) for a in attempts),
        "codes": dict(Counter(code for a in attempts for code in dict.fromkeys(a.fatal))),
        "missing_attempts": max(0, len(tickets) * k - len(attempts)) if whole else 0,
        "vendor_failures": int(sum(a.measured("vendor_failures") or 0 for a in attempts)),
    }


def searches(attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Return how many searches there were, and whether a run that could search never did: a broken set-up."""
    counts = [count for a in attempts if _may_search(a) and (count := a.measured("search_calls")) is not None]
    return {"calls": int(sum(counts)), "all_zero": bool(counts) and not any(counts)}


def fingerprints(attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Return whether one fingerprint holds for all attempts, apart from the ticket, and what differs if not."""
    scored = [a for a in attempts if a.parts]
    mixed = differing((a.ticket, a.parts) for a in scored)
    return {"uniform": not mixed if scored else None, "arms": len({a.arm for a in scored}), "differing": mixed}


def _rates(attempts: Sequence[Attempt], tickets: Sequence[str], metric: str, k: int, whole: bool) -> dict[str, Any]:
    """Return mean and sample deviation over the repeats; what is no official score stands under ``reference``."""
    empty = {"mean": None, "sd": None, "per_repeat": None}
    if not whole:
        return empty
    complete = complete_tickets(attempts, k, metric)
    counted = [a for a in attempts if a.ticket in complete]
    per_repeat = [fmean(bool(a.passed(metric)) for a in counted if a.number == n) for n in range(1, k + 1) if complete]
    rates = {
        "mean": _mean(per_repeat),
        "sd": stdev(per_repeat) if len(per_repeat) > 1 else None,
        "per_repeat": per_repeat or None,
    }
    if len(complete) == len(tickets):
        return rates
    return {
        **empty,
        "reference": {**rates, "tickets": len(complete)},
        "why": f"{len(tickets) - len(complete)} of {len(tickets)} tickets have a FATAL issue or lack an attempt",
    }


def _pooled(attempts: Sequence[Attempt]) -> dict[str, float | None]:
    def over(metric: str) -> float | None:
        values = [value for a in attempts if (value := a.measured(metric)) is not None]
        return median(values) if values else None

    model, tool = over("model_cost_usd"), over("tool_cost_usd")
    return {
        "median_task_s": over("task_seconds"),
        "mean_search_s": _mean([s for a in attempts if not a.fatal for s in a.service_times("search")]),
        "median_tokens": over("total_tokens"),
        "median_model_usd": model,
        "median_tool_usd": tool,
        "median_cost_usd": model + tool if model is not None and tool is not None else None,
    }


def _unknown(attempts: Iterable[Attempt]) -> dict[str, int]:
    """Return of how many scored attempts a measure is unknown, so that the medians leave them out."""
    scored = [a for a in attempts if a.passed(PRIMARY) is not None]
    counts = {name: sum(a.measured(metric) is None for a in scored) for name, metric in _MEASURES.items()}
    return {name: count for name, count in counts.items() if count}


def _may_search(attempt: Attempt) -> bool:
    return attempt.telemetry is None or board_of(attempt.telemetry.tools) != "no-search"


def _judge(attempt: Attempt) -> str | None:
    judge: str | None = attempt.scoring.get("judge")
    return judge


def _vendor_id(attempt: Attempt) -> str | None:
    return str(attempt.telemetry.vendor.get("id") or "") or None if attempt.telemetry else None


def _only[T](values: Iterable[T | None]) -> T | None:
    """Return the one value that all of them have, None if there are several or none."""
    found = {value for value in values if value is not None}
    return found.pop() if len(found) == 1 else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
