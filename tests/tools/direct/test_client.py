"""The direct reader against servers on loopback: redirects, addresses, caps, and what is sent."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agentcompass_websearch.records import Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest
from agentcompass_websearch.tools.direct import download, reading
from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.direct.download import MAX_REDIRECTS
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.testing import LoopbackServer, Reply, Request, html_reply, serving
from agentcompass_websearch.tools.testing.faults import SHAPES
from tests.support.certificates import write_certificate

type MakeReader = Callable[..., DirectClient]

TEXT = Reply(200, b"Send X-Acme-Key.", {"content-type": "text/plain"})


def port_of(server: LoopbackServer) -> int:
    return int(server.url.rpartition(":")[2])


def at(server: LoopbackServer, path: str = "/a", host: str = "docs.acme.example") -> FetchRequest:
    return FetchRequest(f"http://{host}:{port_of(server)}{path}")


def redirect(to: str, status: int = 302) -> Reply:
    return Reply(status, b"moved", {"location": to})


def failed(outcome: Outcome[Page], kind: ErrorKind) -> str:
    assert outcome.value is None
    assert outcome.error is not None
    assert outcome.error.kind is kind, outcome.error
    assert len(outcome.error.message) < 200
    return outcome.error.message


async def test_a_page_is_read_under_its_own_name(reader: MakeReader) -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return TEXT

    async with serving(handle) as server:
        request = at(server, "/a?b=c#part")
        outcome = await reader().fetch(request)
    assert outcome.value == Page(request.url, request.url, "", "Send X-Acme-Key.", 200)
    assert (outcome.tries, outcome.status, outcome.billed) == (1, 200, False)
    assert outcome.service_s is not None
    assert (seen[0].method, seen[0].path, seen[0].query, seen[0].body) == ("GET", "/a", {"b": "c"}, b"")
    assert seen[0].headers["host"] == f"docs.acme.example:{port_of(server)}"


async def test_nothing_is_sent_that_says_who_asks(reader: MakeReader, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        headers = {"set-cookie": "session=1; Path=/", "www-authenticate": "Basic", "location": "/next"}
        return Reply(302 if len(seen) == 1 else 200, b"text", headers)

    async with serving(handle) as server, serving(handle) as proxy:
        for name in ("HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.replace("//", "//user:secret@"))
        client = reader()
        for _ in range(2):
            assert (await client.fetch(at(server))).value is not None
    assert len(seen) == 3
    for request in seen:
        assert request.headers.keys() == {"host", "user-agent", "accept", "accept-language", "accept-encoding"}
        assert "agentcompass-websearch" in request.headers["user-agent"]


async def test_redirects_are_followed_to_the_page(reader: MakeReader) -> None:
    def handle(request: Request) -> Reply:
        if request.path == "/page":
            return TEXT
        port = request.headers["host"].rpartition(":")[2]
        steps = {"/1": "2", "/2": f"//www.acme.example:{port}/3", "/3": f"http://acme.example:{port}/page?q=%20"}
        return redirect(steps[request.path], 301 + len(request.path) % 2)

    async with serving(handle) as server:
        outcome = await reader().fetch(at(server, "/1"))
    assert outcome.value is not None
    assert outcome.value.final_url == f"http://acme.example:{port_of(server)}/page?q=%20"


async def test_redirects_without_end_are_given_up(reader: MakeReader) -> None:
    seen: list[str] = []

    def handle(request: Request) -> Reply:
        seen.append(request.path)
        return redirect(f"/{len(seen)}")

    async with serving(handle) as server:
        message = failed(await reader().fetch(at(server)), ErrorKind.TARGET)
    assert "more than 10 times" in message
    assert len(seen) == MAX_REDIRECTS + 1


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://017700000001:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.2]:{port}/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://localhost:{port}/",
        "http://100.64.0.1/",
        "http://10.0.0.5/",
        "http://user:secret@docs.acme.example:{port}/",
        "http://inside.acme.example:{port}/",
        "http://mixed.acme.example:{port}/",
        "file:///etc/passwd",
        "ftp://docs.acme.example/",
        "gopher://docs.acme.example/",
        "data:text/plain,x",
        "javascript:alert(1)",
    ],
)
async def test_a_redirect_to_what_is_not_public_is_refused(reader: MakeReader, target: str) -> None:
    seen: list[str] = []
    elsewhere = {"inside.acme.example": ["10.0.0.5"], "mixed.acme.example": ["127.0.0.1", "127.0.0.2"]}

    def handle(request: Request) -> Reply:
        seen.append(request.path)
        return redirect(target.format(port=request.headers["host"].rpartition(":")[2]))

    async with serving(handle) as server:
        failed(await reader(elsewhere).fetch(at(server)), ErrorKind.NOT_PUBLIC)
    assert seen == ["/a"]


@pytest.mark.parametrize("target", ["http://[::1/", "http://docs.acme.example:99999/", "http://a b/"])
async def test_a_redirect_to_nonsense_is_no_page(reader: MakeReader, target: str) -> None:
    async with serving(lambda request: redirect(target)) as server:
        outcome = await reader().fetch(at(server))
    assert outcome.error is not None
    assert outcome.error.kind in (ErrorKind.TARGET, ErrorKind.NOT_PUBLIC)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://0:{port}/",
        "http://localhost.:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://127.0.0.1.nip.example:{port}/",
        "http://docs.acme.example@127.0.0.1:{port}/",
    ],
)
async def test_by_default_nothing_here_is_read(url: str) -> None:
    """The resolver is a stand-in that knows this machine for every name; the rule is the real one."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    seen: list[Request] = []
    async with serving(lambda request: seen.append(request) or TEXT) as server:  # type: ignore[func-returns-value]
        outcome = await DirectClient(network=Network(resolve)).fetch(FetchRequest(url.format(port=port_of(server))))
    failed(outcome, ErrorKind.NOT_PUBLIC)
    assert outcome.tries == 0
    assert seen == []


async def test_a_name_is_looked_up_once_and_its_checked_address_connected_to() -> None:
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    async with serving(lambda request: TEXT) as server:
        client = DirectClient(network=Network(rebinding, lambda address: str(address) == "127.0.0.1"))
        assert (await client.fetch(at(server))).value is not None
        assert asked == ["docs.acme.example"]
        failed(await client.fetch(at(server)), ErrorKind.NOT_PUBLIC)


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.2", "127.0.0.1"]

    async with serving(lambda request: TEXT) as server:
        outcome = await DirectClient(network=Network(resolve, lambda address: True)).fetch(at(server))
        assert outcome.value is not None
        url = at(server)
    failed(await DirectClient(network=Network(resolve, lambda address: True)).fetch(url), ErrorKind.TARGET)


async def test_the_certificate_must_be_that_of_the_host_not_of_the_address(
    reader: MakeReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def answer(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        await incoming.readuntil(b"\r\n\r\n")
        outgoing.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntext")
        outgoing.close()

    certificate = write_certificate(tmp_path / "server.pem", "docs.acme.example")
    ours = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ours.load_cert_chain(certificate)
    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=ours) as server:
        url = f"https://{{}}.acme.example:{server.sockets[0].getsockname()[1]}/"
        assert "self-signed" in failed(await reader().fetch(FetchRequest(url.format("docs"))), ErrorKind.TARGET)
        trusting = ssl.create_default_context(cafile=certificate)
        monkeypatch.setattr(download, "tls_context", lambda: trusting)
        outcome = await reader().fetch(FetchRequest(url.format("docs")))
        assert outcome.value is not None
        assert outcome.value.content == "text"
        assert "Hostname mismatch" in failed(await reader().fetch(FetchRequest(url.format("www"))), ErrorKind.TARGET)


@pytest.mark.parametrize("shape", ["bomb", "endless"])
async def test_a_body_without_end_is_cut_and_says_so(reader: MakeReader, shape: str) -> None:
    body = {"bomb": SHAPES["bomb"](Reply()), "endless": Reply(chunks=lambda: itertools.repeat(b"words " * 1000))}[shape]
    async with serving(lambda request: body) as server:
        outcome = await reader(max_bytes=100_000).fetch(at(server))
    assert outcome.value is not None
    assert outcome.value.content.endswith("[truncated: the page was too long]")
    assert 99_000 < len(outcome.value.content) < 101_000


async def test_more_bytes_than_announced_are_not_read(reader: MakeReader) -> None:
    long = Reply(200, b"0123456789" * 1000, {"content-length": "10", "content-type": "text/plain"})
    async with serving(lambda request: long) as server:
        outcome = await reader().fetch(at(server))
    assert outcome.value is not None
    assert outcome.value.content == "0123456789"


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(chunks=lambda: itertools.repeat(b" "), chunk_wait_s=0.01)])
async def test_a_page_that_takes_too_long_is_given_up(reader: MakeReader, reply: Reply) -> None:
    async with serving(lambda request: reply) as server:
        assert "within 0.2 s" in failed(await reader(timeout_s=0.2).fetch(at(server)), ErrorKind.TARGET)
        outcome = await reader().fetch(at(server), deadline=time.monotonic() + 0.2)
        failed(outcome, ErrorKind.DEADLINE)
        async with asyncio.timeout(5):
            await server.until_open(0)
    past = await reader().fetch(at(server), deadline=time.monotonic())
    failed(past, ErrorKind.DEADLINE)
    assert past.tries == 0


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 500, 503, 304])
async def test_a_page_of_an_error_status_is_no_page(reader: MakeReader, status: int) -> None:
    async with serving(lambda request: html_reply("<p>Please solve the captcha</p>", status)) as server:
        outcome = await reader().fetch(at(server))
    assert f"HTTP {status}" in failed(outcome, ErrorKind.TARGET)
    assert outcome.status == status
    assert outcome.error is not None
    assert outcome.error.status == status


@pytest.mark.parametrize(
    "reply", [Reply(200, b"0123456789", cut=5), Reply(200, b"no gzip", {"content-encoding": "gzip"}), Reply(200, b"")]
)
async def test_a_broken_page_is_no_page(reader: MakeReader, reply: Reply) -> None:
    async with serving(lambda request: reply) as server:
        failed(await reader().fetch(at(server)), ErrorKind.TARGET)


async def test_what_is_no_http_is_no_page(reader: MakeReader) -> None:
    async def answer(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        outgoing.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        outgoing.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        failed(await reader().fetch(FetchRequest(f"http://docs.acme.example:{port}/")), ErrorKind.TARGET)


async def test_a_page_that_breaks_the_reader_is_no_page(reader: MakeReader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: str) -> None:
        raise RecursionError

    monkeypatch.setattr(reading, "read_html", fail)
    async with serving(lambda request: html_reply("<p>deep</p>")) as server:
        assert "RecursionError" in failed(await reader().fetch(at(server)), ErrorKind.TARGET)


async def test_nobody_listens(reader: MakeReader) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    message = failed(await reader().fetch(FetchRequest(f"http://docs.acme.example:{port}/")), ErrorKind.TARGET)
    assert "no connection" in message


async def test_thirty_pages_at_once_are_not_mixed_up(reader: MakeReader) -> None:
    async with serving(lambda request: Reply(200, request.headers["host"].encode() + request.path.encode())) as server:
        client = reader()
        requests = [at(server, f"/{n}", f"h{n % 3}.acme.example") for n in range(30)]
        outcomes = await asyncio.gather(*map(client.fetch, requests))
    for request, outcome in zip(requests, outcomes, strict=True):
        assert outcome.value is not None
        assert f"http://{outcome.value.content}" == request.url


async def test_it_does_not_search() -> None:
    outcome = await DirectClient().search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.BAD_REQUEST
