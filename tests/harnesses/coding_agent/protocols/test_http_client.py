"""The shared HTTP clients: one an event loop and library, direct to this machine, closed with their loop."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import openai
import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.protocols.http_client import shared_http_client
from tests.support.fake_model import FakeModel, says

ELSEWHERE = "https://models.acme.example/v1"
MAKERS = pytest.mark.parametrize("make", [openai.DefaultAsyncHttpxClient, anthropic.DefaultAsyncHttpxClient])


@MAKERS
def test_a_loop_has_one_client_of_a_library_which_ends_with_it(make: Any) -> None:
    async def two() -> tuple[Any, Any]:
        return await shared_http_client(make, ELSEWHERE), await shared_http_client(make, ELSEWHERE)

    first, again = asyncio.run(two())
    other, _ = asyncio.run(two())
    assert first is again
    assert isinstance(first, make)
    assert other is not first
    assert first.is_closed
    assert other.is_closed


@MAKERS
def test_a_socks_proxy_without_its_library_is_one_clear_error(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(UsageError, match="pip install socksio"):
        asyncio.run(shared_http_client(make, ELSEWHERE))


@MAKERS
@pytest.mark.parametrize(
    "proxies",
    [
        {"HTTP_PROXY": "http://127.0.0.1:9"},
        {"ALL_PROXY": "socks5://127.0.0.1:1080"},
        {"HTTP_PROXY": "socks5h://127.0.0.1:1080", "NO_PROXY": "localhost"},
    ],
)
def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    make: Any, proxies: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, url in proxies.items():
        monkeypatch.setenv(name, url)

    async def post(url: str) -> int:
        client = await shared_http_client(make, url)
        status: int = (await client.post(f"{url}/chat/completions", json={"messages": []})).status_code
        return status

    with FakeModel(says("done")) as model:
        assert asyncio.run(post(model.base_url)) == 200
