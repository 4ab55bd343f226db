"""A small HTTP/1.1 server on loopback that a test scripts: one function from request to reply, every byte its own.

It can do what a good server never does: answer halfway, hang, send without end, or send other bytes than it announced.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

_MAX_HEAD_BYTES: Final = 64 * 1024
_MAX_BODY_BYTES: Final = 16 * 1024 * 1024
_REASONS: Final = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Server Error"}


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived. Header names are in lower case; `query` holds the last value of each name."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent.

    The headers ``content-type`` and ``content-length`` are added unless given. With `chunks` the body is sent in chunks
    as the iterator yields them, `chunk_wait_s` apart; with `cut` the connection is closed after that many bytes of the
    body; `wait_s` passes before anything is sent; `hang` sends nothing until the client has gone.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Callable[[], Iterator[bytes]] | None = None
    chunk_wait_s: float = 0.0
    cut: int | None = None
    wait_s: float = 0.0
    hang: bool = False


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply with a JSON body."""
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json", **(headers or {})})


def html_reply(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply with an HTML body."""
    return Reply(status, text.encode(), {"content-type": "text/html; charset=utf-8", **(headers or {})})


Handler = Callable[[Request], Reply | Awaitable[Reply]]


class LoopbackServer:
    """Serves `handle` on 127.0.0.1 in the running event loop, as an async context manager.

    A handler that raises answers 500; `errors` keeps what it raised, for the test to look at.
    """

    def __init__(self, handle: Handler, port: int = 0) -> None:
        self._handle = handle
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._closed = asyncio.Event()
        self.errors: list[Exception] = []

    @property
    def url(self) -> str:
        """The base URL, without a slash at its end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def open_connections(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    async def until_open(self, most: int) -> None:
        """Wait until no more than `most` connections are open."""
        while self.open_connections > most:
            self._closed.clear()
            await self._closed.wait()

    async def __aenter__(self) -> LoopbackServer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, limit=_MAX_HEAD_BYTES)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            # The client goes away or sends no HTTP: nobody is left to be told. Cancelled: the server is closing.
            with contextlib.suppress(ConnectionError, EOFError, ValueError, asyncio.CancelledError):
                while await self._answer(await _read(reader), reader, writer):
                    pass
        finally:
            self._connections.discard(task)
            self._closed.set()
            writer.close()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send the reply; whether the connection stays open."""
        try:
            made = self._handle(request)
            reply = made if isinstance(made, Reply) else await made
        except Exception as error:  # noqa: BLE001 - the test asserts on `errors`; its client sees a 500
            self.errors.append(error)
            reply = Reply(500, repr(error).encode(), {"content-type": "text/plain"})
        if reply.wait_s:
            await asyncio.sleep(reply.wait_s)
        if reply.hang:
            await reader.read()
            return False
        writer.write(_head(reply))
        if reply.chunks is not None:
            for chunk in reply.chunks():
                writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                await writer.drain()
                await asyncio.sleep(reply.chunk_wait_s)
            writer.write(b"0\r\n\r\n")
        else:
            writer.write(reply.body if reply.cut is None else reply.body[: reply.cut])
        await writer.drain()
        return reply.cut is None and request.headers.get("connection", "").lower() != "close"


async def _read(reader: asyncio.StreamReader) -> Request:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as error:
        raise ValueError("the head of the request is too long") from error
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name
    }
    length = min(int(headers.get("content-length", "0")), _MAX_BODY_BYTES)
    body = await reader.readexactly(length)
    parts = urlsplit(target)
    return Request(method, parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), headers, body)


def _head(reply: Reply) -> bytes:
    headers = {"content-type": "text/plain; charset=utf-8", **{k.lower(): v for k, v in reply.headers.items()}}
    if reply.chunks is not None:
        headers["transfer-encoding"] = "chunked"
    else:
        headers.setdefault("content-length", str(len(reply.body)))
    lines = [
        f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}",
        *(f"{k}: {v}" for k, v in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


@contextlib.contextmanager
def in_thread(server: LoopbackServer) -> Iterator[LoopbackServer]:
    """Serve in a thread with an event loop of its own, for tests that are not async or that block."""
    ready = threading.Event()
    stop: list[Callable[[], object]] = []

    async def serve() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(ended.set))
        async with server:
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the loopback server did not start")
    try:
        yield server
    finally:
        stop[0]()
        thread.join(10)


@contextlib.asynccontextmanager
async def serving(handle: Handler) -> AsyncIterator[LoopbackServer]:
    """Serve `handle` in the running event loop."""
    async with LoopbackServer(handle) as server:
        yield server
