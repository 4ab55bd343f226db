"""Sessions over the Messages protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.anthropic_messages.dialect import MessagesDialect
from agentcompass_websearch.harnesses.coding_agent.protocols.anthropic_messages.reading import PAUSED, read_message
from agentcompass_websearch.harnesses.coding_agent.protocols.conversation import Conversation
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.params import apart_from_limit, request_params, with_effort
from agentcompass_websearch.harnesses.coding_agent.protocols.wire import Wire, open_anthropic
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema

DEFAULT_OUTPUT_TOKENS: Final = 16_000
"""The output limit where neither user nor task has one: the protocol demands one."""

_MAX_PAUSES: Final = 8
# Later versions of the API have no sampling parameters.
_SAMPLING: Final = ("temperature", "top_p", "top_k")
_VERSION_WITH_SAMPLING: Final = {"anthropic-version": "2023-06-01"}


class MessagesServer:
    """A Messages server of a run; its sessions share what is learned of its dialect."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._dialect = MessagesDialect()

    async def open(self, opening: Opening) -> MessagesSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        sampled = any(name in request_params(opening.params) for name in _SAMPLING)
        headers = _VERSION_WITH_SAMPLING if sampled else {}
        wire = await open_anthropic(self._endpoint.base_url, opening, headers)
        return MessagesSession(self._endpoint, wire, self._dialect, opening)


class MessagesSession(Conversation):
    """One conversation over Messages: user and assistant take turns, each a list of blocks. See `Conversation`.

    What stays the same from request to request is marked for the server's prompt cache.
    """

    path = "/v1/messages"
    calls_allowed: ClassVar[Any] = {"type": "auto"}
    calls_forbidden: ClassVar[Any] = {"type": "none"}
    _dialect: MessagesDialect

    def __init__(self, endpoint: ModelEndpoint, wire: Wire, dialect: MessagesDialect, opening: Opening) -> None:
        super().__init__(endpoint, wire, dialect, opening)
        params, limit = apart_from_limit(request_params(opening.params), None)
        if limit is None:
            limit = (opening.default_output_tokens or DEFAULT_OUTPUT_TOKENS) + _thinking_budget(params)
        self._params = {"max_tokens": limit} | with_effort(params, "output_config")
        self._system = [_text(opening.system)] if opening.system else []
        self._tools = [_tool(tool) for tool in opening.tools]
        self._history: list[dict[str, Any]] = []
        self._paused: list[dict[str, Any]] = []
        self.say(opening.prompt)

    def say(self, text: str) -> None:
        """Add the user's words: after tool replies to the same message, after other words to those."""
        last = self._history[-1] if self._history else {}
        if last.get("role") == "user" and last["content"][-1]["type"] == "text":
            text = f"{last['content'].pop()['text']}\n\n{text}"
        self._add_of_user([_text(text)])

    def reply(self, replies: Sequence[Reply]) -> None:
        """Add the answers to the calls of the last turn, all in one message."""
        self._add_of_user([{"type": "tool_result", "tool_use_id": r.call_id, "content": r.content} for r in replies])

    def _add_of_user(self, blocks: list[dict[str, Any]]) -> None:
        if self._history and self._history[-1]["role"] == "user":
            blocks = [*self._history.pop()["content"], *blocks]
        self._history.append({"role": "user", "content": blocks})

    def _body(self, answer_now: bool) -> dict[str, Any]:
        dialect = self._dialect
        keys = self._tool_keys(answer_now)
        messages = dialect.written(self._history, to_go_on=bool(keys) and not answer_now)
        if self._paused:
            messages.append({"role": "assistant", "content": self._paused})
        body = {"model": self._endpoint.model_id, "messages": messages, **self._params, **keys}
        if self._system:
            body["system"] = dialect.marked(self._system)
        elif keys:
            body["tools"] = dialect.marked(self._tools)
        return body

    async def _ask(self, answer_now: bool, timeout_s: float) -> ModelMessage:
        """Ask, and let the model go on where its server has paused it."""
        parts: list[ModelMessage] = []
        try:
            while True:
                parts.append(await super()._ask(answer_now, timeout_s))
                if parts[-1].stop != PAUSED or parts[-1].calls or len(parts) > _MAX_PAUSES:
                    return _joined(parts)
                self._paused = [*self._paused, *parts[-1].native]
        finally:
            self._paused = []

    def _read(self, body: bytes) -> ModelMessage:
        return read_message(body, taken_ids=self._call_ids, tidy=self._tidy)

    def _remember(self, message: ModelMessage) -> None:
        self._history.append({"role": "assistant", "content": message.native})


def _joined(parts: Sequence[ModelMessage]) -> ModelMessage:
    return replace(
        parts[-1],
        text="".join(part.text for part in parts),
        reasoning="\n\n".join(filter(None, (part.reasoning for part in parts))),
        native=[block for part in parts for block in part.native],
    )


def _thinking_budget(params: Mapping[str, Any]) -> int:
    """Return the tokens that the user gave to thinking; the protocol takes them from the output limit."""
    thinking = params.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    return budget if isinstance(budget, int) else 0


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool(tool: ToolSchema) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
