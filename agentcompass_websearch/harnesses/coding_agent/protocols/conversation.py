"""What the sessions of all protocols share: they ask, learn how the server wants it, and make a turn of the answer."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import Dialect
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import Bill, ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import blamed
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.message import ModelMessage
from agentcompass_websearch.harnesses.coding_agent.protocols.params import LIMITS
from agentcompass_websearch.harnesses.coding_agent.protocols.wire import Wire
from agentcompass_websearch.harnesses.coding_agent.session import Opening, Reply, Spent, Turn
from agentcompass_websearch.records import Usage

# What chat templates and servers add to a request of their own.
_TEMPLATE_TOKENS: Final = 1000


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
        self._turns = 0
        self._bills: list[Bill] = []
        self._last_size = 0
        self._last_read = _TEMPLATE_TOKENS
        self._tools: list[dict[str, Any]] = []

    @abstractmethod
    def say(self, text: str) -> None:
        """Add the user's words; where the user spoke last they join those."""

    @abstractmethod
    def reply(self, replies: Sequence[Reply]) -> None:
        """Add the answers to the calls of the last turn."""

    @property
    def besides(self) -> Spent:
        """What was paid for answers of which no turn has come: it failed, or was cancelled, before it was whole."""
        bills = self._bills
        return Spent(_sum([bill.usage for bill in bills], Usage()), _sum([bill.usd for bill in bills], 0.0))

    async def next_turn(self, *, answer_now: bool, deadline: float) -> Turn:
        """Ask for the next turn. See `ModelSession`."""
        answered = await self._endpoint.call(
            lambda timeout_s: self._ask(answer_now, timeout_s),
            expected=lambda: self._expected(self._request(answer_now))[:2],
            turn=self._turns,
            deadline=deadline,
        )
        self._turns += 1
        # What was paid for in tries that came to nothing is part of what the turn cost.
        spent, self._bills = self.besides, []
        message = answered.value
        self._remember(message)
        self._call_ids |= {call.call_id for call in message.calls}
        return Turn(
            text=message.text,
            calls=message.calls,
            usage=spent.usage,
            stop=message.stop,
            reasoning=message.reasoning,
            seconds=answered.seconds,
            tries=answered.tries,
            queue_s=answered.queue_s,
            usd=spent.usd,
            notes=(*message.notes, *self._dialect.remarks),
        )

    async def _ask(self, answer_now: bool, timeout_s: float) -> ModelMessage:
        """Ask once, and again for each thing that the server's refusal teaches."""
        body = self._request(answer_now)
        while True:
            try:
                message = await self._send(body, timeout_s)
            except ModelFailure as failure:
                refusal = failure
            else:
                if not (answer_now and message.calls and "tools" in body):
                    return message
                # Some servers take no notice of a choice that forbids calls.
                self._dialect.withhold_tools = True
                body = self._request(answer_now)
                continue
            refused = body
            if not self._dialect.learn(refusal, refused) or (body := self._request(answer_now)) == refused:
                raise blamed(refusal, refused)

    async def _send(self, body: Mapping[str, Any], timeout_s: float) -> ModelMessage:
        """Send one request, pay for it, and return what the model said."""
        most_read, limit, size = self._expected(body)
        with self._endpoint.paid(most_read, limit) as bill:
            try:
                message = self._read(await self._wire.post(self.path, body, timeout_s))
            except RecursionError:
                raise ModelFailure(Fault.REFUSED, "the answer is nested too deeply to be read") from None
            bill.usage = message.usage
        self._bills.append(bill)
        if bill.usage is not None:
            self._last_size, self._last_read = size, bill.usage.input
        return message

    def _expected(self, body: Mapping[str, Any]) -> tuple[int, int | None, int]:
        """Return the tokens that a request has at the most, the output limit, and the request's bytes."""
        # Some servers take 0 or -1 for no limit.
        limit = next((body[name] for name in LIMITS if body.get(name, 0) > 0), None)
        size = len(json.dumps(body, ensure_ascii=False).encode()) if self._endpoint.capped else 0
        # It begins like the last one; of what was added since, no token is shorter than a byte.
        return self._last_read + max(0, size - self._last_size), limit, size

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


def _sum[T: (Usage, float)](parts: Sequence[T | None], total: T) -> T | None:
    """Return `total` with all parts added; None if any is unknown."""
    for part in parts:
        if part is None:
            return None
        total += part
    return total
