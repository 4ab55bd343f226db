"""Sessions over the Responses protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.conversation import Conversation
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_responses.dialect import ResponsesDialect
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_responses.reading import read_response
from agentcompass_websearch.harnesses.coding_agent.protocols.params import apart_from_limit, request_params, with_effort
from agentcompass_websearch.harnesses.coding_agent.protocols.wire import Wire, open_openai
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema

_ENCRYPTED: Final = "reasoning.encrypted_content"


class ResponsesServer:
    """A Responses server of a run; its sessions share what is learned of its dialect."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._dialect = ResponsesDialect()

    async def open(self, opening: Opening) -> ResponsesSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        wire = await open_openai(self._endpoint.base_url, opening)
        return ResponsesSession(self._endpoint, wire, self._dialect, opening)


class ResponsesSession(Conversation):
    """One conversation over Responses: a list of items, all of it sent each time. See `Conversation`.

    The server is asked to store nothing, so it has to give reasoning in a form that can be sent back.
    """

    path = "/responses"
    _dialect: ResponsesDialect

    def __init__(self, endpoint: ModelEndpoint, wire: Wire, dialect: ResponsesDialect, opening: Opening) -> None:
        super().__init__(endpoint, wire, dialect, opening)
        params, limit = apart_from_limit(request_params(opening.params), opening.default_output_tokens)
        self._params = {"store": False} | with_effort(params, "reasoning")
        self._params["include"] = list(dict.fromkeys([_ENCRYPTED, *self._params.get("include", ())]))
        if limit is not None:
            self._params["max_output_tokens"] = limit
        if opening.system:
            self._params["instructions"] = opening.system
        self._tools = [_function(tool) for tool in opening.tools]
        self._history: list[dict[str, Any]] = []
        self.say(opening.prompt)

    def say(self, text: str) -> None:
        """Add the user's words; where the user spoke last they join that message."""
        if self._history and self._history[-1].get("role") == "user":
            text = f"{self._history.pop()['content']}\n\n{text}"
        self._history.append({"role": "user", "content": text})

    def reply(self, replies: Sequence[Reply]) -> None:
        """Add the answers to the calls of the last turn."""
        self._history += [{"type": "function_call_output", "call_id": r.call_id, "output": r.content} for r in replies]

    def _body(self, answer_now: bool) -> dict[str, Any]:
        items = self._dialect.written(self._history)
        return {"model": self._endpoint.model_id, "input": items, **self._params, **self._tool_keys(answer_now)}

    def _read(self, body: bytes) -> ModelMessage:
        return read_response(body, taken_ids=self._call_ids, tidy=self._tidy)

    def _remember(self, message: ModelMessage) -> None:
        self._history += message.native


def _function(tool: ToolSchema) -> dict[str, Any]:
    # Not strict, as in Chat Completions: a strict schema must not have optional parameters.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }
