"""What a fair reader asks for: how alike the arms were treated, whether the bills add up, and what failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards.names import names_of
from agentcompass_websearch.boards.page.markup import Html
from agentcompass_websearch.boards.page.table import Cell, Head, closed, table
from agentcompass_websearch.boards.reader import Bill
from agentcompass_websearch.boards.schema import ArmRow, BoardTable


def fairness(part: BoardTable) -> Html:
    """Return budgets, caps, settings and retries of all arms."""
    names = names_of(part.arms)
    heads = [
        Head("Arm", words=True),
        Head("Budgets", long=True),
        Head("Vendor settings", long=True),
        Head("Model settings", long=True),
        Head("site: in queries", long=True),
        Head("Pages from", words=True),
        Head("Age of pages", long=True),
        Head("Objective of a fetch", words=True),
        Head("Searches a task", falling=True),
        Head("Fetches a task", falling=True),
        Head("Results a search", falling=True),
        Head("Characters shown a search", falling=True),
        Head("Characters shown a fetch", falling=True),
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
    return closed(
        "Were the arms treated alike?",
        "budgets, caps, operators, fetch, age of pages, what vendors are told and models shown, retries",
        "Whatever differs here bears on the comparison. Results and characters are those that the model was really "
        "shown: whole replies, with titles and addresses. Replayed calls took no time and cost nothing now; their "
        "times and prices are those of the recording.",
        table("Were the arms treated alike?", heads, [_fairness_row(arm, names[arm.id]) for arm in part.arms]),
    )


def _fairness_row(arm: ArmRow, name: str) -> Sequence[Cell]:
    fair = arm.fairness
    apart = {name: value for name, value in fair.vendor.items() if name != "fetch"}
    words = [_settings(fair.limits), _settings(apart), _settings(fair.model_params)]
    facts = [fair.facts.get("site_operator"), fair.vendor.get("fetch"), fair.facts.get("cache")]
    facts += [fair.facts.get("objective")]
    source = f"{fair.dataset}@{fair.revision}" if fair.revision else fair.dataset
    numbers = [fair.searches, fair.fetches, fair.hits_a_search]
    shown = [fair.chars_a_search, fair.chars_a_fetch]
    shares = [fair.at_search_limit, fair.needle_in_query]
    counts = [fair.retried_calls, fair.failed_calls, fair.replayed_calls, fair.retried_attempts]
    versions = f"package {fair.package or '?'}, Python {fair.python or '?'}, {fair.judge or '?'} policy"
    return [
        Cell(name, name),
        *(Cell(word, word) for word in words),
        *(Cell(fact or n.DASH, str(fact or "")) for fact in facts),
        *(Cell(n.DASH if value is None else f"{value:.2f}", value) for value in numbers),
        *(Cell(n.whole(chars), chars) for chars in shown),
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


_BILL = (
    *("Calls", "billed", "failed", "failed but billed", "retried", "replayed"),
    *("By list, $", "without a price", "Vendor's own word, $", "calls it told", "Difference, %"),
)


def bills(part: BoardTable) -> Html | None:
    """Return list prices times calls beside what vendors say they charged; None without a call."""
    rows = [
        [Cell(name, name), *_bill(op, bill)]
        for arm, name in zip(part.arms, names_of(part.arms).values(), strict=True)
        for op, bill in (("search", arm.bill.search), ("fetch", arm.bill.fetch))
        if bill.calls
    ]
    if not rows:
        return None
    heads = [
        Head("Arm", words=True),
        Head("Calls of", words=True),
        *(Head(label, falling=True) for label in _BILL),
    ]
    return closed(
        "Do the bills add up?",
        "list prices against what vendors report",
        "List price times billed calls, beside what the vendor says it charged where it says so. The difference "
        "counts only where every billed call has both. Retried counts the tries beyond the first; a replayed call came "
        "from a recording and stands here with the price of then.",
        table("Do the bills add up?", heads, rows),
    )


def _bill(op: str, bill: Bill) -> list[Cell]:
    both = bill.reported >= bill.billed > 0 and not bill.unpriced and bill.list_usd > 0
    off = bill.reported_usd / bill.list_usd - 1 if both else None
    reported = bill.reported_usd if bill.reported else None
    counts = (bill.calls, bill.billed, bill.failed, bill.failed_billed, bill.retried, bill.replayed)
    listed = None if bill.billed and bill.unpriced == bill.billed else bill.list_usd
    return [
        Cell(op, op),
        *(Cell(n.whole(count), count) for count in counts),
        Cell(n.dollars(listed), listed),
        Cell(n.whole(bill.unpriced), bill.unpriced),
        Cell(n.dollars(reported), reported),
        Cell(n.whole(bill.reported), bill.reported),
        Cell(n.points(off), off),
    ]


def failures(part: BoardTable) -> Html:
    """Return how complete each arm is, and what its failures could change."""
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
            Cell(name, name),
            Cell(n.whole(arm.planned), arm.planned),
            Cell(n.whole(arm.attempts), arm.attempts),
            Cell(n.interval(arm.bracket), arm.bracket[0] if arm.bracket else None),
            Cell(_counted(arm.failures), None),
            Cell(_counted(arm.unknown), None),
            Cell(", ".join(f"{r} ({s})" for r, s in zip(arm.runs, arm.run_status, strict=True)), None),
        ]
        for arm, name in zip(part.arms, names_of(part.arms).values(), strict=True)
    ]
    return closed(
        "What failed, and what it could change",
        "completeness and score bracket",
        "An attempt that the infrastructure voided has no score. The bracket shows the score with such attempts "
        "counted as failures and with them left out: the truth lies between.",
        table("What failed, and what it could change", heads, rows),
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items()) or n.DASH
