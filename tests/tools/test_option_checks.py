from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools import option_checks


def test_right_and_absent_values() -> None:
    for options in ({}, {"n": 1}, {"n": 24}):
        option_checks.whole_number(options, "n", "acme", least=1, unit="hours")
    for options in ({}, {"f": True}, {"f": False}):
        option_checks.flag(options, "f", "acme")
    for options in ({}, {"t": "de"}):
        option_checks.text(options, "t", "acme")
    for options in ({}, {"o": "web"}):
        option_checks.one_of(options, "o", "acme", ("web", "news"))
    for options in ({}, {"d": []}, {"d": ["a.example"]}):
        option_checks.domains(options, "d", "acme")


@pytest.mark.parametrize("value", [0, -1, 1.5, "1", True, None, [1]])
def test_no_whole_number(value: Any) -> None:
    with pytest.raises(UsageError, match=r"vendor_options\.n of acme must be a whole number of hours, 1 or more, not "):
        option_checks.whole_number({"n": value}, "n", "acme", least=1, unit="hours")


@pytest.mark.parametrize("value", [0, "false", None, []])
def test_no_flag(value: Any) -> None:
    with pytest.raises(UsageError, match="must be true or false"):
        option_checks.flag({"f": value}, "f", "acme")


@pytest.mark.parametrize("value", ["", "  ", 5, ["de"], None])
def test_no_text(value: Any) -> None:
    with pytest.raises(UsageError, match=r"vendor_options\.t of acme must be text, not "):
        option_checks.text({"t": value}, "t", "acme")


@pytest.mark.parametrize("value", ["", "Web", 5, ["web"]])
def test_none_of_the_known(value: Any) -> None:
    with pytest.raises(UsageError, match="must be one of web, news"):
        option_checks.one_of({"o": value}, "o", "acme", ("web", "news"))


@pytest.mark.parametrize("value", ["a.example", [5], [""], {"a.example": 1}, None])
def test_no_list_of_domains(value: Any) -> None:
    with pytest.raises(UsageError, match="must be a list of domains"):
        option_checks.domains({"d": value}, "d", "acme")


def test_a_long_wrong_value_is_shown_in_part() -> None:
    with pytest.raises(UsageError) as caught:
        option_checks.flag({"f": "x" * 10_000}, "f", "acme")
    assert len(str(caught.value)) < 200
