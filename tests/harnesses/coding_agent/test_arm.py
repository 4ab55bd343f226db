"""Arms: looking a vendor id up, its tools, prices and key; and what of it is recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.arm import Arm, resolve_arm
from agentcompass_websearch.tools.contract import SEARCH, SEARCH_AND_FETCH, Facts, Mode, Price, Vendor
from tests.support.fake_vendor import acme, acme_arm

OPTIONS = {"base_url": "where", "depth": "how deep", "pages": "which pages"}


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return ``use(vendor)``, which makes a vendor the only installed one."""

    def use(vendor: Vendor) -> None:
        def resolve(vendor_id: str) -> tuple[Vendor, Mode]:
            if vendor_id not in ("acme", "acme_basic"):
                raise UsageError(f"unknown vendor {vendor_id!r}. Did you mean acme?")
            return vendor, vendor.modes["basic"]

        monkeypatch.setattr(plugins, "resolve", resolve)
        monkeypatch.setattr(plugins, "all_vendors", lambda: ([vendor], []))

    return use


def refusal(vendor_id: str = "acme", **changes: Any) -> str:
    with pytest.raises(UsageError) as caught:
        resolve_arm(vendor_id, **changes)
    return str(caught.value)


def test_a_family_is_recorded_by_its_full_id(use: Any) -> None:
    use(acme())
    arm = resolve_arm("acme")
    assert arm.vendor_id == "acme_basic"
    assert arm.record({}) == resolve_arm("acme_basic").record({})


@pytest.mark.parametrize(
    ("operations", "home_boards", "tools"),
    [
        (("search", "fetch"), ("search-fetch",), ("web_search", "web_fetch")),
        (("search", "fetch"), ("search-only",), ("web_search",)),
        (("search", "fetch"), ("search-only", "search-fetch"), ("web_search", "web_fetch")),
        (("search",), ("search-only", "search-fetch"), ("web_search",)),
        ((), ("no-search",), ()),
    ],
)
def test_the_tools_are_those_of_the_home_board(use: Any, operations: Any, home_boards: Any, tools: Any) -> None:
    use(acme(operations=operations, home_boards=home_boards))
    assert resolve_arm("acme").tools == tools


def test_a_vendor_may_run_on_a_board_that_is_not_its_home(use: Any) -> None:
    use(acme(home_boards=("search-fetch",)))
    assert resolve_arm("acme", tools=["web_search"]).board == "search-only"


def test_a_tool_that_the_vendor_lacks_is_refused(use: Any) -> None:
    use(acme(operations=("search",), home_boards=("search-only",)))
    assert "'acme_basic' has no web_fetch; it has web_search" in refusal(tools=["web_search", "web_fetch"])


def test_the_arm_without_search_has_no_tools_to_ask_for() -> None:
    assert resolve_arm("none").tools == ()
    assert resolve_arm("none").board == "no-search"
    assert "has no tools, but tools asks for web_search" in refusal("none", tools=["web_search"])


def test_an_unknown_vendor_is_answered_with_vendors_and_keys(use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(acme(key_vars=("ACME_API_KEY", "ACME_KEY")))
    monkeypatch.setenv("ACME_KEY", "secret-value")
    message = refusal("acmee")
    assert "Did you mean acme?" in message
    assert "Vendors: acme. Keys set: ACME_KEY; not set: ACME_API_KEY." in message
    assert "secret-value" not in message


class TestKeys:
    def test_a_missing_key_names_its_variables(self, use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        use(acme(key_vars=("ACME_API_KEY", "ACME_KEY")))
        for explicit in ("", "${NOT_SET_ANYWHERE}"):
            message = refusal(api_key=explicit)
            assert "vendor 'acme' needs an API key: set ACME_API_KEY or ACME_KEY" in message
            assert "vendor_api_key" in message
            assert ("NOT_SET_ANYWHERE, which is not set" in message) == bool(explicit)
            assert "Keys set: none; not set: ACME_API_KEY." in message

    def test_a_key_comes_from_the_parameter_a_reference_or_a_variable(
        self, use: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use(acme(key_vars=("ACME_API_KEY",)))
        monkeypatch.setenv("ACME_API_KEY", "from-variable")
        monkeypatch.setenv("OTHER", "from-reference")
        assert resolve_arm("acme").api_key == "from-variable"
        assert resolve_arm("acme", api_key="given").api_key == "given"
        assert resolve_arm("acme", api_key="${OTHER}").api_key == "from-reference"

    def test_a_vendor_that_needs_no_key_has_none(self, use: Any) -> None:
        use(acme(key_vars=("ACME_API_KEY",), key_optional=True))
        assert resolve_arm("acme").api_key == ""

    def test_no_key_shows(self, use: Any) -> None:
        use(acme(key_vars=("ACME_API_KEY",)))
        arm = resolve_arm("acme", api_key="canary-key")
        assert "canary-key" not in repr(arm) + json.dumps(arm.record({}))


class TestOptions:
    def test_an_unknown_option_is_told_the_nearest_one(self, use: Any) -> None:
        use(acme(options=OPTIONS))
        assert "has no option 'dept'; did you mean 'depth'?" in refusal(options={"dept": 1})

    def test_references_are_resolved_and_must_be_set(self, use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        use(acme(options=OPTIONS))
        monkeypatch.setenv("DEPTH", "deep")
        arm = resolve_arm("acme", options={"depth": "${DEPTH}", "pages": ["${DEPTH}", "x"]})
        assert arm.options == {"depth": "deep", "pages": ["deep", "x"]}
        assert "vendor_options.depth names the environment variable UNSET, which is not set" in refusal(
            options={"depth": "${UNSET}"}
        )

    @pytest.mark.parametrize("url", ["http://user:canary@127.0.0.1:1/v1", "https://canary@127.0.0.1"])
    def test_credentials_in_an_address_are_given_by_reference_only(
        self, use: Any, monkeypatch: pytest.MonkeyPatch, url: str
    ) -> None:
        use(acme(options=OPTIONS))
        for options in ({"base_url": url}, {"fetch_options": {"search_base_url": url}}):
            message = refusal(options=options)
            assert "base_url holds a user name or password" in message
            assert "canary" not in message
        monkeypatch.setenv("ACME_URL", url)
        assert resolve_arm("acme", options={"base_url": "${ACME_URL}"}).options == {"base_url": url}
        assert resolve_arm("acme", options={"base_url": "http://127.0.0.1:1/@user"}).options

    def test_what_the_vendor_says_of_itself_is_told_apart_from_what_decides(self, use: Any) -> None:
        use(acme(facts=Facts(site_operator="lifted", cache="a day", objective=SEARCH_AND_FETCH)))
        arm = resolve_arm("acme")
        assert arm.facts() == {"site_operator": "lifted", "cache": "a day", "objective": "told"}
        assert not {"site_operator", "cache", "objective"} & set(arm.record({}))

    @pytest.mark.parametrize(("told_with", "tools"), [(SEARCH, None), (SEARCH_AND_FETCH, ["web_search"])])
    def test_only_a_fetch_tells_an_objective(self, use: Any, told_with: Any, tools: Any) -> None:
        use(acme(facts=Facts(objective=told_with)))
        assert resolve_arm("acme", tools=tools).facts()["objective"] == "not told"

    def test_what_decides_no_result_is_not_recorded(self, use: Any) -> None:
        use(acme(options=OPTIONS))
        options = {"base_url": "http://127.0.0.1:1", "depth": "deep", "pages": "/some/folder"}
        arm = resolve_arm("acme", options=options, concurrency=3, rate_per_s=2.0)
        assert arm.record({"pages": "sha-of-pages"}) == {
            "id": "acme_basic",
            "family": "acme",
            "mode": "basic",
            "fetch": "native",
            "options": {"depth": "deep"},
            "on_failure": "fatal",
            "caps": {"max_results": 8, "snippet_chars": 1200, "fetch_chars": 16000},
            "tool_names": {},
            "pages": "sha-of-pages",
        }


@pytest.mark.parametrize(
    ("own", "prices"),
    [
        (None, {"search": 0.005, "fetch": None}),
        ({"fetch": 0}, {"search": 0.005, "fetch": 0}),
        ({"search": 0.1, "fetch": 0.2}, {"search": 0.1, "fetch": 0.2}),
    ],
)
def test_own_prices_stand_for_the_list_prices(use: Any, own: Any, prices: Any) -> None:
    use(acme(price=Price(search_usd=0.005)))
    assert resolve_arm("acme", own_prices=own).prices == prices


async def test_the_client_gets_settings_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def opened(vendor: Vendor, mode: Mode, **given: Any) -> None:
        seen.update(given)

    monkeypatch.setattr("agentcompass_websearch.harnesses.coding_agent.arm.open_client", opened)
    arm: Arm = acme_arm(api_key="k", options={"depth": 1}, concurrency=3, rate_per_s=0.5)
    arm.open_client()
    assert {k: seen[k] for k in ("api_key", "options", "concurrency", "rate_per_s")} == {
        "api_key": "k",
        "options": {"depth": 1},
        "concurrency": 3,
        "rate_per_s": 0.5,
    }
