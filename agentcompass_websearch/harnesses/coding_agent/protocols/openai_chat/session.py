"""Sessions over Chat Completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentcompass_websearch.harnesses.coding_agent.protocols.conversation import Conversation
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.dialect import (
    NEW_LIMIT,
    OLD_LIMIT,
    ChatDialect,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.reading import read_completion
from agentcompass_websearch.harnesses.coding_agent.protocols.params import apart_from_limit, request_params
from agentcompass_websearch.harnesses.coding_agent.protocols.wire import Wire, open_openai
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema


class ChatServer:
    """A Chat Completions server of a run; its sessions share what is learned of its dialect."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._dialect = ChatDialect.of(endpoint.base_url)

    async def open(self, opening: Opening) -> ChatSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        wire = await open_openai(self._endpoint.base_url, opening)
        return ChatSession(self._endpoint, wire, self._dialect, opening)


class ChatSession(Conversation):
    """One conversation over Chat Completions: a list of messages. See `Conversation`."""

    path = "/chat/completions"
    _dialect: ChatDialect

    def __init__(self, endpoint: ModelEndpoint, wire: Wire, dialect: ChatDialect, opening: Opening) -> None:
        super().__init__(endpoint, wire, dialect, opening)
        params = request_params(opening.params)
        self._limit_asked = next((name for name in (NEW_LIMIT, OLD_LIMIT) if name in params), None)
        self._params, self._limit = apart_from_limit(params, opening.default_output_tokens)
        self._tools = [_function(tool) for tool in opening.tools]
        self._history: list[dict[str, Any]] = []
        if opening.system:
            self._history.append({"role": "system", "content": opening.system})
        self.say(opening.prompt)

    def say(self, text: str) -> None:
        """Add the user's words; where the user spoke last they join that message, since some servers want turns."""
        if self._history and self._history[-1]["role"] == "user":
            text = f"{self._history.pop()['content']}\n\n{text}"
        self._history.append({"role": "user", "content": text})

    def reply(self, replies: Sequence[Reply]) -> None:
        """Add the answers to the calls of the last turn."""
        self._history += [{"role": "tool", "tool_call_id": r.call_id, "content": r.content} for r in replies]

    def _body(self, answer_now: bool) -> dict[str, Any]:
        messages = self._dialect.written(self._history)
        body = {"model": self._endpoint.model_id, "messages": messages, **self._params}
        if self._limit is not None:
            body[self._dialect.limit_name(self._limit_asked)] = self._limit
        return body | self._tool_keys(answer_now)

    def _read(self, body: bytes) -> ModelMessage:
        return read_completion(body, taken_ids=self._call_ids, tidy=self._tidy)

    def _remember(self, message: ModelMessage) -> None:
        self._history.append(message.native)


def _function(tool: ToolSchema) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }
