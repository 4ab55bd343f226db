"""The Chat Completions protocol of OpenAI and of the many servers that speak it their own way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.chat_message import ChatMessage, read_completion
from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import NEW_LIMIT, OLD_LIMIT, ChatDialect, SentAs
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_wire import OpenAIWire, body_params
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply, Turn
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema
from agentcompass_websearch.records import Usage

_PATH: Final = "/chat/completions"


class OpenAIChatServer:
    """A Chat Completions server of a run; its sessions share what is learned of its dialect."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._dialect = ChatDialect.of(endpoint.base_url)

    async def open(self, opening: Opening) -> OpenAIChatSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        wire = await OpenAIWire.open(self._endpoint.base_url, opening)
        return OpenAIChatSession(self._endpoint, wire, self._dialect, opening)


class OpenAIChatSession:
    """One conversation over Chat Completions. Its history holds the keys of the protocol and no server's own ones.

    Args:
        endpoint: the model server of the run.
        wire: the way to it, with the attempt's key.
        dialect: what is known of the server, shared by the run.
        opening: what the conversation begins with.
    """

    def __init__(self, endpoint: ModelEndpoint, wire: OpenAIWire, dialect: ChatDialect, opening: Opening) -> None:
        self._endpoint = endpoint
        self._wire = wire
        self._dialect = dialect
        params = opening.params
        self._params = body_params(params)
        self._output_tokens = params.get("max_output_tokens", opening.default_output_tokens)
        if any(name in self._params for name in (OLD_LIMIT, NEW_LIMIT)):
            self._output_tokens = None
        self._tools = [_function(tool) for tool in opening.tools]
        self._history: list[dict[str, Any]] = []
        self._reasoning: dict[int, str] = {}
        self._call_ids: set[str] = set()
        self._tidy = opening.tidy
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

    async def next_turn(self, *, answer_now: bool, deadline: float) -> Turn:
        """Ask for the next turn. See `ModelSession`."""

        async def send(timeout_s: float) -> tuple[ChatMessage, Usage | None]:
            message = await self._ask(answer_now, timeout_s)
            return message, message.usage

        answered = await self._endpoint.call(
            send,
            deadline=deadline,
            request_bytes=sum(len(message["content"].encode()) for message in self._history),
            max_output_tokens=self._most_output_tokens(),
        )
        message = answered.value
        self._remember(message)
        return Turn(
            text=message.text,
            calls=message.calls,
            usage=message.usage,
            stop=message.stop,
            reasoning=message.reasoning,
            seconds=answered.seconds,
            tries=answered.tries,
            usd=answered.usd,
            notes=message.notes,
        )

    async def _ask(self, answer_now: bool, timeout_s: float) -> ChatMessage:
        while True:
            sent = SentAs(
                limit=self._dialect.output_limit if self._output_tokens is not None else "",
                echoed=self._dialect.echo_reasoning,
                forbade_calls=answer_now and bool(self._tools) and not self._dialect.withhold_tools,
            )
            try:
                reply = await self._wire.post(_PATH, self._body(answer_now, sent), timeout_s)
                return read_completion(reply, taken_ids=self._call_ids, tidy=self._tidy)
            except ModelFailure as failure:
                # Each thing is learned once, so this ends.
                if not self._dialect.learn(failure, sent):
                    raise

    def _body(self, answer_now: bool, sent: SentAs) -> dict[str, Any]:
        messages = self._messages(sent.echoed)
        body = {"model": self._endpoint.model_id, "messages": messages, **self._params}
        if sent.limit:
            body[sent.limit] = self._output_tokens
        if sent.forbade_calls:
            body |= {"tools": self._tools, "tool_choice": "none"}
        elif self._tools and not answer_now:
            # Some servers parse calls only where the choice is written out.
            body |= {"tools": self._tools, "tool_choice": "auto"}
        return body

    def _messages(self, echo: bool) -> list[dict[str, Any]]:
        if not echo:
            return self._history
        return [
            message | {"reasoning_content": self._reasoning[place]} if place in self._reasoning else message
            for place, message in enumerate(self._history)
        ]

    def _remember(self, message: ChatMessage) -> None:
        echoed: dict[str, Any] = {"role": "assistant", "content": message.text}
        if message.calls:
            echoed["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments.text},
                }
                for call in message.calls
            ]
            self._call_ids |= {call.call_id for call in message.calls}
            if message.reasoning:
                self._reasoning[len(self._history)] = message.reasoning
        self._history.append(echoed)

    def _most_output_tokens(self) -> int | None:
        limits = [self._output_tokens, *(self._params.get(name) for name in (OLD_LIMIT, NEW_LIMIT))]
        return next((limit for limit in limits if isinstance(limit, int)), None)


def _function(tool: ToolSchema) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }
