from __future__ import annotations

from agentcompass_websearch.tools.combined import CombinedClient
from agentcompass_websearch.tools.contract import FetchRequest, SearchRequest
from tests.support.fake_vendor import FakeClient


async def test_each_is_asked_for_its_own_part() -> None:
    searcher, reader = FakeClient(), FakeClient()
    client = CombinedClient(searcher, reader)
    search, fetch = SearchRequest("acme"), FetchRequest("https://docs.acme.example/a")
    assert (await client.search(search, deadline=1.0)).value
    assert (await client.fetch(fetch, deadline=2.0)).value
    await client.aclose()
    assert (searcher.asked, searcher.deadlines) == ([search], [1.0])
    assert (reader.asked, reader.deadlines) == ([fetch], [2.0])


def test_the_fingerprint_tells_both_apart_however_often_they_are_combined() -> None:
    searcher = FakeClient(fingerprint={"pages": "s"})
    inner = CombinedClient(searcher, FakeClient(fingerprint={"pdf": "read"}))
    assert inner.fingerprint == {"pages": "s", "fetch_pdf": "read"}
    outer = CombinedClient(inner, FakeClient(fingerprint={"pages": "r"}))
    assert outer.fingerprint == {"pages": "s", "fetch_pages": "r"}
