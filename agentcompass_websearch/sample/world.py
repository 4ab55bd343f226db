"""The fictional products behind pages and tickets: what they can do, and in which near-identical configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from agentcompass_websearch.sample.circumstances import Circumstance, Dimension, Handling
from agentcompass_websearch.sample.words import Domain, Noun, Operation

Detail = Literal["path", "header", "code", "field", "signer"]

STANDARD_CODE: Final = "STANDARD"
STANDARD_FIELD: Final = "record"
STANDARD_SIGNER: Final = "basic_signer"


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
