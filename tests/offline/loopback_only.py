"""Makes this interpreter an offline machine: every socket to anything but loopback fails, and so does name look-up.

An audit hook sees the calls of every Python library, asyncio's included, and cannot be taken off again.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys

_installed = False


def install() -> None:
    """Cut this interpreter off from the network."""
    global _installed
    if not _installed:
        sys.addaudithook(_audit)
        _installed = True


def _audit(event: str, args: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = args[1]
        # A Unix socket has no tuple; sendmsg on a connected socket has no address.
        if isinstance(address, tuple) and not _is_loopback(address[0]):
            raise OSError(errno.ENETUNREACH, f"Network is unreachable: the tests allow loopback only, not {address[0]}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname") and not _needs_no_network(args[0]):
        raise socket.gaierror(socket.EAI_NONAME, f"Name or service not known: the tests look up no name ({args[0]!r})")


def _is_loopback(host: object) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _needs_no_network(host: object) -> bool:
    """Whether looking up `host` sends nothing: no host, localhost, or an address in figures."""
    if isinstance(host, bytes):
        host = host.decode("latin-1")
    if host in (None, "", "localhost"):
        return True
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True
