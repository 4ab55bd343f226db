"""Sessions of any protocol on a fake model, with an opening that tests change as they need."""

from __future__ import annotations

import time
from typing import Any

from agentcompass_websearch.harnesses.coding_agent.model import server_url
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS, ModelServer
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Opening, Reply, Turn
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import tool_schemas
from agentcompass_websearch.text import Redactor, clean
from tests.support.fake_model import FakeModel

KEY = "model-key-0123456789"
PRICE = {"input": 1.0, "output": 10.0}


def server_of(protocol: str, model: FakeModel | str) -> ModelServer:
    url = server_url(model if isinstance(model, str) else model.base_url, protocol)
    return SERVERS[protocol](ModelEndpoint("m", url, ModelPrices("m", url, PRICE)))


async def session_on(protocol: str, model: FakeModel | str | ModelServer, **changes: Any) -> ModelSession:
    opening = {
        "system": "Be good.",
        "prompt": "Do it.",
        "tools": tool_schemas(("web_search", "web_fetch"), {}),
        "params": {},
        "default_output_tokens": None,
        "tidy": lambda text: Redactor([KEY]).scrub(clean(text)),
        "api_key": KEY,
    } | changes
    server = server_of(protocol, model) if isinstance(model, FakeModel | str) else model
    return await server.open(Opening(**opening))


async def ask(session: ModelSession, *, answer_now: bool = False, seconds: float = 30.0) -> Turn:
    return await session.next_turn(answer_now=answer_now, deadline=time.monotonic() + seconds)


async def ask_and_reply(session: ModelSession, content: str = "{}") -> Turn:
    """Ask, and answer all calls with `content`."""
    turn = await ask(session)
    session.reply([Reply(call.call_id, call.name, content) for call in turn.calls])
    return turn
