"""Where servers of one wire protocol differ, learned from what they refuse; shared by the sessions of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(slots=True)
class ChatDialect:
    """How a Chat Completions server wants the output limit named, and whether it wants its reasoning back."""

    output_limit: str = OLD_LIMIT
    echo_reasoning: bool = False

    @classmethod
    def of(cls, base_url: str) -> ChatDialect:
        """Return what is known of a server before it is asked."""
        host = urlsplit(base_url).hostname or ""
        return cls(
            output_limit=NEW_LIMIT if host.endswith(_NEW_LIMIT_HOSTS) else OLD_LIMIT,
            echo_reasoning=host in _REASONING_HOSTS,
        )

    def learn(self, failure: ModelFailure, *, sent_limit: str, echoed: bool) -> bool:
        """Whether `failure` showed something new, so that the same request, written anew, may be accepted.

        Args:
            failure: the server's refusal.
            sent_limit: the name that the refused request gave our own output limit; empty if it had none.
            echoed: whether it held reasoning.
        """
        if failure.fault is not Fault.REFUSED:
            return False
        if sent_limit and sent_limit in f"{failure.parameter} {failure.detail}" and _UNSUPPORTED.search(failure.detail):
            self.output_limit = NEW_LIMIT if sent_limit == OLD_LIMIT else OLD_LIMIT
            return True
        if not echoed and _REASONING_MISSING.search(failure.detail):
            self.echo_reasoning = True
            return True
        return False
