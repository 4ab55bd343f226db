"""The columns of a board's main table, once for Markdown, HTML and CSV: what they are called, mean, and show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.schema import ArmRow, BoardTable


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `value` is what it sorts by and what CSV holds, `text` what people read, `means` its definition."""

    key: str
    label: str
    means: str
    value: Callable[[ArmRow], float | int | str | None]
    text: Callable[[ArmRow], str]
    falling: bool = False


def columns_of(board: str, table: BoardTable) -> list[Column]:
    """Return the columns of a board: the benchmark's own in its order, then those that qualify them."""
    several = len({arm.model for arm in table.arms}) > 1
    columns = [_RANK, _ARM, *([_MODEL] if several else []), _COMPLETION[board == "no-search"], _INTERVAL]
    columns += [_TASK_TIME]
    if board != "no-search":
        columns += [_SEARCH_TIME]
    columns += [_TOKENS]
    if board != "no-search":
        columns += [_SEARCH_PRICE, *([_FETCH_PRICE] if board == "search-fetch" else [])]
    columns += [_COST]
    if board != "no-search":
        columns += [_OFFICIAL, _LIFT]
    return [*columns, _COMPLETE]


def rank_text(row: ArmRow) -> str:
    """Return the range of ranks, from the best to the worst possible one."""
    if row.rank is None:
        return n.DASH
    low, high = row.rank
    return str(low) if low == high else f"{low}{n.DASH}{high}"


def completion_text(row: ArmRow) -> str:
    """Return mean and sample deviation over the repeats in percent, ``81.7 ± 1.2``."""
    sd = "" if row.completion.sd is None else f" ± {n.percent(row.completion.sd)}"
    return n.percent(row.completion.mean) + sd


def _lift_text(row: ArmRow) -> str:
    return n.points(row.lift.diff) if row.lift else n.DASH


_RANK = Column(
    "rank",
    "Rank",
    "Best and worst rank that the paired tests leave open. Arms with the same group cannot be told from its leader.",
    lambda r: r.rank[0] + r.rank[1] / 1000 if r.rank else None,
    rank_text,
)
_ARM = Column(
    "arm", "Arm", "Vendor id: the vendor and the mode that was asked for.", lambda r: r.vendor_id, lambda r: r.vendor_id
)
_MODEL = Column("model", "Model", "The model that used the tools.", lambda r: r.model, lambda r: r.model)
_COMPLETION = {
    False: Column(
        "completion",
        "Task completion, %",
        "Share of tickets passed: mean ± sample standard deviation of the repeats' pass rates.",
        lambda r: r.completion.mean,
        completion_text,
        falling=True,
    ),
    True: Column(
        "completion",
        "Recovered, %",
        "Share of tickets whose details the model wrote without search (compiled, every needle present): mean ± sample "
        "standard deviation of the repeats. Nothing can be grounded here, so completion is 0 by definition.",
        lambda r: r.completion.mean,
        completion_text,
        falling=True,
    ),
}
_INTERVAL = Column(
    "ci95",
    "95 % interval",
    "Where the rate over all such tickets lies. Tickets are the sample; repeats of a ticket are not independent.",
    lambda r: r.completion.ci95[0] if r.completion.ci95 else None,
    lambda r: n.interval(r.completion.ci95),
    falling=True,
)
_TASK_TIME = Column(
    "median_task_s",
    "Median task time",
    "Wall clock from the first turn to the submission, median over all repeats.",
    lambda r: r.median_task_s,
    lambda r: n.seconds(r.median_task_s),
)
_SEARCH_TIME = Column(
    "mean_search_s",
    "Avg search time",
    "Mean latency of each web_search call, over all repeats.",
    lambda r: r.mean_search_s,
    lambda r: n.seconds(r.mean_search_s),
)
_TOKENS = Column(
    "median_tokens",
    "Median task tokens",
    "Prompt plus completion tokens of the model, median over all repeats.",
    lambda r: r.median_tokens,
    lambda r: n.whole(r.median_tokens),
)
_SEARCH_PRICE = Column(
    "search_usd",
    "List price, search",
    "Pay-as-you-go price of one search call.",
    lambda r: r.list_usd.search,
    lambda r: n.dollars(r.list_usd.search),
)
_FETCH_PRICE = Column(
    "fetch_usd",
    "List price, fetch",
    "Pay-as-you-go price of one fetch call.",
    lambda r: r.list_usd.fetch,
    lambda r: n.dollars(r.list_usd.fetch),
)
_COST = Column(
    "median_cost_usd",
    "Median task cost",
    "Median model cost plus median search and fetch spend (calls times list price), each over all repeats. Model cost "
    "is priced call by call; the published boards took theirs from another estimator.",
    lambda r: r.median_cost_usd,
    lambda r: n.dollars(r.median_cost_usd),
)
_OFFICIAL = Column(
    "official",
    "Official policy, %",
    "Completion as the public harness judges. Only this may be set beside the published boards.",
    lambda r: r.correct_official.mean,
    lambda r: n.percent(r.correct_official.mean),
    falling=True,
)
_LIFT = Column(
    "lift",
    "Search lift, points",
    "Tickets recovered with search minus without, on the same tickets with the same model.",
    lambda r: r.lift.diff if r.lift else None,
    _lift_text,
    falling=True,
)
_COMPLETE = Column(
    "completeness",
    "Scored, %",
    "Share of planned attempts that were scored. Under 95 % an arm has no rank.",
    lambda r: r.completeness,
    lambda r: n.percent(r.completeness, 0 if r.completeness in (0.0, 1.0) else 1),
    falling=True,
)
