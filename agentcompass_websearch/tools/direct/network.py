"""From a host's name to addresses that may be connected to: all of them public, or none of them is used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.safety import is_public_address
from agentcompass_websearch.tools.wire import Fault

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return all addresses that the system knows for `host`, in its order of preference.

    Raises:
        OSError: it knows none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(item[4][0]) for item in found]


@dataclass(frozen=True, slots=True)
class Network:
    """How names become addresses, and which of them may be connected to. Only tests use another than the default."""

    resolve: Callable[[str, int], Awaitable[Sequence[str]]] = system_resolver
    is_allowed: Callable[[Address], bool] = is_public_address

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return the addresses of `host`, each once. Connect to these: a resolver asked again may answer otherwise.

        Raises:
            Fault: NOT_PUBLIC if any of them is not public; TARGET if there is none.
        """
        try:
            found = [ipaddress.ip_address(text) for text in await self.resolve(host, port)]
        except (OSError, ValueError) as error:
            raise Fault(ErrorKind.TARGET, f"the host {host} is not known") from error
        if not all(map(self.is_allowed, found)):
            raise Fault(ErrorKind.NOT_PUBLIC, "the host has an address that is not public")
        if not found:
            raise Fault(ErrorKind.TARGET, f"the host {host} is not known")
        return tuple(dict.fromkeys(map(str, found)))

    async def leads_inside(self, host: str, wait_s: float) -> bool:
        """Whether a name is known within `wait_s` and has an address that is not public."""
        try:
            async with asyncio.timeout(wait_s):
                await self.addresses(host, 443)
        except Fault as fault:
            return fault.kind is ErrorKind.NOT_PUBLIC
        except TimeoutError:
            pass
        return False
