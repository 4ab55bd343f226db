"""All pages of a product's documentation site."""

from __future__ import annotations

from collections.abc import Iterator

from agentcompass_websearch.sample.guides import PAGES_BESIDE_GUIDES, guide_pages
from agentcompass_websearch.sample.site import SITE_PAGES, site_pages
from agentcompass_websearch.sample.world import Product


def product_pages(product: Product, *, seed: int, depth: int) -> Iterator[dict[str, str]]:
    """Yield the pages ``{url, title, text}`` of one site; texts are Markdown."""
    yield from site_pages(product, seed=seed)
    for capability in product.capabilities:
        yield from guide_pages(product, capability, seed=seed, depth=depth)


def capabilities_for(pages: int, *, tickets: int, siblings: int) -> int:
    """Return how many capabilities a site needs for at least `pages` pages and one capability a ticket."""
    each = siblings + 1 + PAGES_BESIDE_GUIDES
    return max(tickets, -(-(pages - SITE_PAGES) // each))
