"""References to environment variables: as a whole value, at any depth, and an unset one is told by name."""

from __future__ import annotations

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.references import expanded, variable_in


@pytest.mark.parametrize(
    ("value", "name"),
    [("${A_1}", "A_1"), (" ${A} ", "A"), ("$A", None), ("x ${A}", None), ("${}", None), ("${1A}", None), (7, None)],
)
def test_what_a_reference_is(value: object, name: str | None) -> None:
    assert variable_in(value) == name


def test_all_references_are_replaced_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_DEPTH", "deep ${NOT_LOOKED_AT}")
    value = {"a": "${ACME_DEPTH}", "b": [{"c": "${ACME_DEPTH}"}, 1, None], "d": "Bearer ${ACME_DEPTH}"}
    deep = "deep ${NOT_LOOKED_AT}"
    assert expanded(value) == {"a": deep, "b": [{"c": deep}, 1, None], "d": "Bearer ${ACME_DEPTH}"}


def test_an_unset_variable_is_told_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_UNSET", raising=False)
    with pytest.raises(UsageError, match=r"options\.a names the environment variable ACME_UNSET, which is not set"):
        expanded({"a": "${ACME_UNSET}"}, "options")
