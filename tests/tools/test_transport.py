from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator

import pytest

from agentcompass_websearch.tools import transport as transport_module
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.testing import Reply, Request, html_reply, in_thread, json_reply, serving
from agentcompass_websearch.tools.testing.faults import SHAPES
from agentcompass_websearch.tools.testing.server import LoopbackServer
from agentcompass_websearch.tools.transport import Transport, shared_transport, tls_context
from agentcompass_websearch.tools.wire import Fault, HttpRequest

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    made = Transport(max_body_bytes=100_000)
    yield made
    await made.aclose()


async def failure(transport: Transport, request: HttpRequest, **given: float) -> Fault:
    with pytest.raises(Fault) as caught:
        await transport.exchange(request, **given)  # type: ignore[arg-type]
    return caught.value


async def test_requests_arrive_as_they_were_built(transport: Transport) -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return json_reply({"ok": True}, 201, {"x-request-id": "r1"})

    async with serving(handle) as server:
        reply = await transport.exchange(
            HttpRequest("POST", f"{server.url}/a b", json={"q": "ü"}, params={"n": 1}, headers={"x-api-key": "k"})
        )
        await transport.exchange(HttpRequest("POST", server.url, form={"q": "x y"}))
        await transport.exchange(HttpRequest("GET", server.url, params={"q": "a&b"}))
    assert (reply.status, reply.json(), reply.request_id) == (201, {"ok": True}, "r1")
    first, form, get = seen
    assert (first.path, first.query, first.json()) == ("/a%20b", {"n": "1"}, {"q": "ü"})
    assert first.headers["x-api-key"] == "k"
    assert first.headers["accept-encoding"] == "gzip, deflate"
    assert first.headers["user-agent"].startswith("agentcompass-websearch/")
    assert form.body == b"q=x+y"
    assert (get.query, get.body) == ({"q": "a&b"}, b"")


async def test_connections_are_kept_and_cookies_are_not(transport: Transport) -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return json_reply({}, headers={"set-cookie": "session=1; Path=/"})

    async with serving(handle) as server:
        for _ in range(3):
            await transport.exchange(HttpRequest("GET", server.url))
            assert server.open_connections == 1
    assert all("cookie" not in request.headers for request in seen)


async def test_redirects_are_not_followed(transport: Transport) -> None:
    async with serving(lambda request: SHAPES["redirect"](Reply())) as server:
        assert (await transport.exchange(HttpRequest("GET", server.url))).status == 302


@pytest.mark.parametrize("shape", ["bomb", "endless"])
async def test_a_body_without_end_is_cut_at_the_cap(transport: Transport, shape: str) -> None:
    async with serving(lambda request: SHAPES[shape](Reply())) as server:
        reply = await transport.exchange(HttpRequest("GET", server.url))
    assert reply.truncated
    assert len(reply.body) == 100_000


async def test_more_bytes_than_announced_are_not_read(transport: Transport) -> None:
    long = Reply(200, b"0123456789" * 1000, {"content-length": "10"})
    async with serving(lambda request: long) as server:
        assert (await transport.exchange(HttpRequest("GET", server.url))).body == b"0123456789"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(hang=True), ErrorKind.TIMEOUT),
        (Reply(wait_s=5), ErrorKind.TIMEOUT),
        (Reply(200, b"0123456789", cut=5), ErrorKind.CONNECT),
        (Reply(200, b"not gzip", {"content-encoding": "gzip"}), ErrorKind.UNREADABLE),
    ],
)
async def test_broken_exchanges(transport: Transport, reply: Reply, kind: ErrorKind) -> None:
    async with serving(lambda request: reply) as server:
        fault = await failure(transport, HttpRequest("GET", server.url, timeout_s=0.2))
    assert fault.kind is kind


async def test_a_slow_trickle_ends_at_the_time_cap(transport: Transport) -> None:
    trickle = Reply(200, chunks=lambda: itertools.repeat(b" "), chunk_wait_s=0.02)
    async with serving(lambda request: trickle) as server:
        fault = await failure(transport, HttpRequest("GET", server.url, timeout_s=30), timeout_s=0.2)
    assert fault.kind is ErrorKind.TIMEOUT


async def test_nobody_listens(transport: Transport) -> None:
    async with serving(lambda request: Reply()) as server:
        url = server.url
    fault = await failure(transport, HttpRequest("GET", url))
    assert fault.kind is ErrorKind.CONNECT
    assert "cannot connect" in fault.message


@pytest.mark.parametrize(
    "request_",
    [
        HttpRequest("GET", "http://[::1"),
        HttpRequest("GET", "ftp://127.0.0.1/"),
        HttpRequest("GET", "/no-host"),
        HttpRequest("GET", "http://127.0.0.1:9/", headers={"x-api-key": "schlüssel"}),
        HttpRequest("POST", "http://127.0.0.1:9/", json={"q": "\ud835"}),
        HttpRequest("POST", "http://127.0.0.1:9/", json={"q": object()}),
    ],
)
async def test_what_cannot_be_sent_is_a_fault_that_quotes_no_key(transport: Transport, request_: HttpRequest) -> None:
    fault = await failure(transport, request_)
    assert fault.kind is ErrorKind.MISCONFIGURED
    assert "schl" not in fault.message


async def test_a_key_that_no_header_can_carry_is_not_quoted(transport: Transport) -> None:
    async with serving(lambda request: Reply()) as server:
        fault = await failure(transport, HttpRequest("GET", server.url, headers={"x-api-key": "secret\nkey"}))
    assert fault.kind is ErrorKind.MISCONFIGURED
    assert "secret" not in fault.message


async def test_cancelling_closes_the_connection(transport: Transport) -> None:
    arrived = asyncio.Event()

    def handle(request: Request) -> Reply:
        if request.path == "/hang":
            arrived.set()
            return Reply(hang=True)
        return json_reply({})

    async with serving(handle) as server:
        task = asyncio.create_task(transport.exchange(HttpRequest("GET", f"{server.url}/hang")))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await transport.exchange(HttpRequest("GET", server.url))).status == 200
        async with asyncio.timeout(5):
            await server.until_open(1)


async def test_fifty_calls_at_once_each_get_their_own_reply(transport: Transport) -> None:
    def handle(request: Request) -> Reply:
        return json_reply(request.query, headers={"x-request-id": request.query["n"]})

    async with serving(handle) as server:
        requests = [HttpRequest("GET", server.url, params={"n": number}) for number in range(50)]
        replies = await asyncio.gather(*map(transport.exchange, requests))
    assert [reply.request_id for reply in replies] == [str(number) for number in range(50)]


async def test_the_proxy_of_the_environment_is_used_but_not_for_loopback(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied: list[str] = []

    def handle(request: Request) -> Reply:
        proxied.append(request.path or request.headers["host"])
        return html_reply("from the proxy")

    async with serving(handle) as proxy, serving(lambda request: json_reply({"direct": True})) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        direct = await transport.exchange(HttpRequest("GET", server.url))
        assert direct.json() == {"direct": True}
        assert proxied == []
        reply = await transport.exchange(HttpRequest("GET", "http://api.acme.example/search"))
        assert reply.text == "from the proxy"
        fault = await failure(transport, HttpRequest("GET", "http://api.acme.example/", timeout_s=2), env_proxies=False)
        assert fault.kind in (ErrorKind.CONNECT, ErrorKind.TIMEOUT)
        assert len(proxied) == 1


@pytest.mark.parametrize(
    "environment",
    [{"ALL_PROXY": "socks5://127.0.0.1:1080"}, {"HTTP_PROXY": "socks5h://127.0.0.1:1080", "NO_PROXY": "localhost"}],
)
async def test_a_socks_proxy_without_its_library_gives_one_clear_message(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    async with serving(lambda request: json_reply({})) as server:
        assert (await transport.exchange(HttpRequest("GET", server.url))).status == 200
    fault = await failure(transport, HttpRequest("GET", "http://api.acme.example/"))
    assert fault.kind is ErrorKind.MISCONFIGURED
    assert "httpx[socks]" in fault.message
    monkeypatch.setenv("NO_PROXY", "*")
    assert (await failure(transport, HttpRequest("GET", "http://127.0.0.2:9/"))).kind is ErrorKind.CONNECT


@pytest.mark.parametrize(
    "environment",
    [
        {"ALL_PROXY": "socks4://user:canary-password@127.0.0.1:1080"},
        {"HTTP_PROXY": "http://user:canary-password@[::1"},
        {"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "[::1"},
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told_without_its_password(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    fault = await failure(transport, HttpRequest("GET", "http://api.acme.example/"))
    assert fault.kind is ErrorKind.MISCONFIGURED
    assert "HTTPS_PROXY" in fault.message
    assert "env_proxies" in fault.message
    assert "canary" not in fault.message


async def test_a_port_of_a_proxy_that_there_cannot_be(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:99999")
    fault = await failure(transport, HttpRequest("GET", "http://api.acme.example/"))
    assert (fault.kind, fault.message) == (ErrorKind.CONNECT, "cannot connect: connect(): port must be 0-65535.")


@pytest.mark.parametrize(("status", "kind"), [(407, ErrorKind.MISCONFIGURED), (502, ErrorKind.CONNECT)])
async def test_a_proxy_that_lets_nobody_through_is_not_asked_again_if_it_says_that_it_is_us(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, status: int, kind: ErrorKind
) -> None:
    async with serving(lambda request: Reply(status)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        fault = await failure(transport, HttpRequest("GET", "https://api.acme.example/"))
    assert fault.kind is kind
    assert f"refused: {status}" in fault.message


async def test_certificates_that_cannot_be_read(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    tls_context.cache_clear()
    fault = await failure(transport, HttpRequest("GET", "https://api.acme.example/"))
    assert fault.kind is ErrorKind.MISCONFIGURED
    assert "SSL_CERT_FILE" in fault.message


def test_importing_builds_no_client_and_one_tls_context_serves_all() -> None:
    program = """
import asyncio, os, httpx, sys
os.environ["ALL_PROXY"] = "socks5://127.0.0.1:1080"
built = []
httpx.AsyncClient.__init__ = lambda self, **given: built.append(given)
import agentcompass_websearch.tools.vendors.exa
import agentcompass_websearch.tools.transport as transport
assert not built
contexts = []
real = httpx.create_ssl_context
httpx.create_ssl_context = lambda: contexts.append(1) or real()
assert transport.tls_context() is transport.tls_context() and len(contexts) == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


async def test_one_transport_for_each_event_loop() -> None:
    async def own() -> Transport:
        return shared_transport()

    here = shared_transport()
    assert shared_transport() is here
    other = await asyncio.to_thread(asyncio.run, own())
    assert other is not here
    assert shared_transport() is here
    assert [transport for transport, _ in transport_module._shared.values()] == [here], "the other loop's is forgotten"


@pytest.mark.parametrize("ends", ["well", "cancelled"])
def test_the_shared_transport_is_closed_with_its_loop(ends: str) -> None:
    """Nothing is left to be cleaned up, which would be told as a ResourceWarning, and nobody has to close it."""
    used: list[Transport] = []

    async def own(url: str) -> None:
        transport = shared_transport()
        used.append(transport)
        await transport.exchange(HttpRequest("GET", url))
        if ends == "cancelled":
            waiting = asyncio.create_task(transport.exchange(HttpRequest("GET", f"{url}/hang")))
            await asyncio.sleep(0.01)
            assert not waiting.done()

    serving_both = in_thread(LoopbackServer(lambda request: Reply(hang=request.path == "/hang")))
    with serving_both as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        asyncio.run(own(server.url))
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
    assert used[0]._clients == {}


async def test_logs_hold_no_url_and_no_key(transport: Transport, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(lambda request: json_reply({}, headers={"x-echo": "echoed-secret-4"})) as server:
        url = f"{server.url}/path-secret-1"
        headers = {"x-api-key": "header-secret-2"}
        await transport.exchange(HttpRequest("GET", url, params={"key": "query-secret-3"}, headers=headers))
    ours = [record for record in caplog.records if record.name.startswith("agentcompass.plugins.websearch")]
    assert [record.getMessage()[:16] for record in ours] == ["GET 127.0.0.1: 2"]
    assert "secret" not in caplog.text


async def test_what_libraries_log_of_headers_is_dropped_for_our_requests_only(
    transport: Transport, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(lambda request: json_reply({})) as server:
        await transport.exchange(HttpRequest("GET", server.url))
    names = ("hpack.hpack", "hpack.table", "httpcore.http2", "httpcore.proxy", "httpx")
    for name in names:
        caplog.set_level(logging.DEBUG, logger=name)  # the host, where it is loaded, sets levels of its own
    sending = transport_module._sending.set(True)
    for name in names:
        logging.getLogger(name).debug("header of ours")
    transport_module._sending.reset(sending)
    for name in names:
        logging.getLogger(name).debug("header of others")
    assert "header of ours" not in caplog.text
    assert caplog.text.count("header of others") == len(names)
