"""The shared HTTP client: one an event loop, direct to this machine, closed with its loop."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.protocols.http_client import shared_http_client


def test_a_loop_has_one_client_which_ends_with_it() -> None:
    async def two() -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
        return await shared_http_client(), await shared_http_client()

    first, again = asyncio.run(two())
    other, _ = asyncio.run(two())
    assert first is again
    assert other is not first
    assert first.is_closed
    assert other.is_closed


def test_a_socks_proxy_without_its_library_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(UsageError, match=r"pip install 'httpx\[socks\]'"):
        asyncio.run(shared_http_client())


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    from tests.support.fake_model import FakeModel, says

    async def post(url: str) -> int:
        client = await shared_http_client()
        return (await client.post(f"{url}/chat/completions", json={"messages": []})).status_code

    with FakeModel(says("done")) as model:
        assert asyncio.run(post(model.base_url)) == 200
