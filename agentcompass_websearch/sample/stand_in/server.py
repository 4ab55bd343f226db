"""The stand-in as an HTTP server on the loopback interface: a model list, and the same model over three protocols."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from agentcompass_websearch.sample.stand_in import anthropic_messages, openai_chat, openai_responses
from agentcompass_websearch.sample.stand_in.mood import Moods
from agentcompass_websearch.sample.stand_in.policy import next_move
from agentcompass_websearch.sample.stand_in.wire import MODEL, OWNER, BadRequest, call_id, openai_error

MAX_BODY_BYTES: Final = 32 * 2**20
IDLE_S: Final = 120

_PROTOCOLS: Final = {
    "/v1/chat/completions": openai_chat,
    "/v1/responses": openai_responses,
    "/v1/messages": anthropic_messages,
}


class StandInServer(ThreadingHTTPServer):
    """Answers on a port of the loopback interface, each connection in a thread of its own. Port 0 takes a free one."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int = 0, *, variation: int | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.moods = Moods(variation)

    @property
    def base_url(self) -> str:
        """The address that OpenAI clients take as their base URL; Anthropic's take it without ``/v1``."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, path: str, body: Any) -> dict[str, Any]:
        """Return the response to a POST.

        Raises:
            BadRequest: no such path, no such model, or a body that cannot be answered.
        """
        protocol = _PROTOCOLS.get(path)
        if protocol is None:
            raise BadRequest(f"no such path; there are /v1/models and {', '.join(_PROTOCOLS)}", 404)
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object")
        if body.get("model") != MODEL:
            raise BadRequest(f"there is no model {body.get('model')!r} here; this server is {MODEL}", 404)
        heard = protocol.read_request(body)
        mood = heard.mood(self.moods)
        response: dict[str, Any] = protocol.write_response(
            body, next_move(heard.conversation, mood), call_id(mood, len(heard.exchanges))
        )
        return response


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    wbufsize = -1
    server: StandInServer

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        if self._path() == "/v1/models":
            model = {"id": MODEL, "object": "model", "created": 0, "owned_by": OWNER}
            self._send(200, {"object": "list", "data": [model]})
        else:
            self._refuse(BadRequest("no such path; there is /v1/models", 404))

    def do_POST(self) -> None:
        try:
            self._send(200, self.server.answer(self._path(), self._body()))
        except BadRequest as error:
            self._refuse(error)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: requests belong to the run that sends them."""

    def _path(self) -> str:
        return self.path.partition("?")[0].rstrip("/")

    def _body(self) -> Any:
        try:
            length = int(self.headers.get("Content-Length") or "")
        except ValueError:
            self.close_connection = True
            raise BadRequest("a request needs a Content-Length", 411) from None
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            raise BadRequest(f"the body is larger than {MAX_BODY_BYTES} bytes", 413)
        try:
            return json.loads(self.rfile.read(length))
        except (ValueError, RecursionError):
            raise BadRequest("the body is not JSON that can be read") from None

    def _refuse(self, error: BadRequest) -> None:
        protocol = _PROTOCOLS.get(self._path())
        self._send(error.status, protocol.write_error(error) if protocol else openai_error(error))

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
