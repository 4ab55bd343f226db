from __future__ import annotations

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.contract import Mode, Vendor, VendorSettings
from agentcompass_websearch.tools.keys import find_key
from agentcompass_websearch.tools.vendors.none import NoClient

MODE = Mode("", "test", frozenset({"search"}), ("search-only",))
VENDOR = Vendor(
    "acme",
    "Acme",
    "",
    {"": MODE},
    "",
    open=lambda settings, transport: NoClient(),
    key_vars=("ACME_KEY", "ACME_OLD_KEY"),
)


def test_the_explicit_key_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "from-environment")
    assert find_key(VENDOR, "given") == "given"
    assert find_key(VENDOR, " given\n") == "given"


@pytest.mark.parametrize("nothing", ["", "  ", None])
def test_else_the_first_set_variable(monkeypatch: pytest.MonkeyPatch, nothing: str | None) -> None:
    assert find_key(VENDOR, nothing) == ""
    monkeypatch.setenv("ACME_OLD_KEY", "old")
    assert find_key(VENDOR, nothing) == "old"
    monkeypatch.setenv("ACME_KEY", "  ")
    assert find_key(VENDOR, nothing) == "old"
    monkeypatch.setenv("ACME_KEY", " new\n")
    assert find_key(VENDOR, nothing) == "new"


def test_a_reference_stands_for_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " mine ")
    assert find_key(VENDOR, "${MY_KEY}") == "mine"
    with pytest.raises(UsageError, match="a whole"):
        find_key(VENDOR, "a${MY_KEY}")


@pytest.mark.parametrize("key", ["se\ncret", "secr\u00e9t", "\u201csecret\u201d", "sec\x00ret", "se\ud800cret"])
def test_a_key_that_no_request_can_carry_is_refused_unseen(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    with pytest.raises(UsageError, match="the key given for acme") as given:
        find_key(VENDOR, key)
    monkeypatch.setattr("os.environ", {"ACME_KEY": key})
    with pytest.raises(UsageError, match="ACME_KEY") as found:
        find_key(VENDOR)
    assert "ret" not in str(given.value) + str(found.value)


def test_a_reference_to_an_unset_variable_is_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "of another account")
    assert find_key(VENDOR, "${NO_SUCH_VARIABLE}") == ""


def test_a_key_is_in_no_repr() -> None:
    assert "secret" not in repr(VendorSettings("acme", MODE, api_key="secret"))
