"""Which URLs may be given to a fetching vendor: public http(s) ones only, decided on the parsed host, not on its text.

Nothing is resolved here: the vendor does the fetching. A name that resolves to a private address is the vendor's to
refuse; what is refused here is every spelling of an address or name that can only be internal.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

import idna

type _Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_MAX_URL_CHARS: Final = 4096
_NOT_IN_URLS: Final = re.compile(r"[\s\x00-\x20\x7f\\]")
_JOINERS: Final = re.compile("[\u200c\u200d]")
_NUMBER: Final = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)")
_MAX_HOST_CHARS: Final = 253
_INTERNAL_NAMES: Final = (
    *("localhost", "localdomain", "local", "internal", "intranet", "private", "lan", "home", "home.arpa", "corp"),
    # Names of services in a cluster, of the metadata server of a cloud beside its .internal ones, and hidden services.
    *("svc", "consul", "metadata.goog", "onion"),
)
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
# What `is_global` takes for public, in some or all versions of Python, and is not: addresses of protocols and of
# relays (RFC 6890, RFC 7526), for documentation (RFC 9637), and those that a cloud answers for itself.
_NOT_PUBLIC: Final = tuple(
    map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20"))
)


def why_not_public(url: str) -> str | None:
    """Return why `url` must not be fetched, in a few words for the model; None if it may be."""
    if len(url) > _MAX_URL_CHARS:
        return f"the URL is longer than {_MAX_URL_CHARS} characters"
    if _NOT_IN_URLS.search(url):
        return "the URL holds a blank, a control character or a backslash"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return "the URL is malformed"
    if port == 0:
        return "the URL is malformed"
    if parts.scheme.lower() not in ("http", "https"):
        return "only http and https URLs can be fetched"
    return _why_not_host(parts, host)


def _why_not_host(parts: SplitResult, host: str) -> str | None:
    host = _plain(unquote(host)).rstrip(".")
    if not host:
        return "the URL names no host"
    if "@" in parts.netloc:
        return "the URL holds a user name"
    address = _address(host)
    if address is not None:
        return None if is_public_address(address) else "the address is not public"
    if re.search(r"[\s\x00-\x20/?#@:%\[\]]", host) or _ends_in_number(host):
        return "the host is malformed"
    if "." not in host or any(host == name or host.endswith(f".{name}") for name in _INTERNAL_NAMES):
        return "the host is not a public one"
    return None


def _plain(host: str) -> str:
    """Return `host` as it is looked up: in lower case, full-width forms as ASCII, without what is not seen (UTS 46).

    Empty for one that is too long, or has characters that no name may hold.
    """
    if len(host) > _MAX_HOST_CHARS:
        return ""
    if host.isascii():
        return host.lower()
    try:
        # Joiners are letters to some parsers and nothing to others.
        return idna.uts46_remap(_JOINERS.sub("", host), std3_rules=False)
    except UnicodeError:
        return ""


def is_public_address(address: _Address) -> bool:
    """Whether packets to `address` go to the public internet. IPv4 inside IPv6 is judged as the IPv4 address."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _nat64(address)
        if inner is not None:
            return is_public_address(inner)
        if address.teredo is not None or address.scope_id is not None or address not in _UNICAST:
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def _address(host: str) -> _Address | None:
    """Return the address that `host` spells, in any form that a resolver would read as one; None for a name."""
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            return None
    parts = host.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) and len(part) < 40 for part in parts):
        return None
    try:
        numbers = [_as_number(part) for part in parts]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        return None
    value = last
    for place, number in enumerate(first):
        value += number << (8 * (3 - place))
    return ipaddress.IPv4Address(value)


def _as_number(part: str) -> int:
    """Read a part of a numeric host as C's inet_aton does: hexadecimal, octal or decimal."""
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)


def _ends_in_number(host: str) -> bool:
    """A host whose last label is a number is an address or nothing (WHATWG URL Standard, "ends in a number")."""
    return _NUMBER.fullmatch(host.rsplit(".", 1)[-1]) is not None
