"""Where Responses servers differ, and how a history is written for one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.dialect import Dialect
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import ModelFailure

REASONING_LEFT_OUT: Final = "the server takes no reasoning back: it was left out of later requests"

_ENCRYPTED: Final = re.compile(r"encrypted[ _]content", re.I)
_REASONING: Final = re.compile(r"encrypted[ _]content|type 'reasoning'|'rs_|reasoning items?\b", re.I)

type Item = dict[str, Any]


@dataclass(slots=True)
class ResponsesDialect(Dialect):
    """What a Responses server does not take. `drop_reasoning`: it refuses the reasoning that it gave itself."""

    optional: ClassVar[tuple[str, ...]] = ("tool_choice", "include", "store")

    drop_reasoning: bool = False

    def written(self, history: Sequence[Item]) -> list[Item]:
        """Return the items of `history` as the server wants them: unchanged, unless it has refused them so.

        An item refers to the reasoning before it by its own id, so without reasoning the ids go too.
        """
        items: list[Item] = []
        for item in history:
            before = items[-1] if items else {}
            if self.drop_reasoning and item.get("type") == "reasoning":
                continue
            if self.join_words and _is_reply(before) and item.get("role") == "user":
                items[-1] = before | {"output": f"{before['output']}\n\n{item['content']}"}
            else:
                items.append({k: v for k, v in item.items() if k != "id"} if self.drop_reasoning else item)
        return items

    def _learn_more(self, failure: ModelFailure, body: Mapping[str, Any]) -> bool:
        if any(item.get("type") == "reasoning" for item in body["input"]) and _REASONING.search(failure.detail):
            self.drop_reasoning = True
            self._remark(REASONING_LEFT_OUT)
        elif "include" in body and _ENCRYPTED.search(failure.detail):
            self.omitted.add("include")
        else:
            return False
        return True

    def _has_words_after_replies(self, body: Mapping[str, Any]) -> bool:
        items = body["input"]
        return any(_is_reply(a) and b.get("role") == "user" for a, b in pairwise(items))


def _is_reply(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "function_call_output"
