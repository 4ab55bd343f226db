"""The page of a board: what it says, its table and charts, and behind them what explains the numbers."""

from __future__ import annotations

from collections.abc import Mapping

from agentcompass_websearch.boards import numbers as n
from agentcompass_websearch.boards import theme
from agentcompass_websearch.boards.columns import columns_of
from agentcompass_websearch.boards.findings import TITLES, findings
from agentcompass_websearch.boards.names import names_of
from agentcompass_websearch.boards.page import explain
from agentcompass_websearch.boards.page.markup import Html, asset, document, el, join
from agentcompass_websearch.boards.page.table import Cell, Head, table
from agentcompass_websearch.boards.reader.attempt import LOSSES
from agentcompass_websearch.boards.schema import ArmRow, BoardFile, BoardTable

Pictures = Mapping[tuple[str, str], tuple[str, ...]]
"""SVG by board and chart: one for all screens, or one for wide and one for narrow ones."""

TITLE = "Web search for coding agents"
LEAD = (
    "With the same model, the same tickets and the same budgets: which search vendor makes a coding agent deliver "
    "correct code, at what cost and speed, and is the difference real?"
)


def board_page(board: BoardFile, pictures: Pictures, *, audit: bool) -> str:
    """Return ``board.html``, one file that needs no network. With `audit` it links to the audit pages beside it."""
    shown = {name: part for name, part in board.boards.items() if part.arms}
    nav = el(
        "nav", el("ul", *(el("li", el("a", TITLES[name], href=f"#{name}")) for name in shown)), aria_label="Boards"
    )
    sections = [_section(name, part, pictures, audit=audit) for name, part in shown.items()]
    problems = [el("p", f"Not read: {problem}", class_="warn") for problem in board.problems]
    footer = el(
        "footer",
        f"Made by agentcompass-websearch {board.package}. The numbers behind this page: board.json and board.csv "
        "beside it.",
    )
    body = join(
        el("header", el("h1", TITLE), el("p", LEAD, class_="lead"), _facts(shown)),
        nav,
        el("main", *problems, *sections, explain.method()),
        footer,
        el("div", id="tip", role="status", hidden=True),
    )
    return document(TITLE, body, style=theme.stylesheet() + asset("board.css"), script=asset("board.js"))


def _facts(shown: Mapping[str, BoardTable]) -> Html:
    arms = [arm for part in shown.values() for arm in part.arms]
    models = sorted({arm.model for arm in arms})
    tickets = max((part.tickets for part in shown.values()), default=0)
    repeats = sorted({arm.repeats for arm in arms})
    policies = sorted({arm.fairness.judge for arm in arms if arm.fairness.judge})
    datasets = sorted({arm.fairness.dataset for arm in arms if arm.fairness.dataset})
    facts = [
        (len(arms), "arms" if len(arms) != 1 else "arm"),
        (tickets, "tickets" if tickets != 1 else "ticket"),
        ("/".join(map(str, repeats)), "repeats" if repeats != [1] else "repeat"),
        (n.listed(models), "models" if len(models) > 1 else "model"),
        (n.listed(datasets) or "unknown", "datasets" if len(datasets) > 1 else "dataset"),
        (n.listed(policies) or "unknown", "policy decides"),
    ]
    return el("ul", *(el("li", el("b", value), f" {name}") for value, name in facts), class_="facts")


def _section(name: str, part: BoardTable, pictures: Pictures, *, audit: bool) -> Html:
    costs = [
        _figure(part, name, chart, pictures, title, caption)
        for chart, title, caption in (
            ("cost", "Completion and dollars", "Median task cost. Hollow: dominated, see below."),
            ("time", "Completion and seconds", "Median task time. Lines are the 95 % intervals."),
        )
        if (name, chart) in pictures
    ]
    return el(
        "section",
        el("h2", TITLES[name]),
        *(el("p", warning, class_="warn") for warning in part.warnings),
        el("ul", *(el("li", line) for line in findings(name, part)), class_="said"),
        _figure(
            part,
            name,
            "completion",
            pictures,
            next(c.label for c in columns_of(name, part) if c.key == "completion").replace(", %", ""),
            "Dots are means, bands the 95 % interval over tickets, ticks the repeats. Arms of one colour cannot be "
            "told from the best of them.",
        ),
        el("div", _main_table(name, part, audit=audit), class_="card"),
        el("div", *costs, class_="pair") if costs else "",
        _losses(part, name, pictures),
        *explain.sections(name, part),
        class_="board",
        id=name,
    )


def _main_table(name: str, part: BoardTable, *, audit: bool) -> Html:
    columns = columns_of(name, part)
    heads = [Head(c.label, c.means, c.falling, words=c.key in ("rank", "arm", "model")) for c in columns]
    rows = [
        [Cell(_shown(column.key, column.text(arm), arm, audit=audit), column.value(arm)) for column in columns]
        for arm in part.arms
    ]
    return table(f"{TITLES[name]}: all arms", heads, rows, named=1)


def _shown(key: str, text: str, arm: ArmRow, *, audit: bool) -> object:
    if key == "rank" and arm.group is not None:
        chip = el("span", arm.group, class_=f"chip {theme.group_colour(arm.group)}", title=f"Group {arm.group}")
        return join(chip, text)
    if key == "arm" and audit:
        return el("a", text, href=arm.audit)
    return text


def _figure(part: BoardTable, name: str, chart: str, pictures: Pictures, title: str, caption: str) -> Html:
    return el("div", el("h3", title), el("p", caption), _drawn(pictures[name, chart]), class_="card")


def _drawn(versions: tuple[str, ...]) -> Html:
    shown = [Html(theme.adaptive(picture)) for picture in versions]
    if len(shown) == 1:
        return el("figure", *shown)
    return el("figure", *(el("div", svg, class_=kind) for svg, kind in zip(shown, ("wide", "narrow"), strict=True)))


def _losses(part: BoardTable, name: str, pictures: Pictures) -> Html:
    order = ["passed", *reversed(LOSSES)]
    key = [el("li", el("i", class_=theme.loss_colour(loss)), explain.LOSS_NAMES[loss]) for loss in order]
    heads = [Head("Arm", words=True), *(Head(explain.LOSS_NAMES[loss], falling=True) for loss in order)]
    rows = [
        [Cell(called, called), *(Cell(arm.funnel[loss], arm.funnel[loss]) for loss in order)]
        for arm, called in zip(part.arms, names_of(part.arms).values(), strict=True)
    ]
    return el(
        "div",
        el("h3", "Where attempts were lost"),
        el("p", "All planned attempts, by the first step that failed under the published policy."),
        _drawn(pictures[name, "losses"]),
        el("ul", *key, class_="key"),
        el("details", el("summary", "The counts"), table("Where attempts were lost", heads, rows)),
        class_="card",
    )
