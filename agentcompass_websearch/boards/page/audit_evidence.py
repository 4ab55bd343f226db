"""The evidence on an audit page: each call, each result with its rank, and the text of those that matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agentcompass_websearch.boards.names import slug
from agentcompass_websearch.boards.page.markup import Html, el, join, link, text
from agentcompass_websearch.boards.reader.stored import NeedleRecord, Scoring
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search

Span = tuple[int, int, str]
"""Where a needle stands in a text, and the needle."""


def anchor(repeat: int, call_id: str, rank: int | None) -> str:
    """Return the place of a call, or of one of its results, on the page."""
    return f"r{repeat}-{_slug(call_id)}" + (f"-{rank}" if rank else "")


_slug = lru_cache(maxsize=4_096)(slug)


def evidence_part(evidence: Evidence, scoring: Scoring, repeat: int) -> Html:
    """Return all calls of an attempt. Texts that neither ground a needle nor hold one are left out."""
    if not evidence.searches and not evidence.fetches:
        return el("p", "No search or fetch came back.", class_="dim")
    calls = [_search(search, scoring, repeat) for search in evidence.searches]
    calls += [_fetch(fetch, scoring, repeat) for fetch in evidence.fetches]
    return join(el("h3", "What came back"), *calls)


def spans(body: str, needles: tuple[NeedleRecord, ...]) -> list[Span]:
    """Return where needles stand in `body`, the first occurrence of each, in order and apart."""
    found: list[Span] = []
    for needle in needles:
        at = body.find(needle.needle)
        if at < 0 and needle.kind == "header" and needle.needle.lower() in body.lower():
            match = re.search(re.escape(needle.needle), body, re.IGNORECASE)
            at = match.start() if match else -1
        if needle.needle and at >= 0:
            found.append((at, at + len(needle.needle), needle.needle))
    found.sort()
    apart: list[Span] = []
    for span in found:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _search(search: Search, scoring: Scoring, repeat: int) -> Html:
    place = anchor(repeat, search.call_id, None)
    title = Html(f'<h4 id="{place}">Search {search.n}: <q>{text(search.query)}</q></h4>')
    if search.error:
        return join(title, el("p", f"Failed: {search.error}", class_="dim"))
    if not search.hits:
        return join(title, el("p", "No results.", class_="dim"))
    grounded: dict[int, list[str]] = {}
    for needle in scoring.needles:
        by = needle.grounded_by
        if by is not None and by.call_id == search.call_id and by.rank:
            grounded.setdefault(by.rank, []).append(needle.needle)
    # One look at all snippets together: most searches return nothing that holds a needle.
    any_held = bool(spans("\n".join([hit.snippet for hit in search.hits]), scoring.needles))
    told = []
    for rank, hit in enumerate(search.hits, 1):
        found = spans(hit.snippet, scoring.needles) if any_held else []
        if found or rank in grounded:
            told.append(_hit(hit, f"{place}-{rank}", rank, grounded.get(rank, []), found))
    every = "\n".join([f"{rank}. {hit.title}\n   {hit.url}" for rank, hit in enumerate(search.hits, 1)])
    summary = f"<summary>All {len(search.hits)} results</summary>"
    return join(title, *told, Html(f"<details>{summary}<pre>{text(every)}</pre></details>"))


def _hit(hit: Hit, place: str, rank: int, grounded: Sequence[str], found: list[Span]) -> Html:
    kind = "result hit" if grounded else "result"
    name = f'Rank {rank}: {link(hit.url, hit.title or hit.url)}<div class="url">{text(hit.url)}</div>'
    return Html(
        f'<div id="{place}" class="{kind}">{name}{_label(grounded)}{_text(hit.snippet, "Snippet", found)}</div>'
    )


def _fetch(fetch: Fetch, scoring: Scoring, repeat: int) -> Html:
    place = anchor(repeat, fetch.call_id, None)
    title = Html(f'<h4 id="{place}">Fetch {fetch.n}: {link(fetch.url)}</h4>')
    if fetch.error:
        return join(title, el("p", f"Failed: {fetch.error}", class_="dim"))
    grounded = [n.needle for n in scoring.needles if n.grounded_by and n.grounded_by.call_id == fetch.call_id]
    found = spans(fetch.content, scoring.needles)
    moved = fetch.final_url if fetch.final_url and fetch.final_url != fetch.url else None
    led = el("p", "Led to ", link(moved)) if moved else Html("")
    if grounded or found:
        return join(title, led, _label(grounded), _text(fetch.content, "Page text", found))
    return join(title, led, Html(f'<p class="dim">{len(fetch.content):,} characters, none of the details in them</p>'))


def _label(grounded: Sequence[str]) -> Html:
    return Html(f'<span class="chip passed">grounds {text(", ".join(grounded))}</span>' if grounded else "")


def _text(body: str, name: str, found: list[Span]) -> Html:
    """Return a text to unfold, with the needles in it marked and their places told."""
    where = ", ".join([f"{needle} at characters {start + 1} to {end}" for start, end, needle in found])
    told = where or "none of the details stands in it; its address is what grounds them"
    marked = ""
    at = 0
    for start, end, _ in found:
        marked += f"{text(body[at:start])}<mark>{text(body[start:end])}</mark>"
        at = end
    return Html(f"<details><summary>{name}: {text(told)}</summary><pre>{marked}{text(body[at:])}</pre></details>")
