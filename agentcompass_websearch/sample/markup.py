"""The few forms of Markdown that documentation pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def rows(cells: Iterable[Sequence[str]]) -> str:
    """Return the lines of a table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def table(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a table with its head."""
    return rows([head, ["---"] * len(head), *cells])


def bullets(items: Iterable[str]) -> str:
    """Return a list with one line an item."""
    return "\n".join(f"- {item}" for item in items)


def section(title: str, *blocks: str, level: int = 2) -> str:
    """Return a heading and what stands under it."""
    return joined(f"{'#' * level} {title}", *blocks)


def fence(language: str, text: str) -> str:
    """Return a code block."""
    return f"```{language}\n{text}\n```"


def code(text: str) -> str:
    """Return inline code."""
    return f"`{text}`"


def joined(*blocks: str) -> str:
    """Return blocks one below the other; empty ones are left out."""
    return "\n\n".join(filter(None, blocks))


def page(site: str, url: str, text: str) -> dict[str, str]:
    """Return one page as pages files hold it; its title is the heading that `text` begins with, and the site's name."""
    heading = text.split("\n", 1)[0].removeprefix("# ")
    return {"url": url, "title": heading if site in heading else f"{heading} | {site}", "text": text + "\n"}


def listed(items: Sequence[str]) -> str:
    """Return `items` as a sentence lists them."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
