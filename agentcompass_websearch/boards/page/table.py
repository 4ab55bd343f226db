"""Tables that scroll on a phone, sort by a button in their head, and are read out with their captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentcompass_websearch.boards.page.markup import Html, el


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column. `falling`: the first click sorts from high to low; `words`: text, on
    the left; `long`: text that may take several lines."""

    label: str
    means: str = ""
    falling: bool = False
    words: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: what it shows, and what it sorts by (None sorts last). The first cell of a row names the row."""

    shown: object
    value: float | int | str | None = None


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[Cell]], *, named: int = 0) -> Html:
    """Return a table in its scrolling region; `named` is the column that names the rows and stays in sight."""
    header = el("tr", *(_head(head, place == named) for place, head in enumerate(heads)))
    body = [el("tr", *(_cell(cell, heads[place], place == named) for place, cell in enumerate(row))) for row in rows]
    content = el("table", el("caption", caption), el("thead", header), el("tbody", *body))
    return el("div", content, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _head(head: Head, named: bool) -> Html:
    button = el("button", head.label, type="button", title=head.means or None, data_falling=head.falling)
    return el("th", button, scope="col", class_=_classes(head, named))


def _cell(cell: Cell, head: Head, named: bool) -> Html:
    value = cell.value if cell.value is not None else ""
    return el(
        "th" if named else "td", cell.shown, scope="row" if named else None, data_v=value, class_=_classes(head, named)
    )


def _classes(head: Head, named: bool) -> str | None:
    names = ["name" * named, "words" * (head.words or head.long), "long" * head.long]
    return " ".join(filter(None, names)) or None


def closed(title: str, hint: str, why: str, *content: Html) -> Html:
    """Return a part of the page that opens on demand; `hint` says beside its title what to expect."""
    return el("details", el("summary", title, el("span", hint)), el("p", why, class_="dim"), *content, class_="card")
