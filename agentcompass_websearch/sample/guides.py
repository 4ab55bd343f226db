"""The pages of one capability: choosing a configuration, a guide to each, a retired guide, and the general call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agentcompass_websearch.sample import markup as md
from agentcompass_websearch.sample import prose
from agentcompass_websearch.sample.draw import Draw
from agentcompass_websearch.sample.requests import example, in_short, reference
from agentcompass_websearch.sample.world import Capability, Configuration, Product

PAGES_BESIDE_GUIDES: Final = 3
SHALLOW_WORDS: Final = 150


def guide_url(product: Product, capability: Capability, configuration: Configuration) -> str:
    """Return the address of a configuration's guide."""
    return f"{product.docs}/guides/{capability.slug}/{configuration.slug}"


def guide_pages(product: Product, capability: Capability, *, seed: int, depth: int) -> Iterator[dict[str, str]]:
    """Yield the pages of `capability`. On guides that are not shallow, `depth` words or more precede the request."""
    draw = Draw("guides", seed, product.number, capability.slug)
    words = _words(draw, product, capability)
    sections = prose.sections(draw, words)
    above, below = _divide(draw, words, sections, SHALLOW_WORDS if capability.shallow else depth)

    def guide(url: str, title: str, notice: str, configuration: Configuration, closing: str) -> dict[str, str]:
        request = configuration.request
        return md.page(
            product.name,
            url,
            md.joined(
                f"# {title}",
                notice,
                _applies(capability, configuration),
                in_short(product, request, words) if capability.shallow else "",
                above,
                md.section("Request reference", reference(product, request)),
                md.section("Example", *example(product, request)),
                closing,
            ),
        )

    yield _choosing(product, capability, words, sections)
    for configuration in capability.configurations:
        title = f"{capability.title}: {configuration.label}"
        closing = md.joined(below, prose.fill("closing", words))
        yield guide(guide_url(product, capability, configuration), title, "", configuration, closing)
    retired = Configuration(capability.right.circumstances, capability.archived)
    yield guide(
        f"{product.docs}/archive/{capability.slug}/{retired.slug}",
        f"Archived: {capability.title}: {retired.label}",
        prose.fill("retired", {"former": product.version - 1}),
        retired,
        prose.fill("superseded", words),
    )
    yield _general(product, capability, words, sections)


def _words(draw: Draw, product: Product, capability: Capability) -> dict[str, object]:
    year = 2024 + draw.below(2)
    return {
        "product": product.name,
        "docs": product.docs,
        "people": product.domain.people,
        "does": capability.phrase(capability.operation.does),
        "one": capability.noun.one,
        "a_one": capability.noun.a,
        "A_one": capability.noun.a.capitalize(),
        "many": capability.noun.many,
        "receipt": f"{draw.letters()}-{100 + draw.below(900)}",
        "completed": f"{year + 1}-0{1 + draw.below(9)}-12",
        "renewed": f"{year}-1{draw.below(3)}-03",
        "published": f"{year - 1}-0{1 + draw.below(9)}-21",
        "choosing_url": f"{product.docs}/guides/{capability.slug}",
        "general_url": f"{product.docs}/reference/{capability.slug}",
    }


def _divide(draw: Draw, words: Mapping[str, object], sections: list[tuple[str, str]], minimum: int) -> tuple[str, str]:
    """Return a text of at least `minimum` words, from sections and, if they run out, cases; and the sections left."""
    taken = count = 0
    while taken < len(sections) and count < minimum:
        count += len(sections[taken][1].split())
        taken += 1
    cases: list[str] = []
    for case in prose.cases(draw, words):
        if count >= minimum:
            break
        cases.append(case)
        count += len(case.split())
    practice = md.section("From practice", *cases) if cases else ""
    return md.joined(_titled(sections[:taken]), practice), _titled(sections[taken:])


def _titled(sections: list[tuple[str, str]]) -> str:
    return md.joined(*(md.section(title, text) for title, text in sections))


def _applies(capability: Capability, configuration: Configuration) -> str:
    parts = [
        dimension.applies.format(label=value.label, marks=", ".join(value.marks))
        for dimension, value in zip(capability.dimensions, configuration.circumstances, strict=True)
    ]
    return f"**Applies to** {md.listed(parts)}."


def _choosing(
    product: Product, capability: Capability, words: Mapping[str, object], sections: list[tuple[str, str]]
) -> dict[str, str]:
    names = [dimension.name for dimension in capability.dimensions]
    rows = [
        [
            *(f"{value.label} ({', '.join(value.marks)})" for value in configuration.circumstances),
            f"[Guide]({guide_url(product, capability, configuration)})",
        ]
        for configuration in capability.configurations
    ]
    text = prose.fill(
        "choosing",
        {
            **words,
            "dimensions": md.listed([name.lower() for name in names]),
            "table": md.table([*names, "Page"], rows),
            "opening": _titled(sections[:2]),
            "closing": _titled(sections[4:6]),
        },
    )
    return md.page(
        product.name, str(words["choosing_url"]), f"# {capability.title}: choosing a configuration\n\n{text}"
    )


def _general(
    product: Product, capability: Capability, words: Mapping[str, object], sections: list[tuple[str, str]]
) -> dict[str, str]:
    request = md.joined(
        md.section("Request reference", reference(product, capability.standard)),
        md.section("Example", *example(product, capability.standard)),
    )
    text = prose.fill("general", {**words, "request": request, "closing": _titled(sections[1:5])})
    title = f"General call: {capability.title}"
    return md.page(product.name, str(words["general_url"]), f"# {title}\n\n{text}")
