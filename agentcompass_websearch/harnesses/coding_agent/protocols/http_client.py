"""The HTTP client of all model sessions of an event loop: building one costs as much as a whole minimal attempt."""

from __future__ import annotations

import asyncio
import functools
import ssl
import weakref
from collections.abc import AsyncIterator
from typing import Final

import httpx

from agentcompass_websearch.errors import UsageError

# Model servers on this machine are reached directly, whatever proxies the environment names.
_DIRECT: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")

_clients: weakref.WeakKeyDictionary[
    asyncio.AbstractEventLoop, tuple[httpx.AsyncClient, AsyncIterator[httpx.AsyncClient]]
] = weakref.WeakKeyDictionary()


async def shared_http_client() -> httpx.AsyncClient:
    """Return the client of the running event loop; it is closed when the loop shuts down its generators.

    Raises:
        UsageError: the environment names a SOCKS proxy, for which a library is missing.
    """
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        client = _new_client()
        owner = _close_with_loop(client)
        _clients[loop] = client, owner
        await anext(owner)
    return _clients[loop][0]


async def _close_with_loop(client: httpx.AsyncClient) -> AsyncIterator[httpx.AsyncClient]:
    # An event loop closes its asynchronous generators when it ends: the one moment when nobody needs the client.
    try:
        yield client
    finally:
        await client.aclose()


@functools.cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _new_client() -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            verify=_tls(),
            follow_redirects=True,
            mounts=dict.fromkeys(_DIRECT),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
        )
    except ImportError as error:
        raise UsageError(
            "the environment names a SOCKS proxy (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY), which needs another library: "
            "pip install 'httpx[socks]', or unset the variable"
        ) from error
