"""Makes the boards of arranged runs: rows first, then everything that only a comparison of arms can tell."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from agentcompass_websearch import __version__
from agentcompass_websearch.boards import statistics
from agentcompass_websearch.boards.grid import Grid, recovered
from agentcompass_websearch.boards.reader import Arm, Run, Table
from agentcompass_websearch.boards.reader.arms import BOARDS
from agentcompass_websearch.boards.rows import arm_row, score_of
from agentcompass_websearch.boards.schema import ArmRow, BoardFile, BoardTable, Field, Lift, PairRow
from agentcompass_websearch.boards.statistics.frontier import LEAST_TICKETS
from agentcompass_websearch.boards.statistics.summaries import Floats

SEED = 0


def compile_board(runs: Sequence[Run], tables: Sequence[Table], *, seed: int = SEED) -> BoardFile:
    """Return what ``board.json`` holds. The same runs and seed give the same file."""
    baselines = {arm.model: arm for table in tables if table.board == "no-search" for arm in table.arms}
    by_board = {table.board: _board(table, baselines, seed) for table in tables}
    return BoardFile(
        boards={board: by_board.get(board) or BoardTable([], []) for board in BOARDS},
        problems=[problem for run in runs for problem in run.problems],
        package=__version__,
        seed=seed,
    )


def _board(table: Table, baselines: dict[str, Arm], seed: int) -> BoardTable:
    rows = {arm.id: arm_row(arm, table.tickets, table.unseen) for arm in table.arms}
    pairs: list[PairRow] = []
    fields = []
    for model in dict.fromkeys(arm.model for arm in table.arms):
        ranked = [arm for arm in table.arms if arm.model == model and rows[arm.id].unranked is None]
        compared, found, of_model = _compare(ranked, table, [rows[arm.id] for arm in ranked], seed)
        rows |= {row.id: row for row in compared}
        pairs += found
        fields.append(msgspec.structs.replace(of_model, model=model))
    if table.board != "no-search":
        for arm in table.arms:
            rows[arm.id] = _with_lift(rows[arm.id], arm, baselines.get(arm.model), table.tickets, seed)
    return BoardTable(
        arms=sorted(rows.values(), key=_order),
        pairs=pairs,
        tickets=len(table.tickets) + table.unseen,
        score=score_of(table.board).__name__,
        fields=fields,
        warnings=list(table.warnings),
    )


def _order(row: ArmRow) -> tuple[bool, float, str]:
    return row.unranked is not None, -(row.completion.mean or 0.0), row.id


def _compare(
    arms: Sequence[Arm], table: Table, rows: Sequence[ArmRow], seed: int
) -> tuple[list[ArmRow], list[PairRow], Field]:
    """Compare the ranked arms of one model."""
    if not arms:
        return [], [], Field("", 0, None, None, None, None)
    grids = [Grid(arm, table.tickets) for arm in arms]
    score = score_of(table.board)
    rates = np.stack([grid.rates(score) for grid in grids])
    comparisons = statistics.compare_all(rates, seed=seed)
    means = [row.completion.mean for row in rows]
    everyone = range(len(arms))
    groups = statistics.tied_groups(means, comparisons, everyone)
    ranks = statistics.rank_ranges(means, comparisons, everyone)
    solved = np.nan_to_num(rates) > 0.5
    alone = statistics.unique_solves(solved)
    dominated = _dominated(grids, rates, seed)
    compared = [
        msgspec.structs.replace(row, group=g, rank=r, unique_solves=u, dominated=d)
        for row, g, r, u, d in zip(rows, groups, ranks, alone, dominated, strict=True)
    ]
    pairs = [PairRow(arms[c.a].id, arms[c.b].id, c.diff, c.ci95, c.p, c.p_holm, c.tickets) for c in comparisons]
    field = Field(
        model="",
        ranked=len(arms),
        oracle_union=statistics.oracle_union(solved),
        best=float(solved.mean(axis=1).max()) if solved.size else None,
        smallest_gap=statistics.smallest_gap(rates),
        smallest_gap_holm=statistics.smallest_gap(rates, pairs=max(1, len(pairs))),
    )
    return compared, pairs, field


def _dominated(grids: Sequence[Grid], rates: Floats, seed: int) -> list[float | None]:
    """Return each arm's share of dominated draws, over arms and tickets of which time and both costs are known.

    Too few such tickets say nothing: None.
    """
    parts = [
        [grid.of(measure) for measure in (lambda a: a.model_usd, lambda a: a.tool_usd, lambda a: a.task_s)]
        for grid in grids
    ]
    known = [all((~np.isnan(part)).any() for part in of_arm) for of_arm in parts]
    arms = [place for place, all_known in enumerate(known) if all_known]
    if not arms:
        return [None] * len(grids)
    repeats = max(part.shape[1] for place in arms for part in parts[place])
    stacked = [np.stack([_padded(parts[place][axis], repeats) for place in arms]) for axis in range(3)]
    common = ~np.isnan(rates[arms]).any(axis=0)
    for values in stacked:
        common &= (~np.isnan(values)).any(axis=2).all(axis=0)
    if common.sum() < LEAST_TICKETS:
        return [None] * len(grids)
    model, tool, seconds = (values[:, common] for values in stacked)
    shares = iter(statistics.dominated_share(rates[arms][:, common], ((model, tool), (seconds,)), seed=seed))
    return [next(shares) if all_known else None for all_known in known]


def _padded(values: Floats, repeats: int) -> Floats:
    return np.pad(values, ((0, 0), (0, repeats - values.shape[1])), constant_values=np.nan)


def _with_lift(row: ArmRow, arm: Arm, baseline: Arm | None, tickets: Sequence[str], seed: int) -> ArmRow:
    if baseline is None:
        return row
    differences = Grid(arm, tickets).rates(recovered) - Grid(baseline, tickets).rates(recovered)
    common = int((~np.isnan(differences)).sum())
    if not common:
        return row
    low, high = statistics.difference_interval(differences)
    p = statistics.sign_flip_p(differences, seed=seed)
    lift = Lift(float(np.nanmean(differences)), (float(low), float(high)), float(p[0]), common, baseline.id)
    return msgspec.structs.replace(row, lift=lift)
