"""What a board says, in sentences: which arms are tied, which are ahead, and what the design could not have seen."""

from __future__ import annotations

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.names import names_of
from agentcompass_websearch.boards.schema import ArmRow, BoardTable, Field
from agentcompass_websearch.boards.statistics.frontier import CERTAIN

TITLES = {"search-fetch": "Search & fetch", "search-only": "Search only", "no-search": "No search"}
_MADE_UP = ("sample", "synthetic:")


def findings(board: str, table: BoardTable) -> list[str]:
    """Return the sentences, the most important first."""
    said = []
    several = len(table.fields) > 1
    for field in table.fields:
        arms = [arm for arm in table.arms if arm.model == field.model and arm.group is not None]
        prefix = f"With {field.model}: " if several else ""
        if len(arms) > 1:
            said += [
                prefix + _groups(arms),
                *_frontier(arms, prefix),
                *_lifts(arms, prefix),
                *_gap(field, table, prefix),
            ]
        elif board != "no-search":
            said += [prefix + _alone(arm) for arm in arms]
        if field.oracle_union is not None and field.best is not None and field.ranked > 1:
            said.append(
                f"{prefix}Together the arms solve {n.percent(field.oracle_union, 0)} % of the tickets in most repeats; "
                f"the best alone {n.percent(field.best, 0)} %."
            )
    if board == "no-search":
        said += [
            f"Without search, {arm.model} recovers {n.percent(arm.completion.mean)} % of the tickets "
            f"(95 % interval {n.interval(arm.completion.ci95)} %)."
            for arm in table.arms
            if arm.completion.mean is not None
        ]
    said += [
        f"{name} is not ranked: {arm.unranked}. Its score lies between {_bracket(arm)} %."
        for arm, name in zip(table.arms, names_of(table.arms).values(), strict=True)
        if arm.unranked
    ]
    return [*said, *_fiction(table)]


def _alone(arm: ArmRow) -> str:
    rate, ends = n.percent(arm.completion.mean), n.interval(arm.completion.ci95)
    return f"{arm.vendor_id} completes {rate} % of the tickets (95 % interval {ends} %). Add runs of others to compare."


def _bracket(arm: ArmRow) -> str:
    return n.interval(arm.bracket).replace(" to ", " and ")


def _groups(arms: list[ArmRow]) -> str:
    """Say the order of the groups. The arms come best first, so groups do too."""
    groups: dict[int, list[str]] = {}
    for arm in arms:
        groups.setdefault(arm.group or 0, []).append(arm.vendor_id)
    first, *rest = groups.values()
    if not rest:
        return f"No arm is ahead: {n.listed(first)} cannot be told apart."
    lead = f"{n.listed(first)} lead and cannot be told apart" if len(first) > 1 else f"{first[0]} leads"
    behind = [f"{n.listed(names)} (tied)" if len(names) > 1 else names[0] for names in rest]
    return f"{lead}. Behind: {', then '.join(behind)}."


def _frontier(arms: list[ArmRow], prefix: str) -> list[str]:
    known = [arm for arm in arms if arm.dominated is not None]
    dominated = [arm.vendor_id for arm in known if (arm.dominated or 0.0) >= CERTAIN]
    kept = [arm.vendor_id for arm in known if (arm.dominated or 0.0) < CERTAIN]
    if len(known) < 2 or not kept:
        return []
    choice = f"only {kept[0]}" if len(kept) == 1 else f"each of {n.listed(kept)}"
    said = [f"{prefix}On completion, dollars and seconds together, {choice} may be the best choice"]
    if dominated:
        said.append(f"{n.listed(dominated)} {'is' if len(dominated) == 1 else 'are'} dominated")
    return ["; ".join(said) + "."]


def _fiction(table: BoardTable) -> list[str]:
    datasets = [arm.fairness.dataset for arm in table.arms if arm.fairness.dataset]
    if not datasets or not all(dataset.startswith(_MADE_UP) for dataset in datasets):
        return []
    return [
        f"The tickets are about fictional products (dataset {datasets[0]}): this board shows how the "
        "benchmark works, and ranks no real vendor or model."
    ]


def _lifts(arms: list[ArmRow], prefix: str) -> list[str]:
    lifts = sorted(arm.lift.diff for arm in arms if arm.lift)
    if not lifts:
        return []
    return [
        f"{prefix}Search adds {n.points(lifts[0])} to {n.points(lifts[-1])} points to what the model recovers alone."
    ]


def _gap(field: Field, table: BoardTable, prefix: str) -> list[str]:
    if field.smallest_gap is None or field.smallest_gap_holm is None:
        return []
    pairs = field.ranked * (field.ranked - 1) // 2
    corrected = f" ({n.percent(field.smallest_gap_holm)} after correction for {pairs} pairs)" if pairs > 1 else ""
    return [
        f"{prefix}With {table.tickets} tickets, a gap of {n.percent(field.smallest_gap)} points{corrected} would be "
        "found four times in five; smaller ones mostly go unseen."
    ]
