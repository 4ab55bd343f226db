"""The stand-in as an HTTP server on the loopback interface: a model list, and the same model over three protocols.

It does what it does well, unless it is asked to misbehave (see `mischief`).
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from agentcompass_websearch.sample.stand_in import anthropic_messages, openai_chat, openai_responses
from agentcompass_websearch.sample.stand_in.ledger import Ledger
from agentcompass_websearch.sample.stand_in.mischief import Mischief, Trick
from agentcompass_websearch.sample.stand_in.mood import Moods
from agentcompass_websearch.sample.stand_in.policy import next_move
from agentcompass_websearch.sample.stand_in.tricks import Reply
from agentcompass_websearch.sample.stand_in.utterance import Spent, utterance_of
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

    def __init__(self, port: int = 0, *, variation: int | None = None, mischief: Mischief | None = None) -> None:
        self.closing = threading.Event()  # first, for a port that cannot be had closes the server at once
        super().__init__(("127.0.0.1", port), _Handler)
        self.moods = Moods(variation)
        self.mischief = mischief or Mischief()
        self.ledger = Ledger()

    @property
    def base_url(self) -> str:
        """The address that OpenAI clients take as their base URL; Anthropic's take it without ``/v1``."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that have gone: that they do is theirs to tell."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Close, and let go of connections that hang."""
        self.closing.set()
        super().server_close()

    def answer(self, path: str, body: Any) -> dict[str, Any]:
        """Return the response to a POST.

        Raises:
            BadRequest: no such path, no such model, or a body that cannot be answered.
        """
        return self.answer_with(None, path, body)[0]

    def answer_with(self, trick: Trick | None, path: str, body: Any) -> tuple[dict[str, Any], Spent]:
        """Return the response to a POST under a trick, and its tokens; raises as `answer` does."""
        protocol = _PROTOCOLS.get(path)
        if protocol is None:
            raise BadRequest(f"no such path; there are /v1/models and {', '.join(_PROTOCOLS)}", 404)
        if not isinstance(body, dict):
            raise BadRequest("the body must be a JSON object")
        if body.get("model") != MODEL:
            raise BadRequest(f"there is no model {body.get('model')!r} here; this server is {MODEL}", 404)
        heard = protocol.read_request(body)
        refusal = trick.refusal(body) if trick else None
        if trick and refusal:
            self.ledger.note_trick(trick.name)
            raise refusal
        mood = heard.mood(self.moods)
        name = call_id(mood, len(heard.exchanges))
        meant = said = utterance_of(next_move(heard.conversation, mood), name)
        if trick and (said := trick.changed(meant)) != meant:
            self.ledger.note_trick(trick.name)
        cost = protocol.spent(body, said)
        return protocol.write_utterance(body, said, name, cost), cost


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
            self._send(_json_reply({"object": "list", "data": [model]}))
        elif self._path() == "/ledger":
            self._send(_json_reply(self.server.ledger.read()))
        else:
            self._refuse(BadRequest("no such path; there are /v1/models and /ledger", 404))

    def do_POST(self) -> None:
        ledger = self.server.ledger
        ledger.note_request()
        try:
            body = self._body()
            trick = self.server.mischief.draw(body) if isinstance(body, dict) else None
            answer, spent = self.server.answer_with(trick, self._path(), body)
        except BadRequest as error:
            self._refuse(error)
            return
        meant = _json_reply(answer)
        reply = trick.spoiled(meant) if trick else meant
        if trick and reply != meant:
            ledger.note_trick(trick.name)
        if (reply.body, reply.half, reply.silent) == (meant.body, False, False):
            # Before it is sent: whoever has it may look at once.
            ledger.note_answer(spent)
        self._send(reply)

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
        after = {} if error.retry_after_s is None else {"Retry-After": f"{error.retry_after_s:g}"}
        self._send(_json_reply(protocol.write_error(error) if protocol else openai_error(error), error.status, after))

    def _send(self, reply: Reply) -> None:
        self.close_connection = self.close_connection or reply.silent or reply.half
        if reply.wait_s:
            self.server.closing.wait(reply.wait_s)
        if reply.silent:
            return
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.half else reply.body)
        self.wfile.flush()


def _json_reply(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
