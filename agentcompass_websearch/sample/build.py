"""Making a product from the seed and its own number alone, so that a world of any size can be read from its start."""

from __future__ import annotations

from itertools import product as grid_of
from typing import Final

from agentcompass_websearch.sample.circumstances import DIMENSIONS, HANDLINGS, Circumstance, Dimension, Handling
from agentcompass_websearch.sample.draw import Draw
from agentcompass_websearch.sample.words import (
    BLAND,
    BRAND_HEADS,
    BRAND_TAILS,
    DOMAINS,
    OPERATIONS,
    Domain,
    Noun,
    Operation,
)
from agentcompass_websearch.sample.world import (
    STANDARD_FIELD,
    STANDARD_SIGNER,
    Capability,
    Configuration,
    Detail,
    Product,
    Request,
)

TICKETS_PER_PRODUCT: Final = 4
CODES_PER_REQUEST: Final = 5

RECIPES: Final[tuple[frozenset[Detail], ...]] = (
    frozenset({"path"}),
    frozenset({"header"}),
    frozenset({"code"}),
    frozenset({"field"}),
    frozenset({"signer"}),
    frozenset({"path", "code"}),
    frozenset({"path", "header"}),
    frozenset({"header", "code"}),
    frozenset({"path", "field"}),
    frozenset({"signer", "code"}),
)


def build_product(
    seed: int, number: int, *, tickets: int, shallow: list[bool], siblings: int, capabilities: int
) -> Product:
    """Return product `number` of the world of `seed`, the same one whatever else of the world has been built."""
    draw = Draw("product", seed, number)
    brand, suite, domain = name_of(seed, number)
    version = 3 + draw.below(5)
    # All pairs are drawn, whatever is asked for: a site with more pages has the same tickets.
    pairs = draw.shuffled([(noun, operation) for noun in domain.objects for operation in OPERATIONS])
    recipes = draw.shuffled(RECIPES)
    built = [
        _capability(
            draw,
            noun,
            operation,
            brand=brand,
            area=f"/{domain.area}/v{version}",
            details=recipes[i % len(recipes)],
            shallow=shallow[i] if i < len(shallow) else draw.chance(0.5),
            siblings=siblings,
        )
        for i, (noun, operation) in enumerate(pairs[:capabilities])
    ]
    return Product(number, brand, suite, domain, version, tuple(built), tickets)


def name_of(seed: int, number: int) -> tuple[str, str, Domain]:
    """Return brand, suite and domain of product `number`; brand and suite together differ for each."""
    brands = len(BRAND_HEADS) * len(BRAND_TAILS)
    # One domain after the other, so that products that follow each other are of different kinds.
    suites = [(domain.suites[rank], domain) for rank in range(len(DOMAINS[0].suites)) for domain in DOMAINS]
    # Stepping by a number prime to the count visits every name once before any returns.
    place = (number * 7919 + Draw("names", seed).below(brands * len(suites))) % (brands * len(suites))
    again = number // (brands * len(suites))
    suite, domain = suites[place % len(suites)]
    brand = place // len(suites)
    name = BRAND_HEADS[brand % len(BRAND_HEADS)] + BRAND_TAILS[brand // len(BRAND_HEADS)]
    return name + (str(again + 1) if again else ""), suite, domain


def _capability(
    draw: Draw,
    noun: Noun,
    operation: Operation,
    *,
    brand: str,
    area: str,
    details: frozenset[Detail],
    shallow: bool,
    siblings: int,
) -> Capability:
    standard = Request(
        path=f"{area}/{noun.slug}",
        header=None,
        field=STANDARD_FIELD,
        codes=(),
        signer=STANDARD_SIGNER if "signer" in details else None,
    )
    handlings = draw.some(HANDLINGS, CODES_PER_REQUEST) if "code" in details else []
    dimensions = tuple(draw.some(DIMENSIONS, 2))
    chosen, right = _neighbours(draw, dimensions, siblings)
    configurations = [
        Configuration(circumstances, _request(draw, standard, details, brand, area, handlings))
        for circumstances in chosen
    ]
    return Capability(
        noun=noun,
        operation=operation,
        details=details,
        shallow=shallow,
        dimensions=dimensions,
        configurations=tuple(configurations),
        right=configurations[right],
        standard=standard,
        archived=_request(draw, standard, details, brand, area, handlings),
    )


def _neighbours(
    draw: Draw, dimensions: tuple[Dimension, ...], siblings: int
) -> tuple[list[tuple[Circumstance, ...]], int]:
    """Return the circumstances of a right configuration and its nearest siblings, and where the right one stands."""
    sides = next((a, b) for a, b in ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4)) if a * b > siblings)
    axes = [draw.some(dimension.values, side) for dimension, side in zip(dimensions, sides, strict=True)]
    cells = list(grid_of(*axes))
    right = draw.one(cells)
    nearest = sorted(cells, key=lambda cell: sum(a is not b for a, b in zip(cell, right, strict=True)))
    kept = nearest[: siblings + 1]
    chosen = [cell for cell in cells if cell in kept]
    return chosen, chosen.index(right)


def _request(
    draw: Draw, standard: Request, details: frozenset[Detail], brand: str, area: str, handlings: list[Handling]
) -> Request:
    path, header, field, signer = standard.path, standard.header, standard.field, standard.signer
    if "path" in details:
        path = f"{area}/{draw.letters()}-{draw.one(BLAND)}"
    if "header" in details:
        name = f"X-{brand}-{draw.letters().title()}-{draw.one(BLAND).title()}"
        header = (name, f"{draw.one(BLAND)}-{draw.letters()}{10 + draw.below(90)}")
    if "field" in details:
        field = f"{draw.letters()}{draw.one(BLAND).title()}Ref"
    if "signer" in details:
        signer = f"{draw.one(BLAND)}_{draw.letters()}_signer"
    codes = tuple(
        (handling, f"{draw.letters().upper()}_{draw.one(BLAND).upper()}_{1 + draw.below(9)}") for handling in handlings
    )
    return Request(path, header, field, codes, signer)
