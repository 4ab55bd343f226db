"""Where servers of one wire protocol differ, learned from what they refuse; shared by the sessions of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure

OLD_LIMIT: Final = "max_tokens"
NEW_LIMIT: Final = "max_completion_tokens"

# OpenAI's own reasoning models refuse the old name; most other servers ignore the new one without a word.
_NEW_LIMIT_HOSTS: Final = ("api.openai.com", ".openai.azure.com")
# These refuse a history whose assistant messages with calls lack the reasoning they came with.
_REASONING_HOSTS: Final = ("api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn")
_UNSUPPORTED: Final = re.compile(r"support|unrecognized|unknown|unexpected|not permitted|not allowed|extra", re.I)
_REASONING_MISSING: Final = re.compile(r"reasoning_content.{0,80}(?:missing|must|required)", re.I)


@dataclass(frozen=True, slots=True)
class SentAs:
    """How a request was written: the name of our own output limit ("" for none), and what else a server may refuse."""

    limit: str
    echoed: bool
    forbade_calls: bool


@dataclass(slots=True)
class ChatDialect:
    """How a Chat Completions server wants the output limit named, its reasoning back, and calls forbidden."""

    output_limit: str = OLD_LIMIT
    echo_reasoning: bool = False
    withhold_tools: bool = False
    _refused_limits: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, base_url: str) -> ChatDialect:
        """Return what is known of a server before it is asked."""
        host = urlsplit(base_url).hostname or ""
        return cls(
            output_limit=NEW_LIMIT if host.endswith(_NEW_LIMIT_HOSTS) else OLD_LIMIT,
            echo_reasoning=host in _REASONING_HOSTS,
        )

    def learn(self, failure: ModelFailure, sent: SentAs) -> bool:
        """Whether `failure` showed something new, so that the same request, written anew, may be accepted."""
        if failure.fault is not Fault.REFUSED:
            return False
        words = f"{failure.parameter} {failure.detail}"
        if sent.limit and sent.limit in words and _UNSUPPORTED.search(words):
            self._refused_limits.add(sent.limit)
            self.output_limit = NEW_LIMIT if sent.limit == OLD_LIMIT else OLD_LIMIT
            return self.output_limit not in self._refused_limits
        if not sent.echoed and _REASONING_MISSING.search(words):
            self.echo_reasoning = True
            return True
        if sent.forbade_calls and "tool_choice" in words:
            self.withhold_tools = True
            return True
        return False
