"""What a request says, whatever protocol it came by, and the parts of reading it that all of them share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Conversation, Exchange, Tool
from agentcompass_websearch.sample.stand_in.mood import Mood, Moods
from agentcompass_websearch.sample.stand_in.wire import BadRequest, mood_of_call


@dataclass(frozen=True, slots=True)
class Heard:
    """One request. `said` are the user's messages, `may_call` is whether tools may be called."""

    system: str
    said: Sequence[str]
    tools: Sequence[Tool]
    exchanges: Sequence[Exchange]
    may_call: bool = True

    @property
    def conversation(self) -> Conversation:
        """The conversation so far; a further message of the user asks for the answer."""
        return Conversation(
            task=self.said[0] if self.said else "",
            tools=self.tools if self.may_call else (),
            exchanges=self.exchanges,
            hurry=len(self.said) > 1,
        )

    def mood(self, moods: Moods) -> Mood:
        """Return the conversation's mood: the one that it began with, as ids of its calls tell, else a new one.

        A conversation that begins alike has the same mood over every protocol.
        """
        begun = next((mood for made in self.exchanges if (mood := mood_of_call(made.call_id))), None)
        tools = [[tool.name, sorted(tool.parameters)] for tool in self.tools]
        exchanges = [asdict(made) for made in self.exchanges]
        return begun or moods.begin(json.dumps([self.system, self.said, tools, exchanges], sort_keys=True))


def dicts(items: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; anything else in it, or in its place, is left out."""
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def text_of(content: Any) -> str:
    """Return content that is text, or parts of which some are."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in dicts(content))
    return content if isinstance(content, str) else ""


def tool_of(name: Any, schema: Any) -> Tool:
    """Return a tool on offer.

    Raises:
        BadRequest: it has no name.
    """
    if not isinstance(name, str):
        raise BadRequest("each of 'tools' must hold a 'name', and those of Chat Completions a 'function' with one")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return Tool(name, frozenset(properties or ()))


def exchange_of(call_id: Any, name: Any, arguments: Any, replies: Mapping[Any, str]) -> Exchange:
    """Return a call that was made, with the reply to it. `arguments` are an object or JSON text of one."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            arguments = {}
    identity = str(call_id)
    return Exchange(identity, str(name), arguments if isinstance(arguments, dict) else {}, replies.get(identity, ""))


def listed(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects under `name` in a request.

    Raises:
        BadRequest: it is no list of at least one, or the request asks for a stream.
    """
    items = body.get(name)
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        raise BadRequest(f"'{name}' must be a list of at least one message")
    if body.get("stream"):
        raise BadRequest("this server does not stream; leave 'stream' out")
    return items
