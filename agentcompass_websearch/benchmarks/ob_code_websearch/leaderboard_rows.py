"""The leaderboard as rows of summary.md: a number with its unit, and a remark where a number says too little."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch import leaderboard as board
from agentcompass_websearch.benchmarks.ob_code_websearch.scored import Attempt


@dataclass(frozen=True, slots=True)
class Row:
    """One row: `values` is what an attempt adds to it, `reduce` makes one number of all of them.

    `unit` stands after the number, so it carries the remark too. With `voided`, attempts at tickets that a FATAL issue
    voids are counted as well.
    """

    id: str
    label: str
    values: Callable[[Attempt], Sequence[Any]]
    reduce: Callable[[Sequence[Any]], float]
    unit: str | None = None
    precision: int = 4
    voided: bool = False

    def value(self, attempts: Sequence[Attempt]) -> float | None:
        """Return the number of this row over `attempts`, None if none of them adds anything."""
        values = [value for attempt in attempts for value in self.values(attempt)]
        return float(self.reduce(values)) if values else None


def rows(attempts: Sequence[Attempt], table: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a leaderboard `table` over `attempts`."""
    return [
        *_completion(attempts, table),
        Row("board.task_time.median", "Task time, median", _measure("task_seconds"), median, "s", 2),
        Row("board.search_time.mean", "Time of a search, mean", lambda a: a.service_times("search"), fmean, "s", 3),
        Row("board.tokens.median", "Tokens, median", _measure("total_tokens"), median, None, 0),
        *_prices(table),
        Row("board.model_cost.median", "Model cost, median", _measure("model_cost_usd"), median, "USD", 6),
        Row("board.tool_cost.median", "Tool cost, median", _measure("tool_cost_usd"), median, "USD", 6),
        Row("board.cost.median", "Cost, both medians", _costs, _sum_of_medians, "USD", 6),
        Row("board.needles", "Needles of a ticket", _needles, fmean, _origins(table["needles"]), 2),
        Row("board.searches", "Searches of an attempt", _measure("search_calls"), fmean, _searched(table), 2),
        Row("board.failures", "Infrastructure failures", _failed, sum, _failures(table["failures"]), 0, voided=True),
        Row("board.arms", "Configurations in this run", _arm, _distinct, _uniform(table["fingerprint"]), 0),
    ]


def _completion(attempts: Sequence[Attempt], table: Mapping[str, Any]) -> list[Row]:
    """Return task completion by both policies, or what stands in its place in the no-search arm."""
    complete = board.complete_tickets(attempts, table["repeats"])
    if table["board"] == "no-search":
        recovered = _passed("recovered", complete)
        return [Row("board.recovered", "Recovered without search", recovered, fmean, _spread(table["recovered"]))]
    return [
        Row(
            f"board.completion.{policy}",
            f"Task completion, {policy} policy" + (" (decides)" if policy == table["judge"] else ""),
            _passed(f"correct_{policy}", complete),
            fmean,
            _spread(table[f"correct_{policy}"]),
        )
        for policy in ("published", "official")
    ]


def _passed(metric: str, tickets: set[str]) -> Callable[[Attempt], list[float]]:
    return lambda a: [float(a.passed(metric) or False)] if a.ticket in tickets else []


def _measure(metric: str) -> Callable[[Attempt], list[float]]:
    return lambda a: [value] if (value := a.measured(metric)) is not None else []


def _prices(table: Mapping[str, Any]) -> list[Row]:
    return [
        Row(f"board.list_price.{op}", f"List price of a {op}", _price(op), max, "USD", 6)
        for op in ("search", "fetch")
        if table["list_usd"][op] is not None
    ]


def _price(operation: Any) -> Callable[[Attempt], list[float]]:
    return lambda a: sorted(a.list_prices(operation))


def _costs(attempt: Attempt) -> list[tuple[float, float]]:
    model, tool = attempt.measured("model_cost_usd"), attempt.measured("tool_cost_usd")
    return [(model, tool)] if model is not None and tool is not None else []


def _sum_of_medians(costs: Sequence[tuple[float, float]]) -> float:
    return median(model for model, _ in costs) + median(tool for _, tool in costs)


def _needles(attempt: Attempt) -> list[int]:
    return [len(attempt.scoring.get("needles") or ())] if attempt.scoring.get("needles_origin") else []


def _failed(attempt: Attempt) -> list[float]:
    return [float(bool(attempt.fatal)) + (attempt.measured("vendor_failures") or 0)]


def _arm(attempt: Attempt) -> list[str]:
    return [attempt.arm] if attempt.parts else []


def _distinct(values: Sequence[str]) -> int:
    return len(set(values))


def _spread(rates: Mapping[str, Any]) -> str | None:
    shown = rates.get("reference") or rates
    if shown["sd"] is None:
        return None
    repeats = ", ".join(f"{rate:.4f}" for rate in shown["per_repeat"])
    return f"± {shown['sd']:.4f} SD (repeats: {repeats})"


def _origins(needles: Mapping[str, Any]) -> str:
    own = "" if needles["own"] is not False else "; not the benchmark's own"
    return f"(origin: {', '.join(sorted(needles['origins'])) or 'unknown'}{own})"


def _searched(table: Mapping[str, Any]) -> str | None:
    if not table["searches"]["all_zero"]:
        return None
    return "(NO ATTEMPT SEARCHED: check that the model server parses tool calls)"


def _failures(failures: Mapping[str, Any]) -> str | None:
    said = [f"{code}: {count} attempts" for code, count in failures["codes"].items()]
    if failures["vendor_failures"]:
        said.append(f"vendor calls: {failures['vendor_failures']}")
    if failures["missing_attempts"]:
        said.append(f"missing attempts: {failures['missing_attempts']}")
    return f"({', '.join(said)})" if said else None


def _uniform(fingerprint: Mapping[str, Any]) -> str | None:
    if fingerprint["uniform"] is not False:
        return None
    return f"(MIXED: attempts differ in {', '.join(fingerprint['differing'])}; not one result)"
