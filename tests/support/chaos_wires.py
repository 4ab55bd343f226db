"""What the scripted model of the chaos runs does to a response, for each wire: sign it, empty it, spoil its ids."""

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
        calls: the tool calls in a response, changed in place.
        id_name: where the id of such a call stands.
        tokens: what a response used.
        base_url: what the host is given, of the server's address.
    """

    path: str
    module: ModuleType
    sign: Callable[[Body, str], None]
    empty: Callable[[Body, str], None]
    calls: Callable[[Body], list[Body]]
    id_name: str
    tokens: Callable[[Mapping[str, Any]], int]
    base_url: str = "/v1"

    def read(self, body: Body) -> Heard:
        """Return what a request says."""
        heard: Heard = self.module.read_request(body)
        return heard


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
        lambda response: response["choices"][0]["message"].get("tool_calls") or [],
        "id",
        lambda response: int(response["usage"]["total_tokens"]),
    ),
    "openai-responses": ChaosWire(
        RESPONSES,
        openai_responses,
        _sign_responses,
        _empty_responses,
        lambda response: [item for item in response["output"] if item["type"] == "function_call"],
        "call_id",
        lambda response: int(response["usage"]["total_tokens"]),
    ),
    "anthropic": ChaosWire(
        MESSAGES,
        anthropic_messages,
        _sign_messages,
        _empty_messages,
        lambda response: [block for block in response["content"] if block["type"] == "tool_use"],
        "id",
        lambda response: int(response["usage"]["input_tokens"] + response["usage"]["output_tokens"]),
        base_url="",
    ),
}
