"""Reads finished, partial, failed and resumed runs of the host into attempts, and attempts into arms."""

from agentcompass_websearch.boards.reader.arms import Arm, Table, arrange
from agentcompass_websearch.boards.reader.attempt import Attempt, Bill
from agentcompass_websearch.boards.reader.runs import Run, read_run, read_runs
from agentcompass_websearch.boards.reader.where import find_runs

__all__ = ["Arm", "Attempt", "Bill", "Run", "Table", "arrange", "find_runs", "read_run", "read_runs"]
