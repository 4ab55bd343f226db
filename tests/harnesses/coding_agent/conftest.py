"""What the tests of the harness stand on: attempts on a scripted model and a vendor in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Task
from agentcompass_websearch.harnesses.coding_agent.model import server_url
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import endpoint
from agentcompass_websearch.harnesses.coding_agent.run import Run
from agentcompass_websearch.tools.retry import Patience
from tests.support.fake_model import FakeModel
from tests.support.fake_vendor import FakeClient, acme_arm

KEY = "model-key-0123456789"
PRICE = {"input": 1.0, "output": 10.0}


async def _no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


QUICK = Patience(total_s=120.0, longest_s=30.0, sleep=_no_sleep, random=lambda: 1.0)
"""The patience of the product, without the waiting."""


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PATIENCE", QUICK)


type MakeRun = Callable[..., Run]


@pytest.fixture
def make_run() -> MakeRun:
    """Return ``make_run(model, client, ...)``: the shared part of a run on a fake model and a fake vendor."""

    def make_run(
        model: FakeModel | str,
        client: FakeClient | None = None,
        *,
        limits: dict[str, Any] | None = None,
        params: dict[str, Any] | None = None,
        protocol: str = "openai-chat",
        price: dict[str, float] | None = PRICE,
        max_cost_usd: float | None = None,
        **arm: Any,
    ) -> Run:
        url = server_url(model if isinstance(model, str) else model.base_url, protocol)
        return Run(
            acme_arm(client or FakeClient(), **arm),
            protocol=protocol,
            model_id="m",
            base_url=url,
            params=params or {},
            limits=limits or {},
            prices=ModelPrices("m", url, price),
            max_cost_usd=max_cost_usd,
        )

    return make_run


def attempt_of(run: Run, *, timeout_s: float | None = 60.0, metadata: dict[str, Any] | None = None) -> Attempt:
    """Make one attempt of a run at a task with the prompt ``Do it.``"""
    return Attempt(run, Task("Do it.", "Be good.", metadata or {}), model_key=KEY, timeout_s=timeout_s)
