"""URL normalisation: when two spellings are the same page, for deduplicating hits and for grounding citations."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import quote

import idna

_PARTS: Final = re.compile(r"(?ai:(https?):)?//([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_HOST: Final = re.compile(r"[a-z0-9._~%!$&'()*+,;=-]+")
_MAX_HOST_CHARS: Final = 253
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}

_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/-]*")
_DOT_SEGMENT: Final = re.compile(r"/\.\.?(?:/|\Z)")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# A percent-encoded byte, or what must become some: lone percent signs, and what no path may hold as it is.
_CODED: Final = re.compile(r"%([0-9A-Fa-f]{2})|(?:%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9._~!$&'()*+,;=:@/\[\]%-])+")
_SPACE: Final = re.compile(r"\s+")

_TRACKING: Final = frozenset({"gclid", "fbclid", "msclkid", "srsltid"})
_TRACKING_PREFIX: Final = "utm_"


def normalise(url: str) -> str | None:
    """Return the one spelling of `url` that all spellings of the same page share; None if it is malformed.

    The result has the form ``//host[:port]/path?query#fragment``: without scheme, user info, ``www.``, default port,
    trailing slash, tracking parameters and ordinary fragment; fragments that route (``#/``, ``#!``) stay. It is
    itself valid input and its own normal form. Never raises; takes time linear in the length of `url`.

    Source of the rules: the published policy, "Grounded".
    """
    parts = _PARTS.fullmatch(url.strip())
    if parts is None:
        return None
    scheme, authority, path, query, fragment = parts.groups()
    site = _site(authority, _DEFAULT_PORTS.get((scheme or "").lower(), ""))
    if site is None:
        return None
    pairs = _spaceless(_query(query or ""))
    route = _spaceless(_route(fragment or ""))
    return f"//{site}{_path(path)}{'?' + pairs if pairs else ''}{'#' + route if route else ''}"


def split_query(normalised: str) -> tuple[str, bool]:
    """Return a normalised URL without its query, and whether it had one.

    A citation without a query also stands for the one observed URL that differs from it by its query only.
    """
    head, mark, fragment = normalised.partition("#")
    page, question, _ = head.partition("?")
    return page + mark + fragment, bool(question)


def _site(authority: str, default_port: str) -> str | None:
    """Return ``host[:port]``, or None if there is no valid one."""
    address = authority.rpartition("@")[2]
    if address.startswith("["):
        literal, bracket, port = address[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return None
        host, port = _ipv6(literal), port[1:]
    else:
        name, _, port = address.partition(":")
        host = _name(name)
    number = port.lstrip("0") if port.isascii() and port.isdigit() else port and None
    if host is None or number is None or len(number) > 5 or int(number or 0) > 65535:
        return None
    return host if number in ("", default_port) else f"{host}:{number}"


def _name(host: str) -> str | None:
    if len(host) > _MAX_HOST_CHARS:
        return None
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode()
        except UnicodeError:
            return None
    host = host.lower().rstrip(".")
    while host.startswith("www."):
        host = host[4:]
    return host if _HOST.fullmatch(host) else None


def _ipv6(literal: str) -> str | None:
    try:
        return f"[{ipaddress.IPv6Address(literal).compressed}]"
    except ValueError:
        return None


def _path(path: str) -> str:
    if not _PLAIN_PATH.fullmatch(path):
        path = _CODED.sub(_recoded, path)
    if _DOT_SEGMENT.search(path):
        kept: list[str] = []
        for segment in path.split("/")[1:]:
            if segment == "..":
                del kept[-1:]
            elif segment != ".":
                kept.append(segment)
        path = "".join("/" + segment for segment in kept)
    return path.rstrip("/")


def _recoded(match: re.Match[str]) -> str:
    coded: str | None = match[1]
    if coded is None:
        return quote(match[0], safe="", errors="surrogatepass")
    byte = int(coded, 16)
    return chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"


def _spaceless(part: str) -> str:
    """Return `part` as written, but for white space, which no URL holds as it is."""
    return _SPACE.sub(lambda match: quote(match[0], safe=""), part)


def _query(query: str) -> str:
    pairs = []
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if (name or value) and name not in _TRACKING and not name.startswith(_TRACKING_PREFIX):
            pairs.append((name, value))
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def _route(fragment: str) -> str:
    """Return the fragment if it routes, up to a second ``#`` in it."""
    return fragment.partition("#")[0] if fragment.startswith(("/", "!")) else ""
