"""What the attempts of a run share: arm, vendor client, model server, breakers, cost cap."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.arm import Arm
from agentcompass_websearch.harnesses.coding_agent.breaker import Breaker
from agentcompass_websearch.harnesses.coding_agent.budget import CostCap
from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.harnesses.coding_agent.protocols.endpoint import CALL_TIMEOUT_S, ModelEndpoint
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import OPERATION_OF_TOOL
from agentcompass_websearch.tools.contract import VendorClient

_ADMITS: Final = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


class Run:
    """The shared part of a run.

    Args:
        arm: the vendor and its tools.
        protocol: a name in `SERVERS`.
        model_id: the model's name.
        base_url: where it is called.
        params: model parameters (see `model.checked_params`).
        limits: the user's limits by name, None where the task's own or the default counts.
        prices: what the model costs.
        max_cost_usd: the cost cap; None for none.
        model_secret: the model's key as the user gave it; what an attempt sends may be made from it.
    """

    def __init__(
        self,
        arm: Arm,
        *,
        protocol: str,
        model_id: str,
        base_url: str,
        params: Mapping[str, Any],
        limits: Mapping[str, int | str | None],
        prices: ModelPrices,
        max_cost_usd: float | None = None,
        model_secret: str = "",
    ) -> None:
        self.arm = arm
        self.protocol = protocol
        self.params = params
        self.limits = limits
        self.cap = CostCap(max_cost_usd)
        self.vendor_breaker = Breaker()
        self._model_secret = model_secret
        timeout_s = params.get("timeout", CALL_TIMEOUT_S)
        self.endpoint = ModelEndpoint(model_id, base_url, prices, self.cap, call_timeout_s=timeout_s)
        self.server = SERVERS[protocol](self.endpoint)
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, VendorClient] = weakref.WeakKeyDictionary()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must stand in no text: keys, passwords in addresses, and headers and queries that let a request in."""
        urls = [self.endpoint.base_url, *map(str, self.arm.option_values)]
        passwords = (
            spelled for url in urls if (password := _password_in(url)) for spelled in {password, unquote(password)}
        )
        given = [*self.params.get("extra_headers", {}).items(), *self.params.get("extra_query", {}).items()]
        # The last word, since "Bearer" before it is no secret.
        admitting = (word for name, value in given if _ADMITS.search(name) for word in str(value).split()[-1:])
        return (*self.arm.api_keys, self._model_secret, *passwords, *admitting)

    def vendor_client(self) -> VendorClient:
        """Return the vendor's client of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self.arm.open_client()
        return self._clients[loop]


def _password_in(text: str) -> str | None:
    try:
        return urlsplit(text).password
    except ValueError:
        return None


def check_cost_cap(arm: Arm, prices: ModelPrices) -> None:
    """Check that a cost cap can be kept: every price that it counts must be known.

    Raises:
        UsageError: a price is not.
    """
    unknown = [op for tool in arm.tools if arm.prices.get(op := OPERATION_OF_TOOL[tool]) is None]
    if unknown:
        raise UsageError(
            f"max_cost_usd needs prices: what a {' and a '.join(unknown)} of {arm.vendor_id} costs is unknown; "
            f"set vendor_price, such as {{{', '.join(f'"{op}": 0.005' for op in unknown)}}} (US dollars a call)"
        )
    if not prices.known:
        raise UsageError(
            "max_cost_usd needs prices: what the model costs is unknown; "
            'set model_price, such as {"input": 1.25, "output": 10} (US dollars per million tokens)'
        )
