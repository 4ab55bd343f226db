"""The form of ``board.json``, schema 1; ``docs/boards.md`` explains it. Rates are fractions, None is unknown."""

from __future__ import annotations

from typing import Final

import msgspec

from agentcompass_websearch.boards.reader import Bill

SCHEMA: Final = 1

Range = tuple[float, float]


class Completion(msgspec.Struct, frozen=True):
    """Task completion: mean and sample deviation of the repeats' pass rates, and the interval over tickets."""

    mean: float | None
    sd: float | None
    per_repeat: list[float | None]
    ci95: Range | None


class Rate(msgspec.Struct, frozen=True):
    """Mean and sample deviation of a rate over the repeats."""

    mean: float | None
    sd: float | None


class ListPrice(msgspec.Struct, frozen=True):
    """Dollars of one call by the price list; unknown also where calls had several prices."""

    search: float | None
    fetch: float | None


class Lift(msgspec.Struct, frozen=True):
    """What search adds to `recovered`, paired on the tickets that the no-search arm `baseline` has too."""

    diff: float
    ci95: Range
    p: float
    tickets: int
    baseline: str


class Decided(msgspec.Struct, frozen=True):
    """Attempts on which the policies disagree: by which rule, and how many each policy passed."""

    rule: str
    attempts: int
    published_passed: int
    official_passed: int


class Fairness(msgspec.Struct, frozen=True):
    """What the arm was given and what it did with it. Whatever differs between arms bears on the comparison.

    `vendor` is what the arm asks of its vendor: caps, options, pages, whose fetch; `facts` what the vendor says of its
    operators and of the age of its pages. Shares are of scored attempts; hits and characters are means over the calls
    that went well, of what the model was really shown.
    """

    limits: dict[str, int | None]
    vendor: dict[str, object]
    facts: dict[str, str]
    model_params: dict[str, object]
    searches: float | None
    fetches: float | None
    hits_a_search: float | None
    chars_a_search: float | None
    chars_a_fetch: float | None
    at_search_limit: float | None
    needle_in_query: float | None
    retried_calls: int
    failed_calls: int
    replayed_calls: int
    retried_attempts: int
    dataset: str
    revision: str
    needles: str
    judge: str
    python: str
    package: str
    evidence: str


class Bills(msgspec.Struct, frozen=True):
    """All calls of the arm, and what they cost by list and by the vendor's own word."""

    search: Bill
    fetch: Bill


class ArmRow(msgspec.Struct, frozen=True, kw_only=True):
    """One arm of a board."""

    id: str
    vendor_id: str
    model: str
    tickets: int
    repeats: int
    planned: int
    attempts: int
    completion: Completion
    correct_official: Rate
    correct_published: Rate
    recovered: Rate
    bracket: Range | None
    completeness: float
    median_task_s: float | None
    mean_search_s: float | None
    median_tokens: float | None
    list_usd: ListPrice
    median_model_usd: float | None
    median_tool_usd: float | None
    median_cost_usd: float | None
    unknown: dict[str, int]
    group: int | None = None
    rank: tuple[int, int] | None = None
    unranked: str | None = None
    lift: Lift | None = None
    dominated: float | None = None
    unique_solves: int | None = None
    funnel: dict[str, int]
    decided: list[Decided]
    failures: dict[str, int]
    fairness: Fairness
    bill: Bills
    runs: list[str]
    run_status: list[str]
    audit: str


class PairRow(msgspec.Struct, frozen=True):
    """Two arms on the tickets that both have: rate of `a` minus rate of `b`."""

    a: str
    b: str
    diff: float | None
    ci95: Range | None
    p: float | None
    p_holm: float | None
    tickets: int


class Field(msgspec.Struct, frozen=True):
    """What holds for all ranked arms of one model together. Gaps are those found four times in five."""

    model: str
    ranked: int
    oracle_union: float | None
    best: float | None
    smallest_gap: float | None
    smallest_gap_holm: float | None


class BoardTable(msgspec.Struct, frozen=True):
    """One board. `score` names the rate that decides on it: ``correct``, without search ``recovered``."""

    arms: list[ArmRow]
    pairs: list[PairRow]
    tickets: int = 0
    score: str = "correct"
    fields: list[Field] = []
    warnings: list[str] = []


class BoardFile(msgspec.Struct, frozen=True):
    """``board.json``."""

    boards: dict[str, BoardTable]
    problems: list[str]
    package: str
    seed: int = 0
    schema: int = SCHEMA


def encode(board: BoardFile) -> bytes:
    """Return the file's text: strict JSON, so without NaN or Infinity."""
    return msgspec.json.format(msgspec.json.encode(board), indent=1) + b"\n"


def decode(data: bytes) -> BoardFile:
    """Read a ``board.json``; keys that this version does not know are left out."""
    return msgspec.json.decode(data, type=BoardFile)
