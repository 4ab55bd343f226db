"""The pages that a documentation site has whatever its product does: start page, accounts, limits, release notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agentcompass_websearch.sample import markup as md
from agentcompass_websearch.sample import prose
from agentcompass_websearch.sample.circumstances import DIMENSIONS
from agentcompass_websearch.sample.draw import Draw
from agentcompass_websearch.sample.world import Product

_PAGES: Final = (
    ("", "start"),
    ("guides/getting-started", "getting-started"),
    ("guides/authentication", "authentication"),
    ("guides/environments", "environments"),
    ("reference/python-helper", "python-helper"),
    ("reference/errors", "errors"),
    ("reference/rate-limits", "rate-limits"),
    ("reference/glossary", "glossary"),
)
_RELEASES: Final = 2
_CORRECTIONS: Final = 3
"""How many each of the releases lists, none twice."""
SITE_PAGES: Final = len(_PAGES) + _RELEASES


def site_pages(product: Product, *, seed: int) -> Iterator[dict[str, str]]:
    """Yield the `SITE_PAGES` general pages of a product's site."""
    draw = Draw("site", seed, product.number)
    words = {
        "product": product.name,
        "docs": product.docs,
        "api_host": product.api_host,
        "package": product.package,
        "people": product.domain.people,
        "first_path": product.capabilities[0].standard.path,
        "calls": 60 * (2 + draw.below(8)),
        "body": 1 + draw.below(4),
        "records": 100 * (1 + draw.below(9)),
        "terms": _terms(product),
        "capabilities": _capabilities(product),
        "circumstances": _circumstances(),
    }
    for path, name in _PAGES:
        yield md.page(product.name, f"{product.docs}/{path}", prose.fill(f"site/{name}", words))
    corrections = draw.shuffled(prose.lines("corrections"))
    for version in range(product.version, product.version - _RELEASES, -1):
        corrected, corrections = corrections[:_CORRECTIONS], corrections[_CORRECTIONS:]
        words |= {"version": version, "former": version - 1, "corrected": md.bullets(corrected)}
        words["renewed"] = _renewed(draw, product)
        yield md.page(product.name, f"{product.docs}/release-notes/v{version}", prose.fill("site/release-notes", words))


def _capabilities(product: Product) -> str:
    return md.rows(
        [
            capability.title,
            f"[Choosing a configuration]({product.docs}/guides/{capability.slug})",
            f"[General call]({product.docs}/reference/{capability.slug})",
        ]
        for capability in product.capabilities
    )


def _terms(product: Product) -> str:
    nouns = sorted(product.domain.objects, key=lambda noun: noun.one)
    guides = {
        noun: [c.operation.slug.replace("-", " ") for c in product.capabilities if c.noun is noun] for noun in nouns
    }
    return md.rows(
        [
            noun.one.capitalize(),
            f"`/{product.domain.area}/v{product.version}/{noun.slug}`",
            md.listed(guides[noun] or ["none"]),
        ]
        for noun in nouns
    )


def _circumstances() -> str:
    return "\n\n".join(
        md.section(
            dimension.name,
            md.table(["Name", "Belongs to it"], [[value.label, ", ".join(value.marks)] for value in dimension.values]),
            level=3,
        )
        for dimension in DIMENSIONS
    )


def _renewed(draw: Draw, product: Product) -> str:
    return md.bullets(
        f"{capability.title}: the request for {draw.one(capability.configurations).label} was renewed; "
        f"see [the guides]({product.docs}/guides/{capability.slug})."
        for capability in draw.some(product.capabilities, 3)
    )
