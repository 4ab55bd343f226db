"""The statistics of a board: pure functions over passes per ticket, each with its source.

Shapes: ``tickets`` is always the last axis; leading axes are arms or simulated boards. A ticket is the unit of
sampling: its repeats are never taken for independent observations.
"""

from agentcompass_websearch.boards.statistics.comparisons import (
    Comparison,
    compare_all,
    difference_interval,
    holm,
    sign_flip_p,
)
from agentcompass_websearch.boards.statistics.frontier import dominated_share
from agentcompass_websearch.boards.statistics.intervals import rate_interval
from agentcompass_websearch.boards.statistics.ranking import rank_ranges, smallest_gap, tied_groups
from agentcompass_websearch.boards.statistics.summaries import bracket, mean_sd, median, oracle_union, unique_solves

__all__ = [
    "Comparison",
    "bracket",
    "compare_all",
    "difference_interval",
    "dominated_share",
    "holm",
    "mean_sd",
    "median",
    "oracle_union",
    "rank_ranges",
    "rate_interval",
    "sign_flip_p",
    "smallest_gap",
    "tied_groups",
    "unique_solves",
]
