"""Model prices: dated, by provider, or the user's own; unknown is None."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import pytest

from agentcompass_websearch.harnesses.coding_agent.pricing import ModelPrices
from agentcompass_websearch.records import Usage

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)


def test_own_prices_charge_cached_tokens_once() -> None:
    prices = ModelPrices("m", "http://127.0.0.1:1/v1", {"input": 1.0, "cached_input": 0.1, "output": 10.0})
    cost = prices.cost_usd(Usage(input=2000, cached_input=1900, output=100))
    assert cost == pytest.approx(0.00129)


def test_own_prices_left_out_are_those_of_input() -> None:
    prices = ModelPrices("m", "", {"input": 2.0, "output": 0.0})
    assert prices.cost_usd(Usage(input=10, cached_input=4, cache_write=3, output=9)) == pytest.approx(20e-6)


def test_a_free_model_costs_nothing() -> None:
    prices = ModelPrices("m", "", {"input": 0, "output": 0})
    assert prices.cost_usd(Usage(input=10, output=9)) == 0
    assert prices.known


def test_published_prices_are_those_of_the_date() -> None:
    usage = Usage(input=1_000, output=1_000)
    july, september = (
        ModelPrices("gpt-5.6-sol", OPENAI, at=datetime(2026, month, 1, tzinfo=UTC)).cost_usd(usage) for month in (7, 9)
    )
    assert july == pytest.approx(0.035)
    assert september == pytest.approx(0.024)


@pytest.mark.parametrize(
    ("model", "url"), [("gpt-5.6-sol", "http://user:sesame@127.0.0.1:8000/v1"), ("no-such-model", OPENAI)]
)
def test_what_is_not_known_is_none_with_one_warning(model: str, url: str, caplog: pytest.LogCaptureFixture) -> None:
    prices = ModelPrices(model, url)
    with caplog.at_level(logging.WARNING):
        assert not prices.known
        assert not caplog.records
        assert prices.cost_usd(Usage(input=1, output=1)) is None
        assert prices.cost_usd(Usage(input=1, output=1)) is None
    assert not prices.known
    assert caplog.text.count("set model_price") == 1
    assert "sesame" not in caplog.text


@pytest.mark.parametrize(
    ("params", "factor"),
    [({"service_tier": "flex"}, 0.5), ({"service_tier": "auto"}, 1), ({"service_tier": None}, 1), ({"seed": 1}, 1)],
)
def test_published_prices_are_those_of_the_tier_that_is_asked_for(params: dict[str, object], factor: float) -> None:
    usage = Usage(input=1_000, output=1_000)
    usual = ModelPrices("gpt-5.6-sol", OPENAI, at=NOVEMBER).cost_usd(usage)
    assert usual
    assert ModelPrices("gpt-5.6-sol", OPENAI, at=NOVEMBER, params=params).cost_usd(usage) == pytest.approx(
        factor * usual
    )


def test_the_most_that_a_call_can_cost_has_its_input_written_to_the_cache() -> None:
    assert ModelPrices("m", "", {"input": 1, "cache_write": 3, "output": 2}).most_usd(10, 5) == pytest.approx(40e-6)
    assert ModelPrices("m", "", {"input": 4, "cache_write": 3, "output": 2}).most_usd(10, 5) == pytest.approx(50e-6)
    assert ModelPrices("claude-opus-5-5", ANTHROPIC, at=NOVEMBER).most_usd(10, 5) == pytest.approx(150e-6)
    assert ModelPrices("m", OPENAI).most_usd(10, 5) is None


def test_unknown_usage_costs_an_unknown_amount() -> None:
    assert ModelPrices("m", "", {"input": 1, "output": 1}).cost_usd(None) is None
    assert ModelPrices("gpt-5.6-sol", OPENAI).cost_usd(None) is None


@pytest.mark.parametrize(
    ("model", "url", "per_million"),
    [
        ("claude-opus-5-5", ANTHROPIC, {"fresh": 4.0, "cached": 0.2, "written": 5.0, "output": 20.0}),
        ("gpt-5.6-sol", OPENAI, {"fresh": 4.0, "cached": 0.4, "written": 5.0, "output": 20.0}),
    ],
)
def test_published_prices_tell_cached_written_and_reasoning_tokens_apart(
    model: str, url: str, per_million: dict[str, float]
) -> None:
    usage = Usage(input=10_000, cached_input=6_000, cache_write=3_000, output=1_000, reasoning=900)
    expected = 1_000 * per_million["fresh"] + 6_000 * per_million["cached"] + 3_000 * per_million["written"]
    expected += 1_000 * per_million["output"]
    assert ModelPrices(model, url, at=NOVEMBER).cost_usd(usage) == pytest.approx(expected / 1_000_000)
