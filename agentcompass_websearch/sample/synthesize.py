"""Make any number of tickets with their documentation from a seed: the same ones every time, one product at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from agentcompass_websearch.errors import UsageError, nearest_name
from agentcompass_websearch.sample.build import TICKETS_PER_PRODUCT, build_product
from agentcompass_websearch.sample.documentation import capabilities_for, product_pages
from agentcompass_websearch.sample.tickets import ticket_row
from agentcompass_websearch.sample.world import Product

_LIMITS = {
    "n": (1, 1_000_000),
    "siblings": (0, 15),
    "snippet": (0, 1),
    "depth": (0, 5000),
    "pages_per_ticket": (1, 100),
}


@dataclass(frozen=True, slots=True)
class World:
    """Fictional products with documentation and tickets, written down nowhere and the same at every reading.

    Attributes:
        seed: Names the world.
        n: Number of tickets.
        siblings: Configurations beside the right one, each with a page of the same form and another request.
        snippet: Share of the tickets whose pages state the request in their first passage.
        depth: Words that stand above the request on the pages of the other tickets.
        pages_per_ticket: Pages of a site for each of its tickets, at the least.
    """

    seed: int = 7
    n: int = 12
    siblings: int = 3
    snippet: float = 0.5
    depth: int = 500
    pages_per_ticket: int = 8

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(f"synthetic tickets: {name}={value} is out of range; give {low} to {high}")

    def products(self) -> Iterator[Product]:
        """Yield the products, each with its tickets' capabilities first."""
        for number, first in enumerate(range(0, self.n, TICKETS_PER_PRODUCT)):
            tickets = min(TICKETS_PER_PRODUCT, self.n - first)
            pages = self.pages_per_ticket * tickets
            yield build_product(
                self.seed,
                number,
                tickets=tickets,
                shallow=[self._is_shallow(first + i) for i in range(tickets)],
                siblings=self.siblings,
                capabilities=capabilities_for(pages, tickets=tickets, siblings=self.siblings),
            )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the tickets as rows ``{task_id, vendor, ticket, starter_code, gold_code, required, ...}``."""
        for product in self.products():
            for number in range(product.tickets):
                yield ticket_row(product, number, seed=self.seed)

    def pages(self) -> Iterator[dict[str, str]]:
        """Yield the pages of all sites as ``{url, title, text}``."""
        for product in self.products():
            yield from product_pages(product, seed=self.seed, depth=self.depth)

    def _is_shallow(self, ticket: int) -> bool:
        # Spread evenly, so that any run of tickets meets the share, not only the average of many.
        return int((ticket + 1) * self.snippet) > int(ticket * self.snippet)


SAMPLE: Final = World(seed=29)
"""The world whose tickets and pages are kept in ``rows.jsonl`` and ``pages.jsonl`` beside this module."""


def write(world: World, folder: Path) -> None:
    """Write ``rows.jsonl`` and ``pages.jsonl`` of `world` into `folder`, line by line."""
    for name, items in (("rows", world.rows()), ("pages", world.pages())):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def synthesize(
    seed: int,
    n: int,
    *,
    siblings: int = 3,
    snippet: float = 0.5,
    depth: int = 500,
    pages_per_ticket: int = 8,
) -> World:
    """Return the world of `seed` with `n` tickets; see `World` for the knobs.

    Raises:
        UsageError: a knob is out of range.
    """
    return World(seed, n, siblings=siblings, snippet=snippet, depth=depth, pages_per_ticket=pages_per_ticket)


def world_of(settings: str) -> World:
    """Return the world that ``seed=7,n=500,siblings=3`` describes; what is not named keeps its default.

    Raises:
        UsageError: an unknown setting, or a value that is no number or out of range.
    """
    kinds = {field.name: float if field.type == "float" else int for field in fields(World)}
    given: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in settings.split(","))):
        name, _, value = (text.strip() for text in part.partition("="))
        if name not in kinds:
            near = nearest_name(name, kinds)
            hint = f"did you mean {near}?" if near else f"known are {', '.join(kinds)}"
            raise UsageError(f"synthetic tickets: unknown setting {name!r}; {hint}")
        if name in given:
            raise UsageError(f"synthetic tickets: {name} is given twice")
        try:
            given[name] = kinds[name](value)
        except ValueError as error:
            raise UsageError(f"synthetic tickets: {name}={value!r} is not a number") from error
    return World(**given)
