"""A model server on loopback that speaks all three wires from a script, and fails in every way that servers do.

    with FakeModel(calls(call("web_search", {"query": "acme"})), says("done")) as model:
        ...  # use model.base_url
    assert model.bodies[1]["messages"][-1]["role"] == "tool"

The replies are given in order, one a request; a function in place of a reply is asked with the request's body. After
the last one comes `then`, if there is one, else an error that the test will see. A function as `then` makes a model
that answers any number of attempts at the same time. What is said, and each error, goes out in the form of the wire
that was asked; `sends` sends what it is given over any of them.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.support.model_wires import CHAT, Said, refusal, written, written_error

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
_JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Reply:
    """What the server does with one request. `cut` sends only half of the body; `hang` and `drop` send nothing.

    `write` makes the body for the path that was asked; without it, the body is `raw`.
    """

    raw: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    drop: bool = False
    write: Callable[[str], Mapping[str, Any]] | None = None

    def body(self, path: str = CHAT) -> bytes:
        """Return what is sent in reply to a request at `path`."""
        return json.dumps(self.write(path)).encode() if self.write else self.raw


type Step = Reply | Callable[[dict[str, Any]], Reply]


@dataclass(frozen=True)
class Request:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


def sends(body: object, status: int = 200, **headers: str) -> Reply:
    """Reply with any JSON, or with text as it is."""
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    kind = "text/html" if raw[:1] == b"<" else "application/json"
    return Reply(raw, status, {"content-type": kind} | {k.replace("_", "-"): v for k, v in headers.items()})


def answers(message: Mapping[str, Any], finish_reason: str | None, usage: object = USAGE) -> Reply:
    """Reply with this message, given as in Chat Completions."""
    said = Said(message, finish_reason, usage)
    return Reply(headers=_JSON, write=lambda path: written(said, path))


def says(text: str, finish_reason: str = "stop", usage: object = USAGE, **more: Any) -> Reply:
    """Reply with text."""
    return answers({"content": text, **more}, finish_reason, usage)


def call(name: str, arguments: object, call_id: str | None = None) -> dict[str, Any]:
    """Make one tool call; a mapping of arguments is encoded, anything else is sent as it is."""
    encoded = json.dumps(arguments) if isinstance(arguments, dict) else arguments
    made = {"type": "function", "function": {"name": name, "arguments": encoded}}
    return made if call_id is None else {"id": call_id, **made}


def calls(*made: dict[str, Any], finish_reason: str = "tool_calls", usage: object = USAGE, **more: Any) -> Reply:
    """Reply with tool calls; those without an id get one of their own."""
    named = [{"id": f"c{number}", **item} for number, item in enumerate(made, 1)]
    return answers({"content": None, "tool_calls": named, **more}, finish_reason, usage)


def fails(status: int, message: str = "no", code: str | None = None, param: str | None = None, **headers: str) -> Reply:
    """Reply with an error."""
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    return Reply(
        status=status, headers=_JSON | named, write=lambda path: written_error(status, message, code, param, path)
    )


HANGS = Reply(hang=True)
DROPS = Reply(drop=True)


class FakeModel:
    """The server. `requests` holds what it was asked; with `strict` it refuses all that `model_wires.refusal` names."""

    def __init__(self, *script: Step, then: Step | None = None, strict: bool = False) -> None:
        self.requests: list[Request] = []
        self._script = list(script)
        self._then = then
        self._strict = strict
        self._arrival = threading.Condition()
        self.released = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of all requests so far."""
        return [request.body for request in self.requests]

    async def asked(self, times: int) -> None:
        """Return once it has been asked `times` times."""

        def wait() -> bool:
            with self._arrival:
                return self._arrival.wait_for(lambda: len(self.requests) >= times, timeout=30)

        assert await asyncio.to_thread(wait), f"asked {len(self.requests)} times, not {times}"

    def reply_to(self, request: Request) -> Reply:
        """Return what is done with a request."""
        with self._arrival:
            self.requests.append(request)
            self._arrival.notify_all()
            step = self._script.pop(0) if self._script else self._then
        refused = refusal(request.path, request.body) if self._strict else ""
        if refused:
            return fails(500, refused)
        if self.released.is_set():
            return DROPS
        if step is None:
            return fails(400, "the script of the fake model is at its end")
        return step if isinstance(step, Reply) else step(request.body)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that have gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = model.reply_to(Request(self.path, headers, body))
            if reply.hang:
                model.released.wait()
            if reply.hang or reply.drop:
                self.close_connection = True
                return
            self.send_response(reply.status)
            sent = reply.body(self.path)
            for name, value in {**reply.headers, "content-length": str(len(sent))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent[: len(sent) // 2] if reply.cut else sent)
            self.close_connection = reply.cut

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    return Handler
