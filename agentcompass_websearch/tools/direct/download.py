"""One page by GET: each redirect checked like the first address, bytes capped, no cookie, no credential, no proxy."""

from __future__ import annotations

import asyncio
from typing import Final

import httpx

from agentcompass_websearch import __version__
from agentcompass_websearch.tools.body import ACCEPT_ENCODING, read_body
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.safety import why_not_public
from agentcompass_websearch.tools.transport import tls_context
from agentcompass_websearch.tools.wire import Fault, HttpReply

MAX_REDIRECTS: Final = 10
_CONNECT_S: Final = 10.0
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PORTS: Final = {"http": 80, "https": 443}
_HEADERS: Final = {
    "user-agent": f"Mozilla/5.0 (compatible; agentcompass-websearch/{__version__})",
    "accept": "text/html, application/xhtml+xml, text/*;q=0.9, application/pdf;q=0.8, */*;q=0.5",
    "accept-language": "en, *;q=0.5",
    "accept-encoding": ACCEPT_ENCODING,
}


async def download(url: str, network: Network, *, max_bytes: int, timeout_s: float) -> tuple[HttpReply, str]:
    """Return the reply at the end of all redirects, whatever its status, and its URL.

    Args:
        url: what to get.
        network: which addresses may be connected to.
        max_bytes: how much of the body is read, counted after decompression.
        timeout_s: how long the server may be silent, in seconds.

    Raises:
        Fault: NOT_PUBLIC for a URL or an address that must not be fetched, TARGET for a page that cannot be had.
    """
    for _ in range(MAX_REDIRECTS + 1):
        reply = await _get(_parsed(url), network, max_bytes, timeout_s)
        location = reply.headers.get("location", "")
        if reply.status not in _REDIRECTS or not location:
            return reply, url
        url = _joined(url, location)
    raise Fault(ErrorKind.TARGET, f"the page redirects more than {MAX_REDIRECTS} times", status=reply.status)


def _parsed(url: str) -> httpx.URL:
    """Return a URL that may be fetched as far as its text tells; its addresses are checked where they are known."""
    reason = why_not_public(url)
    if reason:
        raise Fault(ErrorKind.NOT_PUBLIC, reason)
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise Fault(ErrorKind.TARGET, "the URL is malformed") from error


def _joined(url: str, location: str) -> str:
    try:
        return str(httpx.URL(url).join(location))
    except (httpx.InvalidURL, ValueError) as error:
        raise Fault(ErrorKind.TARGET, "the page redirects to a malformed URL") from error


async def _get(url: httpx.URL, network: Network, max_bytes: int, timeout_s: float) -> HttpReply:
    host = url.raw_host.decode("ascii")
    addresses = await network.addresses(host, url.port or _PORTS[url.scheme])
    for address in addresses[:-1]:
        try:
            return await _get_from(address, url, host, max_bytes, timeout_s)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
    try:
        return await _get_from(addresses[-1], url, host, max_bytes, timeout_s)
    except httpx.TimeoutException as error:
        raise Fault(ErrorKind.TARGET, "the page did not come in time") from error
    except httpx.HTTPError as error:
        what = "no connection to the page" if isinstance(error, httpx.ConnectError) else "the connection broke off"
        raise Fault(ErrorKind.TARGET, f"{what}: {str(error)[:100] or type(error).__name__}") from error


async def _get_from(address: str, url: httpx.URL, host: str, max_bytes: int, timeout_s: float) -> HttpReply:
    """Get `url` from one address of its host. The certificate is that of the host, whatever the address."""
    connect_s = min(timeout_s, _CONNECT_S)
    request = httpx.Request(
        "GET",
        url.copy_with(host=address),
        headers={**_HEADERS, "host": url.netloc.decode("ascii")},
        extensions={
            "timeout": {"connect": connect_s, "read": timeout_s, "write": timeout_s, "pool": timeout_s},
            "sni_hostname": host,
        },
    )
    # In a thread: the first time, it takes dozens of milliseconds.
    tls = await asyncio.to_thread(tls_context)
    # A transport of its own for each request: connections to one address under two names must not be mixed up.
    async with httpx.AsyncHTTPTransport(verify=tls, http2=True, trust_env=False) as transport:
        response = await transport.handle_async_request(request)
        try:
            body, truncated = await read_body(response, max_bytes)
        finally:
            await response.aclose()
    return HttpReply(response.status_code, response.headers, body, truncated)
