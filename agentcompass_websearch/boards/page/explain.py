"""What stands behind a board's numbers: pairs, lift, policies, and how to read it all."""

from __future__ import annotations

from collections.abc import Mapping

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.columns import columns_of
from agentcompass_websearch.boards.names import names_of
from agentcompass_websearch.boards.page import accounts
from agentcompass_websearch.boards.page.markup import Html, el
from agentcompass_websearch.boards.page.table import Cell, Head, closed, table
from agentcompass_websearch.boards.schema import BoardTable

LOSS_NAMES: Mapping[str, str] = {
    "passed": "passed",
    "ungrounded": "not grounded",
    "uncited": "not cited",
    "needle_missing": "detail missing",
    "not_compiled": "does not compile",
    "no_answer": "no answer",
    "infrastructure": "infrastructure failed",
    "not_finished": "not finished",
}

RULES: Mapping[str, str] = {
    "submission": "Which block of the answer is the file.",
    "compiled": "One policy's file does not compile.",
    "short needle": "The official policy does not ask for details of under four characters.",
    "present": "Published: whole names in the code. Official: the same letters anywhere in the file.",
    "cited": "Published: a comment attached to the statement. Official: the nearest comment above.",
    "grounded": "Published: an address that came back. Official: also one that begins alike, or a detail in a text.",
}


def sections(name: str, part: BoardTable) -> list[Html]:
    """Return the closed parts below a board's charts; those that have nothing to show are left out."""
    made = [_pairs(part)]
    if name != "no-search":
        made += [_lift(part), _policies(part)]
    made += [accounts.fairness(part)]
    if name != "no-search":
        made += [accounts.bills(part)]
    return [section for section in [*made, accounts.failures(part), _columns(name, part)] if section]


def _pairs(part: BoardTable) -> Html | None:
    if not part.pairs:
        return None
    names = names_of(part.arms)
    heads = [
        Head("Arm", words=True),
        Head("against", words=True),
        Head("Difference, points", falling=True),
        Head("95 % interval"),
        Head("p"),
        Head("p, corrected"),
        Head("Tickets"),
    ]
    rows = []
    for pair in part.pairs:
        a, b, sign = (pair.a, pair.b, 1) if (pair.diff or 0) >= 0 else (pair.b, pair.a, -1)
        diff = None if pair.diff is None else sign * pair.diff
        low, high = pair.ci95 or (0.0, 0.0)
        ends = (low, high) if sign > 0 else (-high, -low)
        rows.append(
            [
                Cell(names[a], names[a]),
                Cell(names[b], names[b]),
                Cell(n.points(diff), diff),
                Cell(n.difference_interval(ends) if pair.ci95 else n.DASH, ends[0]),
                Cell(n.p_value(pair.p), pair.p),
                Cell(n.p_value(pair.p_holm), pair.p_holm),
                Cell(pair.tickets, pair.tickets),
            ]
        )
    rows.sort(key=lambda row: (row[5].value is None, row[5].value, -float(row[2].value or 0)))
    real = sum(pair.p_holm is not None and pair.p_holm <= 0.05 for pair in part.pairs)
    return closed(
        "Every pair, tested",
        f"{real} of {len(part.pairs)} differ",
        "Paired by ticket, by flipping the signs of the tickets' differences; corrected for all pairs of a model by "
        "Holm's method. A corrected p of at most 0.05 counts as a difference.",
        table("Every pair, tested", heads, rows),
    )


def _lift(part: BoardTable) -> Html | None:
    if not any(arm.lift for arm in part.arms):
        return None
    heads = [
        Head("Arm", words=True),
        Head("Recovered, %", falling=True),
        Head("Lift, points", falling=True),
        Head("95 % interval"),
        Head("p"),
        Head("Solved by no other arm", falling=True),
    ]
    rows = [
        [
            Cell(name, name),
            Cell(n.percent(arm.recovered.mean), arm.recovered.mean),
            Cell(n.points(arm.lift.diff if arm.lift else None), arm.lift.diff if arm.lift else None),
            Cell(n.difference_interval(arm.lift.ci95 if arm.lift else None), arm.lift.ci95[0] if arm.lift else None),
            Cell(n.p_value(arm.lift.p if arm.lift else None), arm.lift.p if arm.lift else None),
            Cell(n.whole(arm.unique_solves), arm.unique_solves),
        ]
        for arm, name in zip(part.arms, names_of(part.arms).values(), strict=True)
    ]
    return closed(
        "What search adds",
        "against the no-search arm",
        "Recovered: the file compiles and holds every needed detail, cited or not. The lift is that rate minus the "
        "rate without search, ticket by ticket. The last column counts tickets passed in most repeats by this arm "
        "alone.",
        table("What search adds", heads, rows),
    )


def _policies(part: BoardTable) -> Html | None:
    rows = [
        [
            Cell(name, name),
            Cell(decided.rule, decided.rule),
            Cell(RULES.get(decided.rule, ""), None),
            Cell(decided.attempts, decided.attempts),
            Cell(decided.published_passed, decided.published_passed),
            Cell(decided.official_passed, decided.official_passed),
        ]
        for arm, name in zip(part.arms, names_of(part.arms).values(), strict=True)
        for decided in arm.decided
    ]
    if not rows:
        return None
    heads = [
        Head("Arm", words=True),
        Head("Rule that decided", words=True),
        Head("What it is about", long=True),
        Head("Attempts", falling=True),
        Head("passed as published", falling=True),
        Head("passed officially", falling=True),
    ]
    total = sum(decided.attempts for arm in part.arms for decided in arm.decided)
    return closed(
        "Where the two policies disagree",
        f"{total} attempts",
        "Each attempt is judged by the published policy and as the public harness does it. These are the attempts "
        "that one rule of one policy decided.",
        table("Where the two policies disagree", heads, rows),
    )


def _columns(name: str, part: BoardTable) -> Html:
    entries = [item for column in columns_of(name, part) for item in (el("dt", column.label), el("dd", column.means))]
    return el("details", el("summary", "What the columns mean"), el("dl", *entries), class_="card")


def method() -> Html:
    """Return how the numbers were made, in plain words."""
    said = (
        (
            "Passing",
            "The submitted file compiles, holds every needed detail, each has a source comment, and one of its "
            "addresses came back from a search or fetch of that attempt.",
        ),
        (
            "Mean ± SD",
            "Mean and sample standard deviation of the repeats' pass rates: how much the same tickets vary from "
            "run to run. It says little about other tickets.",
        ),
        (
            "95 % interval",
            "Wilson's score interval at the effective sample size: repeats of one ticket resemble each other, "
            "so three repeats of 100 tickets are worth less than 300 attempts. Simulated boards with known rates "
            "check it.",
        ),
        (
            "Groups and ranks",
            "Every pair of arms is compared ticket by ticket. A group is its best arm and all that differ "
            "from it by no more than chance, and the range of ranks shows what the tests leave open.",
        ),
        (
            "Dominated",
            "In at least 95 % of redrawn ticket sets some other arm is at least as good on completion, "
            "dollars and seconds, and better on one.",
        ),
        ("Unknown", "A dash. Unknown prices, times and tokens are left out of medians and never counted as zero."),
    )
    entries = [item for term, words in said for item in (el("dt", term), el("dd", words))]
    return el("section", el("h2", "How to read this"), el("div", el("dl", *entries), class_="card"), class_="board")
