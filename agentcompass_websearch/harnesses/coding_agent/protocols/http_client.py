"""The HTTP clients of all model sessions of an event loop: building one costs as much as a whole minimal attempt."""

from __future__ import annotations

import asyncio
import functools
import ssl
import weakref
from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import urlsplit

import httpx

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.loop_end import at_loop_end
from agentcompass_websearch.tools.transport import is_loopback

type MakeClient = Callable[..., Any]
"""A client library's own class of HTTP client; each library has its copy of httpx, and takes no other's."""

type _Known = dict[tuple[MakeClient, bool], tuple[Any, AsyncGenerator[None]]]

_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Known] = weakref.WeakKeyDictionary()


async def shared_http_client(make: MakeClient, base_url: str) -> Any:
    """Return a client of the running event loop; it is closed when the loop shuts down its generators.

    Model servers on this machine are reached directly, whatever proxies the environment names.

    Raises:
        UsageError: the environment names a SOCKS proxy, for which a library is missing.
    """
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = make, not is_loopback(urlsplit(base_url).hostname or "")
    if key not in clients:
        client = _new_client(*key)
        clients[key] = client, at_loop_end(client.aclose)
    return clients[key][0]


@functools.cache
def _tls() -> ssl.SSLContext:
    # Not the one of the vendors' transport: httpx writes into a context whether HTTP/2 is offered.
    return httpx.create_ssl_context()


def _new_client(make: MakeClient, env_proxies: bool) -> Any:
    try:
        return make(verify=_tls(), trust_env=env_proxies)
    except ImportError as error:
        raise UsageError(
            "the environment names a SOCKS proxy (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY), which needs another library: "
            "pip install socksio, or unset the variable"
        ) from error
