"""Sites read like documentation, siblings are near-identical, and the knobs move the request where they say."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import pytest

from agentcompass_websearch.sample.guides import guide_url
from agentcompass_websearch.sample.synthesize import synthesize

SNIPPET_CHARS = 1000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pages_have_addresses_titles_and_some_length(seed: int) -> None:
    pages = list(synthesize(seed, 12).pages())
    urls = [page["url"] for page in pages]
    assert len(set(urls)) == len(urls)
    for page in pages:
        assert re.fullmatch(r"https://docs\.[a-z-]+\.example/[a-z0-9/-]*", page["url"])
        assert page["text"].startswith("# ")
        assert page["title"].startswith(page["text"].splitlines()[0].removeprefix("# "))
        assert len(page["text"].split()) >= 200
        assert page["text"].count("\n## ") >= 2


def test_no_placeholder_is_left() -> None:
    for page in synthesize(5, 12).pages():
        assert not re.search(r"\$\w|\{(one|many|a|does|product|label|marks?)\}", page["text"]), page["url"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_links_lead_to_pages(seed: int) -> None:
    pages = list(synthesize(seed, 12).pages())
    urls = {page["url"] for page in pages}
    linked = {url for page in pages for url in re.findall(r"\]\((https://[^)]+)\)", page["text"])}
    assert linked <= urls


def test_articles_fit_their_nouns() -> None:
    for page in synthesize(6, 64).pages():
        assert not re.search(r"\b[Aa] [aeio]\w", page["text"]), page["url"]


def test_nothing_is_said_twice_on_a_deep_page() -> None:
    for page in synthesize(9, 4, snippet=0, depth=2500).pages():
        told = [line for line in page["text"].splitlines() if len(line.split()) > 20]
        assert len(set(told)) == len(told), page["url"]


def test_no_two_releases_correct_the_same() -> None:
    notes: dict[str, list[str]] = {}
    for page in synthesize(9, 40).pages():
        if "/release-notes/" in page["url"]:
            section = page["text"].split("## Corrected\n\n")[1].split("\n\n")[0]
            notes.setdefault(page["url"].split("/")[2], []).extend(section.splitlines())
    assert len(notes) == 10
    assert all(len(set(lines)) == len(lines) == 6 for lines in notes.values())


def test_every_site_has_the_same_structure() -> None:
    kinds: dict[str, set[str]] = {}
    for page in synthesize(6, 12).pages():
        host, _, path = page["url"].removeprefix("https://").partition("/")
        kinds.setdefault(host, set()).add(path.split("/")[0])
    assert len(kinds) == 3
    assert set(map(frozenset, kinds.values())) == {frozenset({"", "guides", "reference", "archive", "release-notes"})}


def test_guides_have_the_sections_of_product_documentation() -> None:
    guides = [page["text"] for page in synthesize(7, 8).pages() if "**Applies to**" in page["text"]]
    retired = [text for text in guides if "**Retired.**" in text]
    always = ("Overview", "Request reference", "Example", "Change history", "Related pages")
    in_force = (*always, "How it works", "Before you begin", "Permissions", "Response", "Errors")
    assert 0 < len(retired) < len(guides)
    for text in guides:
        titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert set(always if text in retired else in_force) <= set(titles)


def test_siblings_differ_in_little_more_than_circumstances_and_request() -> None:
    world = synthesize(8, 4)
    pages = {page["url"]: page["text"] for page in world.pages()}
    for product in world.products():
        for capability in product.capabilities:
            texts = [pages[guide_url(product, capability, c)] for c in capability.configurations]
            for text in texts[1:]:
                alike = SequenceMatcher(None, texts[0].split(), text.split(), autojunk=False).ratio()
                assert 0.9 < alike < 1


@pytest.mark.parametrize("depth", [0, 120, 500, 1500])
def test_depth_is_the_number_of_words_above_the_request(depth: int) -> None:
    world = synthesize(9, 12, snippet=0, depth=depth)
    above = [len(text.split()) for text in _above_needles(world)]
    assert min(above) >= depth
    assert max(above) <= depth + 350


def test_shallow_pages_state_the_request_in_their_first_passage() -> None:
    for seed in range(10):
        world = synthesize(seed, 12, snippet=1)
        assert max(map(len, _above_needles(world))) < SNIPPET_CHARS
        openings = [p["text"].split("\n## ")[0] for p in world.pages() if "**In short.**" in p["text"]]
        assert max(map(len, openings)) <= SNIPPET_CHARS


@pytest.mark.parametrize(
    ("share", "n", "shallow"), [(0, 12, 0), (0.5, 12, 6), (0.25, 40, 10), (1, 12, 12), (0.7, 100, 70)]
)
def test_snippet_is_the_share_of_shallow_tickets(share: float, n: int, shallow: int) -> None:
    world = synthesize(10, n, snippet=share)
    assert sum(c.shallow for p in world.products() for c in p.capabilities[: p.tickets]) == shallow


def _above_needles(world: object) -> list[str]:
    """Return for each needle of each ticket what stands above its first place on the page that documents it."""
    pages = {page["url"]: page["text"] for page in world.pages()}  # type: ignore[attr-defined]
    above = []
    for row in world.rows():  # type: ignore[attr-defined]
        text = pages[re.findall(r"# source: (\S+)", row["gold_code"])[0]]
        above += [text[: text.index(needle)] for needle in [*row["required"], *row["query_forbidden"]]]
    return above
