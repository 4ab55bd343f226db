"""The evidence on an audit page: each call, each result with its rank, and the text of those that matter."""

from __future__ import annotations

from collections.abc import Iterator

from agentcompass_websearch.boards.names import slug
from agentcompass_websearch.boards.page.markup import Html, el, join, link, text
from agentcompass_websearch.boards.reader.stored import NeedleRecord, Scoring
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search

Span = tuple[int, int, str]
"""Where a needle stands in a text, and the needle."""


def anchor(repeat: int, call_id: str, rank: int | None) -> str:
    """Return the place of a call, or of one of its results, on the page."""
    return f"r{repeat}-{slug(call_id)}" + (f"-{rank}" if rank else "")


def evidence_part(evidence: Evidence, scoring: Scoring, repeat: int) -> Html:
    """Return all calls of an attempt. Texts that neither ground a needle nor hold one are left out."""
    if not evidence.searches and not evidence.fetches:
        return el("p", "No search or fetch came back.", class_="dim")
    calls = [_search(search, scoring, repeat) for search in evidence.searches]
    calls += [_fetch(fetch, scoring, repeat) for fetch in evidence.fetches]
    return join(el("h3", "What came back"), *calls)


def spans(body: str, needles: tuple[NeedleRecord, ...]) -> list[Span]:
    """Return where needles stand in `body`, first occurrences, in order and apart; headers in any case."""
    found: list[Span] = []
    folded = body.casefold()
    same_length = len(folded) == len(body)
    for needle in needles:
        anycase = needle.kind == "header" and same_length
        at = folded.find(needle.needle.casefold()) if anycase else body.find(needle.needle)
        if needle.needle and at >= 0:
            found.append((at, at + len(needle.needle), needle.needle))
    found.sort()
    apart: list[Span] = []
    for span in found:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _search(search: Search, scoring: Scoring, repeat: int) -> Html:
    title = el("h4", f"Search {search.n}: ", el("q", search.query), id=anchor(repeat, search.call_id, None))
    if search.error:
        return join(title, el("p", f"Failed: {search.error}", class_="dim"))
    hits = [_hit(hit, rank, search, scoring, repeat) for rank, hit in enumerate(search.hits, 1)]
    return join(title, el("ol", *hits) if hits else el("p", "No results.", class_="dim"))


def _hit(hit: Hit, rank: int, search: Search, scoring: Scoring, repeat: int) -> Html:
    grounded = [needle.needle for needle in _grounded(scoring, search.call_id, rank)]
    place = anchor(repeat, search.call_id, rank)
    found = spans(hit.snippet, scoring.needles)
    name = join(link(hit.url, hit.title or hit.url), Html(f'<div class="url">{text(hit.url)}</div>'))
    if not grounded and not found:
        return Html(f'<li id="{place}">{name}</li>')
    label = el("span", "grounds ", ", ".join(grounded), class_="chip passed") if grounded else ""
    return el("li", name, label, _text(hit.snippet, "Snippet", found), id=place, class_="hit" if grounded else None)


def _fetch(fetch: Fetch, scoring: Scoring, repeat: int) -> Html:
    grounded = [needle.needle for needle in _grounded(scoring, fetch.call_id, None)]
    title = el("h4", f"Fetch {fetch.n}: ", link(fetch.url), id=anchor(repeat, fetch.call_id, None))
    if fetch.error:
        return join(title, el("p", f"Failed: {fetch.error}", class_="dim"))
    label = el("span", "grounds ", ", ".join(grounded), class_="chip passed") if grounded else ""
    moved = fetch.final_url and fetch.final_url != fetch.url
    parts = [el("p", "Led to ", link(fetch.final_url or "")) if moved else "", label]
    found = spans(fetch.content, scoring.needles)
    if not grounded and not found:
        size = f"{len(fetch.content):,} characters, none of the details in them"
        return join(title, *parts, el("p", size, class_="dim"))
    return join(title, *parts, _text(fetch.content, "Page text", found))


def _grounded(scoring: Scoring, call_id: str, rank: int | None) -> Iterator[NeedleRecord]:
    for needle in scoring.needles:
        by = needle.grounded_by
        if by is not None and by.call_id == call_id and (by.rank or None) == rank:
            yield needle


def _text(body: str, name: str, found: list[Span]) -> Html:
    """Return a text to unfold, with the needles in it marked and their places told."""
    where = ", ".join(f"{needle} at characters {start + 1} to {end}" for start, end, needle in found)
    told = where or "none of the details stands in it; its address is what grounds them"
    pieces: list[Html] = []
    at = 0
    for start, end, _ in found:
        pieces += [text(body[at:start]), el("mark", body[start:end])]
        at = end
    return el("details", el("summary", f"{name}: {told}"), el("pre", *pieces, text(body[at:])))
