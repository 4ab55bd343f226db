"""What the scripted model of the chaos runs does to its responses, for each wire: signs and empties them, and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from agentcompass_websearch.sample.stand_in import anthropic_messages, openai_chat, openai_responses
from agentcompass_websearch.sample.stand_in.heard import Heard
from tests.support.model_wires import CHAT, MESSAGES, RESPONSES

type Body = dict[str, Any]


@dataclass(frozen=True)
class ChaosWire:
    """One protocol of model servers.

    Args:
        path: where requests go.
        module: reads requests and writes responses.
        sign: adds a text to a response, beside its call or its answer.
        empty: leaves nothing of a response but its usage and a text that counts as reasoning.
        items: the list in a response in which its tool calls stand.
        call_type: what a tool call there is called.
        id_name: where its id stands.
        tokens: what a response used.
        base_url: what the host is given, of the server's address.
    """

    path: str
    module: ModuleType
    sign: Callable[[Body, str], None]
    empty: Callable[[Body, str], None]
    items: Callable[[Body], list[Body]]
    call_type: str
    id_name: str
    tokens: Callable[[Mapping[str, Any]], int]
    base_url: str = "/v1"

    def read(self, body: Body) -> Heard:
        """Return what a request says."""
        heard: Heard = self.module.read_request(body)
        return heard

    def call(self, response: Body) -> Body:
        """Return the tool call in a response, to be changed in place."""
        return next(item for item in self.items(response) if item["type"] == self.call_type)

    def repeat_call(self, response: Body, times: int) -> None:
        """Let a response make its call several times more, each with an id of its own."""
        call = self.call(response)
        self.items(response).extend(call | {self.id_name: f"{call[self.id_name]}_{n}"} for n in range(times))


def _sign_chat(response: Body, text: str) -> None:
    message = response["choices"][0]["message"]
    message["content"] = f"{message['content'] or ''}\n{text}".strip()


def _empty_chat(response: Body, text: str) -> None:
    choice = response["choices"][0]
    choice["message"].update({"content": "", "tool_calls": None, "reasoning_content": text})
    choice["finish_reason"] = "stop"


def _said(text: str) -> Body:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [part]}


def _sign_responses(response: Body, text: str) -> None:
    first = response["output"][0]
    if first["type"] == "message":
        first["content"][0]["text"] += f"\n{text}"
    else:
        response["output"].insert(0, _said(text))


def _empty_responses(response: Body, text: str) -> None:
    summary = [{"type": "summary_text", "text": text}]
    response["output"] = [{"type": "reasoning", "id": "rs_0", "summary": summary, "encrypted_content": "c2VjcmV0"}]


def _sign_messages(response: Body, text: str) -> None:
    first = response["content"][0]
    if first["type"] == "text":
        first["text"] += f"\n{text}"
    else:
        response["content"].insert(0, {"type": "text", "text": text})


def _empty_messages(response: Body, text: str) -> None:
    response["content"] = [{"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}]
    response["stop_reason"] = "end_turn"


CHAOS_WIRES: Final[Mapping[str, ChaosWire]] = {
    "openai-chat": ChaosWire(
        CHAT,
        openai_chat,
        _sign_chat,
        _empty_chat,
        lambda response: response["choices"][0]["message"]["tool_calls"],
        "function",
        "id",
        lambda response: int(response["usage"]["total_tokens"]),
    ),
    "openai-responses": ChaosWire(
        RESPONSES,
        openai_responses,
        _sign_responses,
        _empty_responses,
        lambda response: response["output"],
        "function_call",
        "call_id",
        lambda response: int(response["usage"]["total_tokens"]),
    ),
    "anthropic": ChaosWire(
        MESSAGES,
        anthropic_messages,
        _sign_messages,
        _empty_messages,
        lambda response: response["content"],
        "tool_use",
        "id",
        lambda response: int(response["usage"]["input_tokens"] + response["usage"]["output_tokens"]),
        base_url="",
    ),
}
