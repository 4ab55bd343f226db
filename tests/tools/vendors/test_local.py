from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest, VendorClient
from agentcompass_websearch.tools.local import client as local_client
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import VendorContract
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import local

VENDOR = local.websearch_vendor()
BASE = "https://docs.acme.example"
PAGES = [
    {
        "url": f"{BASE}/auth",
        "title": "Authentication",
        "text": "# Keys\n\nSend `X-Acme-Key` with each call to /api/v2/orders.",
    },
    {
        "url": f"{BASE}/batch",
        "title": "Batch",
        "text": "# Batches\n\nworkerBatch submits many.\n\n## Limits\n\nAt most 200.",
    },
    {"url": f"{BASE}/empty", "title": "Nothing yet", "text": ""},
]


def write(path: Path, pages: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    return str(path)


def opened(mode: str = "page", **options: Any) -> VendorClient:
    return open_client(VENDOR, VENDOR.modes[mode], api_key="", options=options, transport=Transport())


@pytest.fixture
def pages(tmp_path: Path) -> str:
    return write(tmp_path / "pages.jsonl", PAGES)


class TestContract(VendorContract):
    vendor = VENDOR
    known_query = "orders"
    known_url = next(iter(sample.pages()))["url"]
    unknown_query = "zzzzqqqq"
    unknown_url = "https://docs.acme.example/gone"

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        yield opened()


def test_ids_boards_and_prices() -> None:
    assert VENDOR.vendor_ids() == ("local_page", "local_title")
    assert VENDOR.default_mode == "page"
    for mode in VENDOR.modes.values():
        assert mode.home_boards == ("search-fetch", "search-only")
        assert (mode.price.search_usd, mode.price.fetch_usd) == (0.0, 0.0)


async def test_the_snippet_is_the_best_passage_or_the_headings(pages: str) -> None:
    hits = (await opened(pages=pages).search(SearchRequest("X-Acme-Key"))).value
    assert hits is not None
    assert (hits[0].url, hits[0].title) == (f"{BASE}/auth", "Authentication")
    assert "X-Acme-Key" in hits[0].snippet
    titled = opened("title", pages=pages)
    assert (await titled.search(SearchRequest("orders"))).value == ()
    hits = (await titled.search(SearchRequest("limits"))).value
    assert hits is not None
    assert [(hit.url, hit.snippet) for hit in hits] == [(f"{BASE}/batch", "Batches\nLimits")]


async def test_a_page_is_found_by_its_normalised_url(pages: str) -> None:
    outcome = await opened(pages=pages).fetch(FetchRequest("http://www.docs.acme.example/auth/#part"))
    assert outcome.value is not None
    assert outcome.value.final_url == f"{BASE}/auth"
    assert outcome.value.content == PAGES[0]["text"]
    assert outcome.billed is False


@pytest.mark.parametrize("url", [f"{BASE}/none", "http://127.0.0.1/", "file:///etc/passwd", "nonsense", "", "\ud835"])
async def test_an_unknown_url_is_an_ordinary_reply(pages: str, url: str) -> None:
    outcome = await opened(pages=pages).fetch(FetchRequest(url))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.TARGET
    assert "not in the index" in str(outcome.error)


async def test_a_page_without_text_is_an_ordinary_reply(pages: str) -> None:
    outcome = await opened(pages=pages).fetch(FetchRequest(f"{BASE}/empty"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.TARGET


def test_the_fingerprint_is_of_the_pages_not_of_their_place(tmp_path: Path, pages: str) -> None:
    same = write(tmp_path / "copy.jsonl", PAGES)
    other = write(tmp_path / "other.jsonl", PAGES[:1])
    assert opened(pages=pages).fingerprint == opened("title", pages=same).fingerprint
    assert opened(pages=pages).fingerprint != opened(pages=other).fingerprint
    assert len(opened(pages=pages).fingerprint["pages"]) == 64


async def test_fifty_searches_at_once_while_the_index_is_built(pages: str) -> None:
    client = opened(pages=pages)
    local_client._built.cache_clear()
    queries = ["X-Acme-Key", "workerBatch"] * 25
    outcomes = await asyncio.gather(*(client.search(SearchRequest(query)) for query in queries))
    for query, outcome in zip(queries, outcomes, strict=True):
        assert outcome.value is not None
        assert query in outcome.value[0].snippet
    assert local_client._built.cache_info().misses == 1


async def test_a_deadline_ends_the_wait_for_the_index(pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*given: object) -> object:
        time.sleep(0.3)
        raise AssertionError("nobody waits for this")

    monkeypatch.setattr(local_client, "_index_of", slow)
    outcome = await opened(pages=pages).search(SearchRequest("x"), deadline=time.monotonic() + 0.05)
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.DEADLINE


async def test_an_index_that_is_kept(tmp_path: Path, pages: str) -> None:
    kept = tmp_path / "indexes"
    for _ in range(2):
        local_client._built.cache_clear()
        outcome = await opened(pages=pages, index_dir=str(kept)).search(SearchRequest("workerBatch"))
        assert outcome.value is not None
        assert outcome.value[0].url == f"{BASE}/batch"
    assert len(list(kept.iterdir())) == 1


async def test_an_index_folder_that_cannot_be_used_says_so(tmp_path: Path, pages: str) -> None:
    client = opened(pages=pages, index_dir=str(tmp_path / "index"))
    (tmp_path / "index").write_text("in the way")
    outcome = await client.search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.MISCONFIGURED
    assert "vendor_options.index_dir" in str(outcome.error)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pages": 5}, "pages of local must be text"),
        ({"pages": " "}, "pages of local must be text"),
        ({"pages": "/no/such/folder"}, "/no/such/folder does not exist"),
        ({"pages": "~no-such-user-here/pages"}, "pages: ~no-such-user-here/pages names a home folder"),
        ({"index_dir": "~no-such-user-here/index"}, "index_dir: ~no-such-user-here/index names a home folder"),
        ({"index_dir": __file__}, "index_dir: .*test_local.py is no folder"),
        ({"index_dir": f"{__file__}/index"}, "index_dir: .*/index is no folder"),
        ({"pages_base_url": "docs"}, "must be an http"),
        ({"page": "sample"}, "did you mean 'pages'"),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_options(VENDOR, options)
