"""The one transport: every byte to and from a vendor passes here, under time and size caps, never with a redirect.

Importing this module builds nothing; clients are built at the first request, one set for each event loop.
"""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import logging
import re
import ssl
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from http.cookiejar import DefaultCookiePolicy
from typing import Final

import httpx

from agentcompass_websearch import __version__
from agentcompass_websearch.tools.body import ACCEPT_ENCODING, read_body
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.limits import Gates
from agentcompass_websearch.tools.loop_end import at_loop_end
from agentcompass_websearch.tools.retry import Patience
from agentcompass_websearch.tools.wire import Fault, HttpReply, HttpRequest

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
_CONNECT_S: Final = 10.0
_HEADERS: Final = {
    "user-agent": f"agentcompass-websearch/{__version__}",
    "accept": "application/json, */*;q=0.5",
    "accept-encoding": ACCEPT_ENCODING,
}
_WITHOUT_PROXY: Final = "unset the variable, or set NO_PROXY=*, or set vendor_options.env_proxies to false"
_log: Final = logging.getLogger("agentcompass.plugins.websearch.transport")
_sending: ContextVar[bool] = ContextVar("agentcompass_websearch_sending", default=False)


class Transport:
    """HTTP for all vendors of one event loop: pooled connections, caps, and the gates that limit calls per key.

    It holds nothing of a single call. `patience` is what its users retry with.
    """

    def __init__(self, *, patience: Patience | None = None, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self.patience = patience or Patience()
        self.gates = Gates()
        self._max_body_bytes = max_body_bytes
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._building = asyncio.Lock()

    async def exchange(
        self, request: HttpRequest, *, timeout_s: float | None = None, env_proxies: bool = True
    ) -> HttpReply:
        """Send one request and read the whole reply, whatever its status.

        Args:
            request: what to send, with an absolute URL.
            timeout_s: seconds for the whole exchange, if less than the request's own.
            env_proxies: whether HTTP_PROXY, ALL_PROXY and NO_PROXY count. Loopback hosts are always reached directly.

        Raises:
            Fault: TIMEOUT, CONNECT, UNREADABLE or MISCONFIGURED; its message may quote the URL.
        """
        limit_s = request.timeout_s if timeout_s is None else min(timeout_s, request.timeout_s)
        token = _sending.set(True)
        try:
            async with asyncio.timeout(limit_s):
                return await self._exchange(request, limit_s, env_proxies)
        except (TimeoutError, httpx.TimeoutException) as error:
            what = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no complete answer"
            raise Fault(ErrorKind.TIMEOUT, f"{what} within {limit_s:.3g} s") from error
        except httpx.ConnectError as error:
            raise Fault(ErrorKind.CONNECT, f"cannot connect: {_reason(error)}") from error
        except httpx.ProxyError as error:
            raise _refused_by_proxy(error) from error
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise Fault(ErrorKind.CONNECT, f"connection broken off: {_reason(error)}") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError) as error:
            # Their messages may quote a header, and with it a key that no header can carry.
            raise Fault(ErrorKind.MISCONFIGURED, f"the request cannot be sent ({type(error).__name__})") from error
        except Fault:
            raise
        except Exception as error:
            # What the libraries let through unwrapped, such as the group of errors of a port that there cannot be.
            raise Fault(ErrorKind.CONNECT, f"cannot connect: {_reason(error)}") from error
        finally:
            _sending.reset(token)

    async def _exchange(self, request: HttpRequest, limit_s: float, env_proxies: bool) -> HttpReply:
        url = httpx.URL(request.url)
        client = await self._client(env_proxies and not is_loopback(url.host))
        async with client.stream(
            request.method,
            url,
            params=request.params,
            json=request.json,
            data=request.form,
            content=request.content,
            headers=dict(request.headers),
            timeout=httpx.Timeout(limit_s, connect=min(limit_s, _CONNECT_S), pool=None),
        ) as response:
            body, truncated = await read_body(response, self._max_body_bytes)
        _log.debug("%s %s: %d, %d bytes", request.method, url.host, response.status_code, len(body))
        return HttpReply(response.status_code, response.headers, body, truncated)

    async def _client(self, env_proxies: bool) -> httpx.AsyncClient:
        if env_proxies not in self._clients:
            async with self._building:
                if env_proxies not in self._clients:
                    # In a thread: certificates and the modules for HTTP/2 take dozens of milliseconds to load.
                    self._clients[env_proxies] = await asyncio.to_thread(_new_client, env_proxies)
        return self._clients[env_proxies]

    async def aclose(self) -> None:
        """Close all connections. A later request builds new ones."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()


_shared: dict[asyncio.AbstractEventLoop, tuple[Transport, AsyncGenerator[None]]] = {}


def shared_transport() -> Transport:
    """Return the transport of the running event loop, at whose end it is closed."""
    running = asyncio.get_running_loop()
    for loop in list(_shared):
        if loop.is_closed():
            _shared.pop(loop, None)
    if running not in _shared:
        transport = Transport()

        async def close() -> None:
            _shared.pop(running, None)
            await transport.aclose()

        _shared[running] = transport, at_loop_end(close)
    return _shared[running][0]


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS context of this process, built once: that costs as much as hundreds of requests.

    Raises:
        Fault: MISCONFIGURED; the environment names certificates that cannot be read.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        advice = "check SSL_CERT_FILE and SSL_CERT_DIR"
        raise Fault(
            ErrorKind.MISCONFIGURED, f"no certificates can be read ({type(error).__name__}): {advice}"
        ) from error


def _new_client(env_proxies: bool) -> httpx.AsyncClient:
    _quiet_httpx()
    try:
        client = httpx.AsyncClient(
            verify=tls_context(),
            http2=True,
            trust_env=env_proxies,
            headers=_HEADERS,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30),
        )
    except ImportError as error:
        raise Fault(
            ErrorKind.MISCONFIGURED,
            "the environment names a SOCKS proxy (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY), which needs another library: "
            f"pip install 'httpx[socks]', or {_WITHOUT_PROXY}",
        ) from error
    except (ValueError, httpx.InvalidURL) as error:
        # The message of the error may quote the password of a proxy.
        raise Fault(
            ErrorKind.MISCONFIGURED,
            "the environment names a proxy that cannot be used (ALL_PROXY, HTTPS_PROXY, HTTP_PROXY or NO_PROXY): give "
            f"it as http://host:port or socks5://host:port, or {_WITHOUT_PROXY}",
        ) from error
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, which is never reached through a proxy."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refused_by_proxy(error: httpx.ProxyError) -> Fault:
    """Return the fault of a proxy that does not let us through: with 4xx, it will not another time either."""
    said = _reason(error)
    kind = ErrorKind.MISCONFIGURED if re.match(r"4\d\d\b", said) else ErrorKind.CONNECT
    return Fault(kind, f"the proxy of the environment (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) refused: {said}")


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (str(error) or type(error).__name__)[:200]


_QUOTING: Final = (
    *("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks"),
    *("hpack.hpack", "hpack.table"),
)


class _OwnRequestsUnlogged(logging.Filter):
    """Drops the libraries' own lines about requests of this package: they quote URLs and headers, which hold keys."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _sending.get()


@functools.cache
def _quiet_httpx() -> None:
    for name in _QUOTING:
        logging.getLogger(name).addFilter(_OwnRequestsUnlogged())
