"""Harness parameters: each wrong one is refused with its name, before anything is spent."""

from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.config import CodingAgentConfig


def config(**params: Any) -> CodingAgentConfig:
    return CodingAgentConfig.from_params({"vendor": "local", **params}, field_name="harnesses.coding_agent")


def refusal(**params: Any) -> str:
    with pytest.raises(UsageError) as caught:
        config(**params)
    return str(caught.value)


def test_the_defaults() -> None:
    found = config()
    assert (found.max_turns, found.max_searches, found.max_fetches) == (None, None, None)
    assert (found.max_results, found.snippet_chars, found.fetch_chars) == (8, 1200, 16000)
    assert (found.vendor_failure, found.tools, found.max_cost_usd) == ("fatal", None, None)


def test_null_is_the_default_of_every_parameter() -> None:
    names = [name for name in CodingAgentConfig.__dataclass_fields__ if name != "vendor"]
    assert config(**dict.fromkeys(names)) == config()


def test_the_vendor_is_required() -> None:
    for missing in ({}, {"vendor": ""}, {"vendor": None}, {"vendor": " "}):
        with pytest.raises(UsageError, match=r"vendor is required.*agentcompass-websearch vendors"):
            CodingAgentConfig.from_params(missing, field_name="harnesses.coding_agent")


@pytest.mark.parametrize("value", [5, False, ["local"], {"id": "local"}])
def test_a_vendor_that_is_no_text_is_shown_as_it_came(value: object) -> None:
    assert refusal(vendor=value) == f"vendor is {value!r}, but must be text: quote it"


def test_an_unknown_parameter_is_told_the_nearest_one() -> None:
    message = refusal(max_turn=3)
    assert "harnesses.coding_agent has no 'max_turn'. Did you mean 'max_turns'?" in message
    assert "snippet_chars" in message


@pytest.mark.parametrize("name", ["max_turns", "max_searches", "max_fetches"])
class TestBudgets:
    @pytest.mark.parametrize("value", [0, 1, 10_000, "unlimited"])
    def test_whole_numbers_and_unlimited_are_taken_as_they_are(self, name: str, value: object) -> None:
        assert getattr(config(**{name: value}), name) == value

    @pytest.mark.parametrize("value", [True, False, -1, 2.0, 2.5, "5", "", "infinite", [5], float("nan")])
    def test_anything_else_is_refused(self, name: str, value: object) -> None:
        message = refusal(**{name: value})
        assert f"{name} is {value!r}; allowed: a whole number of 0 or more" in message
        assert '"unlimited"' in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_results", 0),
        ("max_results", "unlimited"),
        ("max_results", True),
        ("snippet_chars", -1),
        ("fetch_chars", 1.5),
        ("vendor_concurrency", 0),
        ("vendor_concurrency", True),
        ("vendor_rate_per_s", -0.5),
        ("vendor_rate_per_s", "fast"),
        ("max_cost_usd", -1),
        ("max_cost_usd", True),
        ("max_cost_usd", float("inf")),
        ("max_cost_usd", float("nan")),
        ("vendor_failure", "ignore"),
        ("vendor_failure", ["fatal"]),
        ("vendor_api_key", 5),
        ("vendor_options", "base_url"),
        ("vendor_options", []),
        ("tool_names", ["a"]),
    ],
)
def test_wrong_values_are_named(name: str, value: object) -> None:
    assert refusal(**{name: value}).startswith(name)


@pytest.mark.parametrize(
    ("name", "value"), [("snippet_chars", 0), ("fetch_chars", 0), ("max_cost_usd", 0), ("vendor_rate_per_s", 0)]
)
def test_nothing_means_nothing(name: str, value: object) -> None:
    assert getattr(config(**{name: value}), name) == 0


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("web_search", "tools must be a list, not 'web_search'"),
        (["web_serch"], "tools has no 'web_serch'. Did you mean 'web_search'?"),
        (["web_search", "web_search"], "names a tool twice"),
        (["web_fetch"], "web_fetch without web_search"),
        ([], '"vendor": "none"'),
        ([["web_search"]], "tools has no"),
    ],
)
def test_wrong_tools_are_refused(tools: object, words: str) -> None:
    assert words in refusal(tools=tools)


def test_tools_stand_in_their_usual_order() -> None:
    assert config(tools=["web_fetch", "web_search"]).tools == ["web_search", "web_fetch"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"search": "x"}, "tool_names has no 'search'"),
        ({"web_search": "look up"}, "tool_names.web_search is 'look up'"),
        ({"web_search": 5}, "tool_names.web_search is 5"),
        ({"web_search": "web_fetch"}, "gives two tools one name"),
        ({"web_search": "x", "web_fetch": "x"}, "gives two tools one name"),
    ],
)
def test_wrong_tool_names_are_refused(names: dict[str, Any], words: str) -> None:
    assert words in refusal(tool_names=names)


@pytest.mark.parametrize(
    ("name", "price", "words"),
    [
        ("model_price", {"input": 1}, "model_price needs output"),
        ("model_price", {"input": -1, "output": 1}, "model_price.input is -1"),
        ("model_price", {"input": "1", "output": 1}, "model_price.input is '1'"),
        ("model_price", {"input": 1, "output": True}, "model_price.output is True"),
        ("model_price", {"input": 1, "outptu": 1}, "model_price has no 'outptu'. Did you mean 'output'?"),
        ("model_price", 5, "model_price must be a mapping"),
        ("vendor_price", {"serch": 1}, "vendor_price has no 'serch'. Did you mean 'search'?"),
        ("vendor_price", {"fetch": float("nan")}, "vendor_price.fetch is nan"),
    ],
)
def test_wrong_prices_are_refused(name: str, price: object, words: str) -> None:
    assert words in refusal(**{name: price})


def test_free_is_a_price() -> None:
    found = config(model_price={"input": 0, "output": 0}, vendor_price={"search": 0})
    assert found.model_price == {"input": 0, "output": 0}
    assert found.vendor_price == {"search": 0}
