"""HTTP/2, which vendors offer over TLS: the transport speaks it where it is offered, one connection for many calls."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, StreamEnded

from agentcompass_websearch.tools.transport import Transport, tls_context
from agentcompass_websearch.tools.wire import HttpRequest
from tests.support.certificates import write_certificate


class Http2Server:
    """Answers each request with its path, once `together` of them are there."""

    def __init__(self, together: int) -> None:
        self.connections = 0
        self.keys: set[str] = set()
        self._together = together
        self._paths: dict[int, str] = {}

    async def serve(self, incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        outgoing.write(connection.data_to_send())
        ended: list[int] = []
        while data := await incoming.read(65536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    headers = dict(event.headers)
                    self._paths[event.stream_id] = headers[":path"]
                    self.keys.add(headers["x-api-key"])
                elif isinstance(event, StreamEnded):
                    ended.append(event.stream_id)
            if len(ended) == self._together:
                for stream in ended:
                    connection.send_headers(stream, [(":status", "200"), ("x-request-id", f"r{stream}")])
                    connection.send_data(stream, self._paths[stream].encode(), end_stream=True)
            outgoing.write(connection.data_to_send())
        outgoing.close()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A certificate of 127.0.0.1 that this process trusts."""
    path = write_certificate(tmp_path / "server.pem", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    tls_context.cache_clear()
    yield path
    tls_context.cache_clear()


async def test_many_calls_share_one_connection(certificate: Path) -> None:
    offered = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    offered.load_cert_chain(certificate)
    offered.set_alpn_protocols(["h2", "http/1.1"])
    answering = Http2Server(together=20)
    transport = Transport()
    async with await asyncio.start_server(answering.serve, "127.0.0.1", 0, ssl=offered) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        requests = [HttpRequest("GET", f"{url}/{n}", headers={"x-api-key": "key-0123"}) for n in range(20)]
        replies = await asyncio.gather(*map(transport.exchange, requests))
        await transport.aclose()
    assert [reply.text for reply in replies] == [f"/{n}" for n in range(20)]
    assert all(reply.request_id for reply in replies)
    assert (answering.connections, answering.keys) == (1, {"key-0123"})
