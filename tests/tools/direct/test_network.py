from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

import pytest

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.direct.network import Network, system_resolver
from agentcompass_websearch.tools.wire import Fault

PUBLIC = "93.184.216.34"
PUBLIC_V6 = "2606:2800:220:1::1"


def knowing(*addresses: str) -> Network:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return Network(resolve)


async def refusal(network: Network, host: str = "docs.acme.example") -> Fault:
    with pytest.raises(Fault) as caught:
        await network.addresses(host, 443)
    return caught.value


async def test_public_addresses_are_kept_in_order_and_once() -> None:
    network = knowing(PUBLIC_V6, PUBLIC, PUBLIC_V6)
    assert await network.addresses("docs.acme.example", 443) == (PUBLIC_V6, PUBLIC)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.5",
        "172.16.3.4",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.127.255.255",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "::ffff:10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "fd00::1",
        "fd00:ec2::254",
        "fe80::1%eth0",
        "fe80::1",
        "ff02::1",
        "fec0::1",
        "3fff::1",
        "5f00::1",
        "192.0.0.192",
        "192.88.99.1",
        "168.63.129.16",
    ],
)
async def test_one_address_that_is_not_public_refuses_the_host(address: str) -> None:
    for addresses in ([address], [PUBLIC, address], [address, PUBLIC_V6]):
        assert (await refusal(knowing(*addresses))).kind is ErrorKind.NOT_PUBLIC


@pytest.mark.parametrize("addresses", [[], ["no address"]])
async def test_a_host_without_an_address_cannot_be_read(addresses: list[str]) -> None:
    fault = await refusal(knowing(*addresses))
    assert fault.kind is ErrorKind.TARGET
    assert "docs.acme.example is not known" in fault.message


async def test_a_name_leads_inside_if_it_is_known_in_time_to_do_so() -> None:
    async def hang(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    assert not await Network(hang).leads_inside("docs.acme.example", 0.01)
    assert not await Network(hang).leads_inside("docs.acme.example", -1)
    assert await knowing("10.0.0.5").leads_inside("docs.acme.example", 5)
    assert not await knowing(PUBLIC).leads_inside("docs.acme.example", 5)
    assert not await knowing().leads_inside("docs.acme.example", 5)


async def test_a_name_that_the_resolver_refuses_cannot_be_read() -> None:
    async def fail(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert (await refusal(Network(fail))).kind is ErrorKind.TARGET


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
async def test_what_the_system_resolves_is_judged_by_its_address(host: str) -> None:
    assert all(ipaddress.ip_address(address).is_loopback for address in await system_resolver(host, 80))
    assert (await refusal(Network(), host)).kind is ErrorKind.NOT_PUBLIC
