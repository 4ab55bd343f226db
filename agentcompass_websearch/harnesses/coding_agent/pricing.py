"""What a model call costs: by the published prices of the model's provider at the run's date, or by the user's own."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.transcript import now
from agentcompass_websearch.records import Usage

_log: Final = logging.getLogger("agentcompass.plugins.websearch.coding_agent")
_MILLION: Final = 1_000_000
_TIERS: Final = ("service_tier", "speed")
"""Model parameters that providers have other prices for."""


class ModelPrices:
    """Prices the calls of one model, each by itself, since price tiers apply to a request. Unknown is None, never 0.

    Args:
        model_id: the model's name at its provider.
        base_url: where it is called; from it the provider is known. A server that is no known provider has no price.
        own: the user's US dollars per million tokens (``input``, ``output``, and if they differ from ``input``,
            ``cached_input`` and ``cache_write``), which are used instead.
        at: the date whose prices count.
        params: the user's model parameters; those of `_TIERS` choose among published prices.
    """

    def __init__(
        self,
        model_id: str,
        base_url: str,
        own: Mapping[str, float] | None = None,
        at: datetime | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self._model_id = model_id
        self._base_url = base_url
        self._own = own
        self._at = at or now()
        self._context = {name: value for name, value in (params or {}).items() if name in _TIERS and value}
        self._warned = False

    @property
    def known(self) -> bool:
        """Whether calls of the model have a price."""
        return self._cost_usd(Usage(input=1, output=1)) is not None

    def cost_usd(self, usage: Usage | None) -> float | None:
        """Return the cost of one call in US dollars; None if its usage or the model's price is unknown.

        That the price is unknown is logged once.
        """
        cost = None if usage is None else self._cost_usd(usage)
        if usage is not None and cost is None and not self._warned:
            self._warned = True
            _log.warning(
                "model cost is unknown: no published price of %r at its server; set model_price to have one",
                self._model_id,
            )
        return cost

    def most_usd(self, read: int, written: int) -> float | None:
        """Return what a call of so many tokens costs at the most: some servers take more for input that they cache."""
        costs = [self._cost_usd(Usage(input=read, cache_write=n, output=written)) for n in (0, read)]
        return None if None in costs else max(cost for cost in costs if cost is not None)

    def _cost_usd(self, usage: Usage) -> float | None:
        return _own_cost_usd(usage, self._own) if self._own is not None else self._published_cost_usd(usage)

    def _published_cost_usd(self, usage: Usage) -> float | None:
        # Imported late: it takes a third of a second.
        from genai_prices import Usage as PricedUsage
        from genai_prices import calc_price

        try:
            price = calc_price(
                PricedUsage(
                    input_tokens=usage.input,
                    cache_read_tokens=usage.cached_input,
                    cache_write_tokens=usage.cache_write,
                    output_tokens=usage.output,
                ),
                model_ref=self._model_id,
                provider_api_url=self._base_url,
                genai_request_timestamp=self._at,
                price_context=self._context or None,
            )
        except (LookupError, ValueError):
            return None
        return float(price.total_price)


def _own_cost_usd(usage: Usage, own: Mapping[str, float]) -> float:
    fresh = usage.input - usage.cached_input - usage.cache_write
    return (
        fresh * own["input"]
        + usage.cached_input * own.get("cached_input", own["input"])
        + usage.cache_write * own.get("cache_write", own["input"])
        + usage.output * own["output"]
    ) / _MILLION
