"""The embedded default: twelve tickets against three fictional products, and the pages of their documentation sites.

Both files are a slice of what `agentcompass_websearch.sample.synthesize` makes; a world of any size comes from there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentcompass_websearch.sample.synthesize import World


def rows() -> Iterator[dict[str, Any]]:
    """Yield the tickets of the sample as rows ``{task_id, vendor, ticket, starter_code, gold_code, required, ...}``."""
    return _lines("rows.jsonl")


def pages() -> Iterator[dict[str, str]]:
    """Yield the pages of the sample as ``{url, title, text}``; texts are Markdown."""
    return _lines("pages.jsonl")


def synthetic_rows(spec: str) -> Iterator[dict[str, Any]]:
    """Yield the tickets that a dataset name such as ``synthetic:seed=7,n=500`` describes, as rows.

    Raises:
        UsageError: the settings are not those of `agentcompass_websearch.sample.synthesize.World`.
    """
    return _world(spec).rows()


def synthetic_pages(spec: str) -> Iterator[dict[str, str]]:
    """Yield the pages that belong to the tickets of `synthetic_rows` for the same `spec`."""
    return _world(spec).pages()


def _world(spec: str) -> World:
    from agentcompass_websearch.sample.synthesize import world_of

    return world_of(spec.removeprefix("synthetic:"))


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with (files(__name__) / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
