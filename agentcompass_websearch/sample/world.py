"""The fictional products behind pages and tickets: each is built from the seed and its own number alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as grid_of
from typing import Final, Literal

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

Detail = Literal["path", "header", "code", "field", "signer"]

TICKETS_PER_PRODUCT: Final = 4
STANDARD_CODE: Final = "STANDARD"
STANDARD_FIELD: Final = "record"
STANDARD_SIGNER: Final = "basic_signer"
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


@dataclass(frozen=True, slots=True)
class Request:
    """What the documentation says a call must carry. `codes` are the values of the body's ``handling``."""

    path: str
    header: tuple[str, str] | None
    field: str
    codes: tuple[tuple[Handling, str], ...]
    signer: str | None

    def code(self, handling: Handling | None) -> str:
        """Return the code for `handling`, the standard one where there is none."""
        return next((code for known, code in self.codes if known is handling), STANDARD_CODE)


@dataclass(frozen=True, slots=True)
class Configuration:
    """One of the near-identical ways to make a call: under which circumstances, and with which request."""

    circumstances: tuple[Circumstance, ...]
    request: Request

    @property
    def slug(self) -> str:
        """The last segment of its page's address."""
        return "-".join(c.slug for c in self.circumstances)

    @property
    def label(self) -> str:
        """The circumstances as titles name them."""
        return ", ".join(c.label for c in self.circumstances)


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that a product can do, in several configurations.

    `standard` is the general request that every tenant can send, `archived` a retired one of the configuration `right`,
    `shallow` whether the pages state the request in their first passage.
    """

    noun: Noun
    operation: Operation
    details: frozenset[Detail]
    shallow: bool
    dimensions: tuple[Dimension, ...]
    configurations: tuple[Configuration, ...]
    right: Configuration
    standard: Request
    archived: Request

    @property
    def title(self) -> str:
        """The capability as titles name it."""
        return self.phrase(self.operation.title)

    @property
    def slug(self) -> str:
        """The first segments of its pages' addresses."""
        return f"{self.noun.slug}/{self.operation.slug}"

    def phrase(self, text: str) -> str:
        """Return `text` with the noun's forms filled in."""
        return text.format(one=self.noun.one, a=self.noun.a, many=self.noun.many)


@dataclass(frozen=True, slots=True)
class Product:
    """A fictional product. The first `tickets` of its `capabilities` have a ticket each."""

    number: int
    brand: str
    suite: str
    domain: Domain
    version: int
    capabilities: tuple[Capability, ...]
    tickets: int

    @property
    def name(self) -> str:
        """The product as people call it."""
        return f"{self.brand} {self.suite}"

    @property
    def slug(self) -> str:
        """The product's name as it stands in host names; no two products of a world share it."""
        return self.name.lower().replace(" ", "-")

    @property
    def docs(self) -> str:
        """The root of the documentation site."""
        return f"https://docs.{self.slug}.example"

    @property
    def api_host(self) -> str:
        """The host of the API."""
        return f"api.{self.slug}.example"

    @property
    def package(self) -> str:
        """The helper package for Python clients."""
        return f"{self.brand.lower()}_connect"

    @property
    def setting(self) -> str:
        """The prefix of environment variables."""
        return self.brand.upper()


def build_product(
    seed: int, number: int, *, tickets: int, shallow: list[bool], siblings: int, capabilities: int
) -> Product:
    """Return product `number` of the world of `seed`, the same one whatever else of the world has been built."""
    draw = Draw("product", seed, number)
    brand, suite, domain = _name(seed, number)
    version = 3 + draw.below(5)
    pairs = draw.some([(noun, operation) for noun in domain.objects for operation in OPERATIONS], capabilities)
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
        for i, (noun, operation) in enumerate(pairs)
    ]
    return Product(number, brand, suite, domain, version, tuple(built), tickets)


def _name(seed: int, number: int) -> tuple[str, str, Domain]:
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
