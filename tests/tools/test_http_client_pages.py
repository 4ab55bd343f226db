from __future__ import annotations

import pytest

from agentcompass_websearch.tools import http_client
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
)
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.testing import Reply, Request
from tests.support.acme_api import FOUND, URL, acme, kind_of


async def test_addresses_that_are_not_public_are_not_sent() -> None:
    seen: list[Request] = []
    async with acme(FOUND, seen=seen) as client:
        outcome = await client.fetch(FetchRequest(" http://127.1/admin "))
    assert (kind_of(outcome), outcome.tries, seen) == (ErrorKind.NOT_PUBLIC, 0, [])


@pytest.mark.parametrize(
    ("base_url", "addresses", "sent"),
    [
        (None, ["10.0.0.5"], False),
        (None, ["93.184.216.34", "127.0.0.1"], False),
        (None, ["93.184.216.34"], True),
        (None, [], True),
        ("http://gateway.acme.example", ["10.0.0.5"], True),
    ],
)
async def test_a_reader_in_this_network_is_sent_no_name_that_leads_into_it(
    monkeypatch: pytest.MonkeyPatch, base_url: str | None, addresses: list[str], sent: bool
) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        assert host == "docs.acme.example"
        return addresses

    monkeypatch.setattr(http_client, "_NETWORK", Network(resolve))
    patience = {"max_tries": 1, "doubtful_tries": 1}
    async with acme(Reply(200, b"Alpha."), options={"base_url": base_url} if base_url else {}, patience=patience) as it:
        outcome = await it.fetch(FetchRequest(URL))
    assert (outcome.tries == 1) is sent
    if not sent:
        assert kind_of(outcome) is ErrorKind.NOT_PUBLIC


@pytest.mark.parametrize("content_type", ["application/pdf", "application/octet-stream", "image/png", "text/html"])
async def test_a_page_of_bytes_is_not_shown(content_type: str) -> None:
    pdf = Reply(200, b"%PDF-1.7\0" + bytes(range(256)) * 100, {"content-type": content_type})
    async with acme(pdf) as client:
        outcome = await client.fetch(FetchRequest(URL))
    assert kind_of(outcome) is ErrorKind.TARGET
    assert "binary content, not shown" in str(outcome.error)


async def test_a_page_in_another_charset() -> None:
    body = bytes.fromhex("83658369839383672041504920776f726b65724261746368")
    async with acme(Reply(200, body, {"content-type": "text/html; charset=shift_jis"})) as client:
        page = (await client.fetch(FetchRequest(URL))).value
    assert page is not None
    assert page.content == "テナント API workerBatch"


async def test_a_page_without_end_is_cut_with_a_mark() -> None:
    endless = Reply(200, chunks=lambda: iter(lambda: b"words " * 10_000, None))
    async with acme(endless) as client:
        page = (await client.fetch(FetchRequest(URL))).value
    assert page is not None
    assert page.content.endswith("[truncated: the answer was too long]")


# The address
