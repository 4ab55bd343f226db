"""What stands behind a board's numbers: pairs, lift, policies, fairness, bills, failures, and how to read it all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.columns import columns_of
from agentcompass_websearch.boards.page.markup import Html, el
from agentcompass_websearch.boards.page.table import Cell, Head, table
from agentcompass_websearch.boards.reader import Bill
from agentcompass_websearch.boards.schema import ArmRow, BoardTable

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


def sections(name: str, part: BoardTable) -> list[Html]:
    """Return the closed parts below a board's charts; those that have nothing to show are left out."""
    made = [_pairs(part)]
    if name != "no-search":
        made += [_lift(part), _policies(part)]
    made += [_fairness(part)]
    if name != "no-search":
        made += [_bills(part)]
    return [section for section in [*made, _failures(part), _columns(name, part)] if section]


def _closed(title: str, hint: str, why: str, *content: Html) -> Html:
    return el("details", el("summary", title, el("span", hint)), el("p", why, class_="dim"), *content, class_="card")


def _pairs(part: BoardTable) -> Html | None:
    if not part.pairs:
        return None
    names = {arm.id: arm.vendor_id for arm in part.arms}
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
    return _closed(
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
            Cell(arm.vendor_id, arm.vendor_id),
            Cell(n.percent(arm.recovered.mean), arm.recovered.mean),
            Cell(n.points(arm.lift.diff if arm.lift else None), arm.lift.diff if arm.lift else None),
            Cell(n.difference_interval(arm.lift.ci95 if arm.lift else None), arm.lift.ci95[0] if arm.lift else None),
            Cell(n.p_value(arm.lift.p if arm.lift else None), arm.lift.p if arm.lift else None),
            Cell(n.whole(arm.unique_solves), arm.unique_solves),
        ]
        for arm in part.arms
    ]
    return _closed(
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
            Cell(arm.vendor_id, arm.vendor_id),
            Cell(decided.rule, decided.rule),
            Cell(decided.attempts, decided.attempts),
            Cell(decided.published_passed, decided.published_passed),
            Cell(decided.official_passed, decided.official_passed),
        ]
        for arm in part.arms
        for decided in arm.decided
    ]
    if not rows:
        return None
    heads = [
        Head("Arm", words=True),
        Head("Rule that decided", long=True),
        Head("Attempts", falling=True),
        Head("passed as published", falling=True),
        Head("passed officially", falling=True),
    ]
    total = sum(decided.attempts for arm in part.arms for decided in arm.decided)
    return _closed(
        "Where the two policies disagree",
        f"{total} attempts",
        "Each attempt is judged by the published policy and as the public harness does it. These are the attempts "
        "that one rule of one policy decided.",
        table("Where the two policies disagree", heads, rows),
    )


def _fairness(part: BoardTable) -> Html:
    heads = [
        Head("Arm", words=True),
        Head("Budgets", long=True),
        Head("Vendor settings", long=True),
        Head("Model settings", long=True),
        Head("Searches a task", falling=True),
        Head("Fetches a task", falling=True),
        Head("Search budget used up, %", falling=True),
        Head("Detail stood in a query, %", falling=True),
        Head("Calls retried", falling=True),
        Head("Calls failed", falling=True),
        Head("Calls replayed", falling=True),
        Head("Attempts retried", falling=True),
        Head("Tickets from", words=True),
        Head("Details from", words=True),
        Head("Evidence", words=True),
        Head("Versions", long=True),
    ]
    return _closed(
        "Were the arms treated alike?",
        "budgets, caps, settings, retries",
        "Whatever differs here bears on the comparison. Replayed calls took no time and cost nothing now; their "
        "times and prices are those of the recording.",
        table("Were the arms treated alike?", heads, [_fairness_row(arm) for arm in part.arms]),
    )


def _fairness_row(arm: ArmRow) -> Sequence[Cell]:
    fair = arm.fairness
    words = [_settings(fair.limits), _settings(fair.vendor), _settings(fair.model_params)]
    source = f"{fair.dataset}@{fair.revision}" if fair.revision else fair.dataset
    numbers = [fair.searches, fair.fetches]
    shares = [fair.at_search_limit, fair.needle_in_query]
    counts = [fair.retried_calls, fair.failed_calls, fair.replayed_calls, fair.retried_attempts]
    versions = f"package {fair.package or '?'}, Python {fair.python or '?'}, {fair.judge or '?'} policy"
    return [
        Cell(arm.vendor_id, arm.vendor_id),
        *(Cell(word, word) for word in words),
        *(Cell(n.DASH if value is None else f"{value:.2f}", value) for value in numbers),
        *(Cell(n.percent(share), share) for share in shares),
        *(Cell(count, count) for count in counts),
        *(Cell(word or n.DASH, word) for word in (source, fair.needles, fair.evidence, versions)),
    ]


def _settings(values: Mapping[str, object]) -> str:
    """Write nested settings flat: ``max_searches 5, caps.snippet_chars 1200``."""
    written = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            written += [f"{name}.{part}" for part in _settings(value).split(", ") if part != n.DASH]
        elif value is not None:
            written.append(f"{name} {value if isinstance(value, str) else json.dumps(value, default=str)}")
    return ", ".join(written) or n.DASH


def _bills(part: BoardTable) -> Html | None:
    rows = [
        [Cell(arm.vendor_id, arm.vendor_id), *_bill(op, bill)]
        for arm in part.arms
        for op, bill in (("search", arm.bill.search), ("fetch", arm.bill.fetch))
        if bill.calls
    ]
    if not rows:
        return None
    heads = [
        Head("Arm", words=True),
        Head("Calls of", words=True),
        *(Head(label, falling=True) for label in ("Calls", "billed", "failed", "By list, $", "without a price")),
        *(Head(label, falling=True) for label in ("Vendor's own word, $", "calls it told", "Difference, %")),
    ]
    return _closed(
        "Do the bills add up?",
        "list prices against what vendors report",
        "List price times billed calls, beside what the vendor says it charged where it says so. The difference "
        "counts only where every billed call has both.",
        table("Do the bills add up?", heads, rows),
    )


def _bill(op: str, bill: Bill) -> list[Cell]:
    both = bill.reported >= bill.billed > 0 and not bill.unpriced and bill.list_usd > 0
    off = bill.reported_usd / bill.list_usd - 1 if both else None
    reported = bill.reported_usd if bill.reported else None
    listed = None if bill.billed and bill.unpriced == bill.billed else bill.list_usd
    return [
        Cell(op, op),
        *(Cell(n.whole(count), count) for count in (bill.calls, bill.billed, bill.failed)),
        Cell(n.dollars(listed), listed),
        Cell(n.whole(bill.unpriced), bill.unpriced),
        Cell(n.dollars(reported), reported),
        Cell(n.whole(bill.reported), bill.reported),
        Cell(n.points(off), off),
    ]


def _failures(part: BoardTable) -> Html:
    heads = [
        Head("Arm", words=True),
        Head("Planned", falling=True),
        Head("Scored", falling=True),
        Head("Score, failures counted wrong and left out, %"),
        Head("Issues", long=True),
        Head("Values unknown", long=True),
        Head("Runs", long=True),
    ]
    rows = [
        [
            Cell(arm.vendor_id, arm.vendor_id),
            Cell(n.whole(arm.planned), arm.planned),
            Cell(n.whole(arm.attempts), arm.attempts),
            Cell(n.interval(arm.bracket), arm.bracket[0] if arm.bracket else None),
            Cell(_counted(arm.failures), None),
            Cell(_counted(arm.unknown), None),
            Cell(", ".join(f"{r} ({s})" for r, s in zip(arm.runs, arm.run_status, strict=True)), None),
        ]
        for arm in part.arms
    ]
    return _closed(
        "What failed, and what it could change",
        "completeness and score bracket",
        "An attempt that the infrastructure voided has no score. The bracket shows the score with such attempts "
        "counted as failures and with them left out: the truth lies between.",
        table("What failed, and what it could change", heads, rows),
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items()) or n.DASH


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
            "Beaten on all three",
            "In at least 95 % of redrawn ticket sets some other arm is at least as good on completion, "
            "dollars and seconds, and better on one.",
        ),
        ("Unknown", "A dash. Unknown prices, times and tokens are left out of medians and never counted as zero."),
    )
    entries = [item for term, words in said for item in (el("dt", term), el("dd", words))]
    return el("section", el("h2", "How to read this"), el("div", el("dl", *entries), class_="card"), class_="board")
