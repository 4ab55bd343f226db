"""What a run learns of how its model server wants requests, from what the server refuses; one class per protocol."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import is_named
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure

# With some servers, a chat template that fails is a server error, and an item that they do not know is not found.
_TEACHING: Final = (Fault.REFUSED, Fault.SERVER, Fault.NOT_FOUND)
_ROLE_ORDER: Final = re.compile(r"roles? must alternate|unexpected role|role '?user'? after|after role '?tool", re.I)


@dataclass(slots=True)
class Dialect(ABC):
    """What servers of all protocols differ in; shared by the sessions of a run.

    `withhold_tools`: calls cannot be forbidden but by offering no tools. `join_words`: what the user says after tool
    replies stands in the last reply. `omitted`: keys of a request that the server does not take and can do without.
    `remarks` tell a reader of the result what of it changes what the model sees.
    """

    optional: ClassVar[tuple[str, ...]] = ("tool_choice",)

    withhold_tools: bool = False
    join_words: bool = False
    omitted: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)

    def learn(self, failure: ModelFailure, body: Mapping[str, Any]) -> bool:
        """Take in why `body` was refused; return whether the same request is worth writing anew.

        It is only if it then differs: from what was learned here, or by another session meanwhile. Whatever is learned
        stays, so that nobody learns for ever.
        """
        if failure.fault not in _TEACHING:
            return False
        if _ROLE_ORDER.search(failure.detail) and self._has_words_after_replies(body):
            self.join_words = True
        elif body.get("tool_choice") in ("none", {"type": "none"}) and is_named("tool_choice", failure):
            self.withhold_tools = True
        elif not self._learn_more(failure, body):
            self.omitted |= set([key for key in self.optional if key in body and is_named(key, failure)][:1])
        return True

    @abstractmethod
    def _has_words_after_replies(self, body: Mapping[str, Any]) -> bool:
        """Whether the user speaks right after tool replies in the conversation of `body`."""

    @abstractmethod
    def _learn_more(self, failure: ModelFailure, body: Mapping[str, Any]) -> bool:
        """Take in what only servers of this protocol differ in; return whether `failure` was about that."""

    def _remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)
