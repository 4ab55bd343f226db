"""The texts of documentation pages, kept as Markdown with ``$names`` to fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

from agentcompass_websearch.sample.draw import Draw

SENTENCES_PER_SECTION: Final = 4


@cache
def template(name: str) -> Template:
    """Return the text ``texts/name.md``."""
    return Template((files(__package__) / "texts" / f"{name}.md").read_text(encoding="utf-8").strip())


def fill(name: str, words: Mapping[str, object]) -> str:
    """Return the text `name` with all its names filled in from `words`."""
    return template(name).substitute(words)


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of a text that is a list of sentences."""
    return tuple(template(name).template.splitlines())


@cache
def _guide() -> tuple[tuple[str, tuple[str, ...]], ...]:
    parts = template("guide").template.removeprefix("## ").split("\n## ")
    return tuple((part.split("\n")[0], tuple(part.split("\n\n", 1)[1].splitlines())) for part in parts)


def sections(draw: Draw, words: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return title and text of the sections that guide pages are written around, in the order of the site."""
    return [
        (title, Template(" ".join(draw.excerpt(sentences, SENTENCES_PER_SECTION))).substitute(words))
        for title, sentences in _guide()
    ]


@cache
def _case() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.splitlines()) for part in template("case").template.split("\n\n"))


def cases(draw: Draw, words: Mapping[str, object]) -> Iterator[str]:
    """Yield paragraphs on how others used an operation, without end; no opening comes back before all were used."""
    while True:
        for told in zip(*map(draw.shuffled, _case()), strict=True):
            yield Template(" ".join(told)).substitute(words, count=20 + draw.below(400))
