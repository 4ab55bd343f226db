"""Where Chat Completions servers differ, and how a history is written for one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import Dialect
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import ModelFailure

OLD_LIMIT: Final = "max_tokens"
NEW_LIMIT: Final = "max_completion_tokens"
REASONING: Final = "reasoning_content"
DETAILS: Final = "reasoning_details"
EXTRA: Final = "extra_content"

_OTHER_LIMIT: Final = {OLD_LIMIT: NEW_LIMIT, NEW_LIMIT: OLD_LIMIT}
_OF_THE_PROTOCOL: Final = ("role", "content", "tool_calls")

SYSTEM_JOINED: Final = "the system prompt stands before the task: the model's template has no place for one"

# OpenAI's own reasoning models refuse the old name; most other servers ignore the new one without a word.
_NEW_LIMIT_HOSTS: Final = ("api.openai.com", ".openai.azure.com")
# What these want back of an assistant message with calls, or reason without it.
_ECHO_OF_HOST: Final[Mapping[str, str]] = {
    "api.deepseek.com": REASONING,
    "api.moonshot.ai": REASONING,
    "api.moonshot.cn": REASONING,
    "openrouter.ai": DETAILS,
    "generativelanguage.googleapis.com": EXTRA,
}
_UNSUPPORTED: Final = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra", re.I
)
_REASONING_MISSING: Final = re.compile(r"reasoning_content.{0,80}(?:missing|must|required)", re.I)
_SIGNATURE_MISSING: Final = re.compile(r"thought_?signature", re.I)
_NO_SYSTEM: Final = re.compile(r"system (?:role|message|prompt)s? (?:is )?not supported|roles must alternate", re.I)

type Message = dict[str, Any]


@dataclass(slots=True)
class ChatDialect(Dialect):
    """How a Chat Completions server wants the output limit named, and what it wants back of what the model said.

    `usual_limit`: what the limit is called unless the user or the server says otherwise. `echo`: the keys of assistant
    messages, beyond those of the protocol, that are sent back. `join_system`: the system prompt stands at the head of
    the first user message.
    """

    usual_limit: str = OLD_LIMIT
    echo: frozenset[str] = frozenset()
    join_system: bool = False
    _refused_limits: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, base_url: str) -> ChatDialect:
        """Return what is known of a server before it is asked."""
        host = urlsplit(base_url).hostname or ""
        return cls(
            usual_limit=NEW_LIMIT if host.endswith(_NEW_LIMIT_HOSTS) else OLD_LIMIT,
            echo=frozenset({_ECHO_OF_HOST[host]} if host in _ECHO_OF_HOST else ()),
        )

    def limit_name(self, asked: str | None) -> str:
        """Return what the output limit is called, given what the user calls it."""
        name = asked or self.usual_limit
        return _OTHER_LIMIT[name] if name in self._refused_limits else name

    def written(self, history: Sequence[Message]) -> list[Message]:
        """Return the messages of `history` as the server wants them."""
        messages: list[Message] = []
        for message in history:
            before = messages[-1] if messages else {}
            if message["role"] == "user" and (
                (self.join_words and before.get("role") == "tool")
                or (self.join_system and before.get("role") == "system")
            ):
                joined = f"{before['content']}\n\n{message['content']}"
                role = "user" if before["role"] == "system" else "tool"
                messages[-1] = before | {"role": role, "content": joined}
            else:
                messages.append(self._shown(message))
        return messages

    def _shown(self, message: Message) -> Message:
        if message["role"] != "assistant":
            return message
        shown = {key: value for key, value in message.items() if key in _OF_THE_PROTOCOL or key in self.echo}
        if "tool_calls" in message and EXTRA not in self.echo:
            shown["tool_calls"] = [{k: v for k, v in call.items() if k != EXTRA} for call in message["tool_calls"]]
        return shown

    def _learn_more(self, failure: ModelFailure, body: Mapping[str, Any]) -> bool:
        words = f"{failure.parameter} {failure.detail}"
        limit = next((name for name in (OLD_LIMIT, NEW_LIMIT) if name in body and name in words), None)
        if limit is not None and _UNSUPPORTED.search(words):
            self._refused_limits.add(limit)
        elif _REASONING_MISSING.search(words):
            self.echo |= {REASONING}
        elif _SIGNATURE_MISSING.search(words):
            self.echo |= {EXTRA}
        elif body["messages"][0]["role"] == "system" and _NO_SYSTEM.search(words):
            self.join_system = True
            self._remark(SYSTEM_JOINED)
        else:
            return False
        return True

    def _has_words_after_replies(self, body: Mapping[str, Any]) -> bool:
        roles = [message["role"] for message in body["messages"]]
        return ("tool", "user") in pairwise(roles)
