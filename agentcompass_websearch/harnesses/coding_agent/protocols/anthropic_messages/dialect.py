"""Where Messages servers differ, and how a history is written for one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import Dialect
from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import is_named
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import ModelFailure

_CACHE: Final = "cache_control"
_MARK: Final = {_CACHE: {"type": "ephemeral"}}

type Block = dict[str, Any]
type Message = dict[str, Any]


@dataclass(slots=True)
class MessagesDialect(Dialect):
    """What a Messages server does not take. `plain`: it refuses marks for its prompt cache."""

    plain: bool = False

    def written(self, history: Sequence[Message], *, to_go_on: bool) -> list[Message]:
        """Return the messages of `history` as the server wants them.

        While the conversation is `to_go_on`, the cache gets marks at the end of the task and at the very end: the next
        request begins with all that is before them.
        """
        messages = [self._joined(message) for message in history]
        if to_go_on:
            for place in {0, len(messages) - 1}:
                messages[place] = messages[place] | {"content": self.marked(messages[place]["content"])}
        return messages

    def marked(self, blocks: Sequence[Block]) -> list[Block]:
        """Return `blocks` with a mark for the prompt cache at their end."""
        return list(blocks) if self.plain or not blocks else [*blocks[:-1], blocks[-1] | _MARK]

    def _joined(self, message: Message) -> Message:
        if not self.join_words or not _has_words_after_replies(message):
            return message
        *replies, words = message["content"]
        last = replies[-1] | {"content": f"{replies[-1]['content']}\n\n{words['text']}"}
        return message | {"content": [*replies[:-1], last]}

    def _learn_more(self, failure: ModelFailure, body: Mapping[str, Any]) -> bool:
        self.plain = self.plain or is_named(_CACHE, failure)
        return is_named(_CACHE, failure)

    def _has_words_after_replies(self, body: Mapping[str, Any]) -> bool:
        return any(map(_has_words_after_replies, body["messages"]))


def _has_words_after_replies(message: Message) -> bool:
    return [block["type"] for block in message["content"][-2:]] == ["tool_result", "text"]
