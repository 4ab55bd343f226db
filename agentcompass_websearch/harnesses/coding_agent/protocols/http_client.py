"""The HTTP clients of all model sessions of an event loop: building one costs as much as a whole minimal attempt."""

from __future__ import annotations

import asyncio
import functools
import ssl
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import httpx

from agentcompass_websearch.errors import UsageError

# Model servers on this machine are reached directly, whatever proxies the environment names.
_DIRECT: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")

type MakeClient = Callable[..., Any]
"""A client library's own class of HTTP client; each library has its copy of httpx, and takes no other's."""

_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[MakeClient, tuple[Any, AsyncIterator[Any]]]] = (
    weakref.WeakKeyDictionary()
)


async def shared_http_client(make: MakeClient) -> Any:
    """Return the client of the running event loop; it is closed when the loop shuts down its generators.

    Raises:
        UsageError: the environment names a SOCKS proxy, for which a library is missing.
    """
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if make not in clients:
        client = _new_client(make)
        owner = _close_with_loop(client)
        clients[make] = client, owner
        await anext(owner)
    return clients[make][0]


async def _close_with_loop(client: Any) -> AsyncIterator[Any]:
    # An event loop closes its asynchronous generators when it ends: the one moment when nobody needs the client.
    try:
        yield client
    finally:
        await client.aclose()


@functools.cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _new_client(make: MakeClient) -> Any:
    try:
        return make(verify=_tls(), mounts=dict.fromkeys(_DIRECT))
    except ImportError as error:
        raise UsageError(
            "the environment names a SOCKS proxy (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY), which needs another library: "
            "pip install socksio, or unset the variable"
        ) from error
