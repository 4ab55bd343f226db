from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.local import index as index_module
from agentcompass_websearch.tools.local.index import Index, build
from agentcompass_websearch.tools.local.pages import load

BASE = "https://docs.acme.example"


def index_of(folder: Path, texts: dict[str, tuple[str, str]]) -> Index:
    rows = [{"url": f"{BASE}/{name}", "title": title, "text": text} for name, (title, text) in texts.items()]
    (folder / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return build(load(str(folder / "pages.jsonl")))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    filler = "Words about orders, invoices and other things of an office, at some length. " * 20
    texts = {
        "auth": ("Authentication", f"{filler}\n\n## Header\n\nSend the key in `X-Acme-Key`.\n\n{filler}"),
        "keys": ("Acme keys", f"The key of Acme: x y z. A header of a table. {filler}"),
        "batch": ("Batch work", f"{filler}\n\nCall `workerBatch` or POST /api/v2/workers/{{id}}/batch.\n\n{filler}"),
        "worker": ("A worker and a batch", f"Each worker has a batch. {filler}"),
        "old": ("Batch work, version 1", f"{filler} POST /api/v1/workers/{{id}}/batch {filler}"),
        "tokyo": ("東京の天気", "東京は晴れです。"),
        "munich": ("Über München", "Die Straßen von München."),
    }
    return index_of(tmp_path_factory.mktemp("pages"), texts)


def first(index: Index, query: str) -> str:
    return index.search(query, 8)[0].url.removeprefix(f"{BASE}/")


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("X-Acme-Key", "auth"),
        ("x-acme-key header", "auth"),
        ("what does `X-Acme-Key:` mean?", "auth"),
        ("workerBatch", "batch"),
        ("/api/v2/workers/{id}/batch", "batch"),
        ("POST /api/v2/workers", "batch"),
        ("/api/v1/workers/{id}/batch", "old"),
        ("authenticating", "auth"),
        ("東京 天気", "tokyo"),
        ("uber munchen", "munich"),
    ],
)
def test_names_and_words_are_found(index: Index, query: str, page: str) -> None:
    assert first(index, query) == page


def test_the_best_passage_is_the_snippet(index: Index) -> None:
    hit = index.search("workerBatch", 1)[0]
    assert "workerBatch" in hit.snippet
    assert len(hit.snippet) <= 1000


def test_each_page_is_one_hit(index: Index) -> None:
    urls = [hit.url for hit in index.search("orders invoices office", 100)]
    assert len(urls) == len(set(urls)) == 5


@pytest.mark.parametrize("limit", [0, -1])
def test_no_results_are_asked_for(index: Index, limit: int) -> None:
    assert index.search("orders", limit) == ()


@pytest.mark.parametrize(
    "query",
    [
        "(" * 3000,
        "*",
        "title:orders AND (",
        '"open',
        "a" * 100_000,
        "- + / \\",
        "orders~9999 ^^",
        "[* TO *]",
        "\ud835",
        "\x00",
    ],
)
def test_no_query_is_read_as_an_expression(index: Index, query: str) -> None:
    assert all(hit.url.startswith(BASE) for hit in index.search(query, 5))


def test_a_long_query_is_capped(index: Index) -> None:
    assert len(index._terms(" ".join(f"word{n} x-y-{n}" for n in range(1000)), "title")) == 64


@given(st.text(max_size=200))
def test_any_query_has_an_answer(index: Index, query: str) -> None:
    index.search(query, 3)
    index.search(query, 3, "title")
    index.page(query)


def test_pages_of_equal_score_come_in_the_order_of_the_set(tmp_path: Path) -> None:
    """However the engine spreads them over threads and segments."""
    names = [f"p{number}" for number in range(300)]
    random.Random(1).shuffle(names)
    texts = dict.fromkeys(names, ("Same", "The same words in every page."))
    for _ in range(2):
        found = index_of(tmp_path, texts).search("same words", 8)
        assert [hit.url for hit in found] == [f"{BASE}/{name}" for name in names[:8]]


def test_equal_scores_stay_in_order_across_segments(tmp_path: Path) -> None:
    rows = [json.dumps({"url": f"{BASE}/p{number}", "title": "", "text": "The same words."}) for number in range(400)]
    (tmp_path / "pages.jsonl").write_text("\n".join(rows), encoding="utf-8")
    engine = index_module._registered(tantivy.Index(index_module._schema()))
    numbered = list(enumerate(load(str(tmp_path / "pages.jsonl"))))
    for part in (2, 0, 1):
        writer = engine.writer()
        for number, page in numbered[part::3]:
            for document in index_module._documents(number, page):
                writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    index = Index(engine)
    assert index._searcher.num_segments > 1
    assert [hit.url for hit in index.search("same words", 8)] == [f"{BASE}/p{number}" for number in range(8)]


def test_a_page_by_its_url(index: Index) -> None:
    page = index.page("http://www.docs.acme.example/tokyo/")
    assert page is not None
    assert (page.url, page.text) == (f"{BASE}/tokyo", "東京は晴れです。")
    assert index.page(f"{BASE}/nothing") is None


def test_a_kept_index_answers_as_one_in_memory(tmp_path: Path) -> None:
    texts = {f"p{n}": (f"Title {n}", f"word{n} and more") for n in range(20)}
    in_memory = index_of(tmp_path, texts)
    pages = load(str(tmp_path / "pages.jsonl"))
    kept = [build(pages, tmp_path / "kept") for _ in range(2)]
    for index in kept:
        assert index.search("word7 more", 5) == in_memory.search("word7 more", 5)
    assert [path.name[:3] for path in (tmp_path / "kept").iterdir()] == ["v1-"]
