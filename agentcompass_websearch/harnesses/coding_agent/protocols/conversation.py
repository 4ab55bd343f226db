"""What the sessions of all protocols share: they ask, learn how the server wants it, and make a turn of the answer."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import Dialect
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import blamed
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.params import LIMITS
from agentcompass_websearch.harnesses.coding_agent.protocols.wire import Wire
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply, Turn
from agentcompass_websearch.records import Usage


class Conversation(ABC):
    """A conversation over one protocol; a subclass has its history, writes its requests and reads its responses.

    Args:
        endpoint: the model server of the run.
        wire: the way to it, with the attempt's key.
        dialect: what is known of the server, shared by the run.
        opening: what the conversation begins with.
    """

    path: ClassVar[str]
    """Where requests go, below the base URL."""

    calls_allowed: ClassVar[Any] = "auto"
    calls_forbidden: ClassVar[Any] = "none"
    """How ``tool_choice`` is written."""

    def __init__(self, endpoint: ModelEndpoint, wire: Wire, dialect: Dialect, opening: Opening) -> None:
        self._endpoint = endpoint
        self._wire = wire
        self._dialect = dialect
        self._tidy = opening.tidy
        self._call_ids: set[str] = set()
        self._tools: list[dict[str, Any]] = []

    @abstractmethod
    def say(self, text: str) -> None:
        """Add the user's words; where the user spoke last they join those."""

    @abstractmethod
    def reply(self, replies: Sequence[Reply]) -> None:
        """Add the answers to the calls of the last turn."""

    async def next_turn(self, *, answer_now: bool, deadline: float) -> Turn:
        """Ask for the next turn. See `ModelSession`."""

        async def send(timeout_s: float) -> tuple[ModelMessage, Usage | None]:
            message = await self._ask(answer_now, timeout_s)
            return message, message.usage

        body = self._request(answer_now)
        answered = await self._endpoint.call(
            send,
            deadline=deadline,
            request_bytes=lambda: len(json.dumps(body, ensure_ascii=False, default=str).encode()),
            max_output_tokens=next((body[name] for name in LIMITS if isinstance(body.get(name), int)), None),
        )
        message = answered.value
        self._remember(message)
        self._call_ids |= {call.call_id for call in message.calls}
        return Turn(
            text=message.text,
            calls=message.calls,
            usage=message.usage,
            stop=message.stop,
            reasoning=message.reasoning,
            seconds=answered.seconds,
            tries=answered.tries,
            usd=answered.usd,
            notes=(*message.notes, *self._dialect.remarks),
        )

    async def _ask(self, answer_now: bool, timeout_s: float) -> ModelMessage:
        """Ask once, and again for each thing that the server's refusal teaches. What all of it used is added up."""
        used: list[Usage | None] = []
        body = self._request(answer_now)
        while True:
            try:
                message = self._read(await self._wire.post(self.path, body, timeout_s))
            except ModelFailure as failure:
                refusal = failure
            except RecursionError:
                refusal = ModelFailure(Fault.REFUSED, "the answer is nested too deeply to be read")
            else:
                used.append(message.usage)
                if not (answer_now and message.calls and "tools" in body):
                    return replace(message, usage=sum_of_usage(used))
                # Some servers take no notice of a choice that forbids calls.
                self._dialect.withhold_tools = True
                body = self._request(answer_now)
                continue
            refused = body
            if not self._dialect.learn(refusal, refused) or (body := self._request(answer_now)) == refused:
                raise blamed(refusal, refused)

    def _request(self, answer_now: bool) -> dict[str, Any]:
        return {key: value for key, value in self._body(answer_now).items() if key not in self._dialect.omitted}

    def _tool_keys(self, answer_now: bool) -> dict[str, Any]:
        """Return the keys of a request that offer tools; some servers parse calls only where the choice is written."""
        dialect = self._dialect
        if not self._tools or (answer_now and (dialect.withhold_tools or "tool_choice" in dialect.omitted)):
            return {}
        return {"tools": self._tools, "tool_choice": self.calls_forbidden if answer_now else self.calls_allowed}

    @abstractmethod
    def _body(self, answer_now: bool) -> dict[str, Any]:
        """Return the next request."""

    @abstractmethod
    def _read(self, body: bytes) -> ModelMessage:
        """Return what the model said.

        Raises:
            ModelFailure: the response is no answer.
        """

    @abstractmethod
    def _remember(self, message: ModelMessage) -> None:
        """Add what the model said to the history."""


def sum_of_usage(used: Sequence[Usage | None]) -> Usage | None:
    """Return what several responses used together; None if that of any is unknown."""
    total = Usage()
    for usage in used:
        if usage is None:
            return None
        total += usage
    return total
