"""The Chat Completions protocol of OpenAI and of the many servers that speak it their own way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import httpx
import openai

from agentcompass_websearch.harnesses.coding_agent.protocols.chat_message import ChatMessage, read_completion
from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import NEW_LIMIT, OLD_LIMIT, ChatDialect
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import (
    ModelFailure,
    failure_of_exception,
    failure_of_status,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.http_client import shared_http_client
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply, Turn
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import ToolSchema
from agentcompass_websearch.records import Usage
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.wire import HttpReply

_PATH: Final = "/chat/completions"
_CONNECT_S: Final = 30.0
# What a dialect can learn in one request: the limit's name, and that reasoning is wanted back.
_MAX_LESSONS: Final = 2
# Model parameters that do not go into the request body under their own name.
_OWN_PARAMS: Final = frozenset({"extra_headers", "extra_query", "extra_body", "max_output_tokens", "timeout"})
_RAW: Final = cast(Any, httpx.Response)


class OpenAIChatServer:
    """A Chat Completions server of a run; its sessions share what is learned of its dialect."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._dialect = ChatDialect.of(endpoint.base_url)

    async def open(self, opening: Opening) -> OpenAIChatSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        client = openai.AsyncOpenAI(
            base_url=self._endpoint.base_url,
            api_key=opening.api_key,
            max_retries=0,
            http_client=cast(Any, await shared_http_client()),
        )
        return OpenAIChatSession(self._endpoint, client, self._dialect, opening)


class OpenAIChatSession:
    """One conversation over Chat Completions. Its history holds the keys of the protocol and no server's own ones.

    Args:
        endpoint: the model server of the run.
        client: the SDK's client, with the attempt's key and no retries of its own.
        dialect: what is known of the server, shared by the run.
        opening: what the conversation begins with.
    """

    def __init__(
        self, endpoint: ModelEndpoint, client: openai.AsyncOpenAI, dialect: ChatDialect, opening: Opening
    ) -> None:
        self._endpoint = endpoint
        self._client = client
        self._dialect = dialect
        params = opening.params
        self._headers = params.get("extra_headers") or {}
        self._query = params.get("extra_query") or {}
        self._params = {k: v for k, v in params.items() if k not in _OWN_PARAMS} | dict(params.get("extra_body") or {})
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
            usd=self._endpoint.prices.cost_usd(message.usage),
            notes=message.notes,
        )

    async def _ask(self, answer_now: bool, timeout_s: float) -> ChatMessage:
        lessons = 0
        while True:
            limit = self._dialect.output_limit if self._output_tokens is not None else ""
            echo = self._dialect.echo_reasoning
            try:
                reply = await self._post(self._body(answer_now, limit, echo), timeout_s)
                return read_completion(reply, taken_ids=self._call_ids, tidy=self._tidy)
            except ModelFailure as failure:
                lessons += 1
                if lessons > _MAX_LESSONS or not self._dialect.learn(failure, sent_limit=limit, echoed=echo):
                    raise

    def _body(self, answer_now: bool, limit: str, echo: bool) -> dict[str, Any]:
        body = {"model": self._endpoint.model_id, "messages": self._messages(echo), **self._params}
        if limit:
            body[limit] = self._output_tokens
        if self._tools:
            # Some servers parse calls only where the choice is written out.
            body |= {"tools": self._tools, "tool_choice": "none" if answer_now else "auto"}
        return body

    def _messages(self, echo: bool) -> list[dict[str, Any]]:
        if not echo:
            return self._history
        return [
            message | {"reasoning_content": self._reasoning[place]} if place in self._reasoning else message
            for place, message in enumerate(self._history)
        ]

    async def _post(self, body: dict[str, Any], timeout_s: float) -> bytes:
        options: dict[str, Any] = {
            "timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S), pool=None),
            "headers": self._headers,
            "params": self._query,
        }
        # No exception of the SDK is chained: its text may hold what the server said, and with it a key.
        try:
            response: Any = await self._client.post(_PATH, cast_to=_RAW, body=body, options=cast(Any, options))
        except openai.APIStatusError as error:
            failure = self._failure_of(error)
        except (openai.OpenAIError, httpx.HTTPError) as error:
            failure = failure_of_exception(error, self._tidy)
        else:
            return bytes(response.content)
        raise failure

    def _failure_of(self, error: openai.APIStatusError) -> ModelFailure:
        response: Any = error.response
        asked = HttpReply(response.status_code, response.headers, response.content)
        return failure_of_status(response.status_code, response.text, self._tidy, retry_after_s(asked))

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
