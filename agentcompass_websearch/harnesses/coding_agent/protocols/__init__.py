"""The wire protocols of model servers: one session class each, over one way of calling a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from agentcompass_websearch.harnesses.coding_agent.protocols.anthropic_messages.session import MessagesServer
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_chat.session import ChatServer
from agentcompass_websearch.harnesses.coding_agent.protocols.openai_responses.session import ResponsesServer
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Opening


class ModelServer(Protocol):
    """A model server over one wire protocol, shared by the attempts of a run."""

    async def open(self, opening: Opening) -> ModelSession:
        """Open a conversation in the running event loop; nothing is sent yet."""
        ...


SERVERS: Final[Mapping[str, Callable[[ModelEndpoint], ModelServer]]] = {
    "openai-chat": ChatServer,
    "openai-responses": ResponsesServer,
    "anthropic": MessagesServer,
}
"""The protocols that can be spoken, by the host's names, the preferred one first."""
