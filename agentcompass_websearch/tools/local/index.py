"""The full-text index of a page set (tantivy): best passages, titles and headings, pages by URL.

Queries are written by models. They never reach the query parser of the engine; they are split into the same terms as
the pages, deduplicated and capped.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import tantivy
from tantivy import DocAddress, Document, Occur, Query

from agentcompass_websearch.records import Hit
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools.local import Scope
from agentcompass_websearch.tools.local.pages import PageSet, StoredPage
from agentcompass_websearch.tools.local.passages import headings, passages
from agentcompass_websearch.tools.local.terms import NAMES, WORDS, analyzers, names, word_text
from agentcompass_websearch.tools.results import key_of

# Belongs to the name of an index folder: another schema or analysis is another index.
INDEX_VERSION: Final = 1

_MAX_QUERY_CHARS: Final = 4000
_MAX_TERMS: Final = 64
# Memory that indexing may take, not what it takes; one segment keeps the order of the set.
_HEAP_BYTES: Final = 1_000_000_000
_PASSAGES_A_PAGE: Final = 1_000_000
_DEEPEST: Final = 1000

# Fields and their weights: a term in a title says more than one in the text, a whole name more than its parts.
_FIELDS: Final[dict[Scope, tuple[tuple[str, str, float], ...]]] = {
    "page": (
        (WORDS, "body", 1.0),
        (WORDS, "title", 1.5),
        (NAMES, "body_names", 8.0),
        (NAMES, "title_names", 8.0),
    ),
    "title": ((WORDS, "heads", 1.0), (NAMES, "heads_names", 8.0)),
}


class _Entry(msgspec.Struct, array_like=True):
    """What is stored with a document: URL and title of the page, and a passage, the headings or the whole text."""

    url: str
    title: str
    text: str


_entry_of = msgspec.msgpack.Decoder(_Entry).decode


class Index:
    """Answers searches and looks pages up. Every method may be called from any thread."""

    def __init__(self, index: tantivy.Index) -> None:
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()
        self._words = analyzers()[WORDS]

    def search(self, query: str, limit: int, scope: Scope = "page") -> tuple[Hit, ...]:
        """Return the best pages for `query`, best first, with the best passage (or the headings) as snippet.

        Pages of equal score come in the order of the set, so that equal sets give equal answers.
        """
        terms = self._terms(query, scope)
        if limit < 1 or not terms:
            return ()
        wanted = Query.boolean_query([(Occur.Should, term) for term in terms])
        entries = (self._entry(address) for address in self._best(wanted, limit))
        return tuple(Hit(entry.url, entry.title, entry.text) for entry in entries)

    def _best(self, wanted: Query, limit: int) -> list[DocAddress]:
        """Return the best document of each of the best `limit` pages."""
        depth = 4 * limit
        while True:
            found = self._searcher.search(wanted, limit=depth, count=False).hits
            places = self._searcher.fast_field_values("place", [address for _, address in found])
            best: dict[int, tuple[float, DocAddress]] = {}
            in_order = sorted(zip(found, places, strict=True), key=lambda item: (-item[0][0], item[1]))
            for (score, address), place in in_order:
                best.setdefault(int(place or 0) // _PASSAGES_A_PAGE, (score, address))
            chosen = list(best.values())[:limit]
            # Between segments, a row of equal scores is cut anywhere: look deeper until the row has ended.
            row_ended = self._searcher.num_segments < 2 or (bool(chosen) and found[-1][0] < chosen[-1][0])
            complete = len(best) >= limit and row_ended
            if complete or len(found) < depth or depth >= _DEEPEST:
                return [address for _, address in chosen]
            depth *= 4

    def _entry(self, address: DocAddress) -> _Entry:
        return _entry_of(self._searcher.doc(address)["entry"][0])

    def page(self, url: str) -> StoredPage | None:
        """Return the page with this URL, compared by its normal form; None if the set has none."""
        key = key_of(clean(url).strip())
        if key is None:
            return None
        found = self._searcher.search(Query.term_query(self._schema, "key", key), limit=1, count=False).hits
        if not found:
            return None
        entry = self._entry(found[0][1])
        return StoredPage(key, entry.url, entry.title, entry.text)

    def _terms(self, query: str, scope: Scope) -> list[Query]:
        text = clean(query)[:_MAX_QUERY_CHARS]
        asked_names = list(dict.fromkeys(names(text)))[: _MAX_TERMS // 2]
        asked_words = list(dict.fromkeys(self._words.analyze(word_text(text))))[: _MAX_TERMS - len(asked_names)]
        terms = {NAMES: asked_names, WORDS: asked_words}
        return [
            Query.boost_query(Query.term_query(self._schema, field, term, "freq"), weight)
            for kind, field, weight in _FIELDS[scope]
            for term in terms[kind]
        ]


def build(pages: PageSet, folder: Path | None = None) -> Index:
    """Index `pages`, in memory, or in a folder of its own under `folder`, where a later call finds it again.

    Raises:
        OSError: the folder cannot be written.
        ValueError: what stands in the folder is no index of this version.
    """
    if folder is None:
        return Index(_filled(_registered(tantivy.Index(_schema())), pages))
    place = folder / f"v{INDEX_VERSION}-{pages.sha256[:16]}"
    if not place.exists():
        _build_in(place, pages)
    return Index(_registered(tantivy.Index.open(str(place))))


def _build_in(place: Path, pages: PageSet) -> None:
    """Build beside `place` and move there at the end, so that two processes may do so at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=place.parent, ignore_cleanup_errors=True) as building:
        index = _filled(_registered(tantivy.Index(_schema(), path=building)), pages)
        del index
        try:
            os.rename(building, place)
        except OSError:
            if not place.exists():
                raise
            shutil.rmtree(building, ignore_errors=True)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    for field in ("body", "title", "heads"):
        builder.add_text_field(field, tokenizer_name=WORDS, index_option="freq")
        builder.add_text_field(f"{field}_names", tokenizer_name=NAMES, index_option="freq")
    builder.add_integer_field("place", fast=True)
    builder.add_bytes_field("entry", stored=True)
    return builder.build()


def _registered(index: tantivy.Index) -> tantivy.Index:
    for name, analyzer in analyzers().items():
        index.register_tokenizer(name, analyzer)
    return index


def _filled(index: tantivy.Index, pages: PageSet) -> tantivy.Index:
    writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
    for number, page in enumerate(pages):
        for document in _documents(number, page):
            writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return index


def _documents(number: int, page: StoredPage) -> Iterator[Document]:
    """Yield one document for the page as a whole, one for its headings, and one for each passage.

    `place` is the order in the set: page by page, and within a page passage by passage.
    """
    first = number * _PASSAGES_A_PAGE
    heads = headings(page.text)
    yield Document(key=page.key, entry=_stored(page, page.text))
    yield Document(
        **_indexed("heads", "\n".join((page.title, *heads))), place=first, entry=_stored(page, "\n".join(heads))
    )
    title = _indexed("title", page.title)
    for place, passage in enumerate(passages(page.text)[:_PASSAGES_A_PAGE] or [""], first):
        yield Document(**_indexed("body", passage), **title, place=place, entry=_stored(page, passage))


def _indexed(field: str, text: str) -> dict[str, str]:
    return {field: word_text(text), f"{field}_names": " ".join(names(text))}


def _stored(page: StoredPage, text: str) -> bytes:
    return msgspec.msgpack.encode(_Entry(page.url, page.title, text))
