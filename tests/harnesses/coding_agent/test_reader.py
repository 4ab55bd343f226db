"""Pages read by another vendor than the one that searches: what is checked, what follows, what is recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.arm import Arm, resolve_arm
from agentcompass_websearch.harnesses.coding_agent.reader import Reader
from agentcompass_websearch.tools.contract import FetchRequest, SearchRequest
from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.testing.zoo import KEY, Zoo
from tests.harnesses.coding_agent.conftest import MakeRun, attempt_of
from tests.support.fake_model import FakeModel, call, calls, says
from tests.support.fake_vendor import FakeClient, acme

CANARY = "canary-reader-key-0123456789"
BOTH = ("web_search", "web_fetch")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "brave-key-0000")
    monkeypatch.setenv("EXA_API_KEY", "exa-key-0000")


def refusal(vendor_id: str, **given: Any) -> str:
    with pytest.raises(UsageError) as caught:
        resolve_arm(vendor_id, **given)
    return str(caught.value)


def reading(vendor_id: str, fetch: str, **given: Any) -> Arm:
    return resolve_arm(vendor_id, options={"fetch": fetch, **given.pop("options", {})}, **given)


class TestWhatFollows:
    def test_a_vendor_without_a_fetch_gets_one_and_stands_on_the_other_board(self) -> None:
        assert resolve_arm("brave").tools == ("web_search",)
        arm = reading("brave", "direct")
        assert (arm.tools, arm.board) == (BOTH, "search-fetch")
        assert arm.prices == {"search": 0.005, "fetch": 0.0}
        assert (arm.vendor_id, arm.vendor_id_of("search"), arm.vendor_id_of("fetch")) == ("brave", "brave", "direct")

    def test_the_fetch_of_a_vendor_is_replaced(self) -> None:
        arm = reading("exa_fast", "direct")
        assert (arm.tools, arm.prices) == (BOTH, {"search": 0.007, "fetch": 0.0})

    def test_a_price_of_ones_own_comes_first(self) -> None:
        arm = reading("brave", "exa_auto", own_prices={"fetch": 0.5})
        assert arm.prices == {"search": 0.005, "fetch": 0.5}
        assert reading("brave", "exa_auto").prices["fetch"] == 0.001

    def test_a_price_that_is_unknown_stays_unknown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert reading("brave", "jina", fetch_api_key="k").prices == {"search": 0.005, "fetch": None}


class TestKeys:
    def test_a_key_of_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("READER_KEY", "from-a-reference")
        for given, key in (("given", "given"), ("${READER_KEY}", "from-a-reference"), ("", "exa-key-0000")):
            arm = reading("brave", "exa_auto", fetch_api_key=given)
            assert arm.reader is not None
            assert (arm.api_key, arm.reader.api_key) == ("brave-key-0000", key)

    def test_the_key_of_the_search_serves_the_same_family(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("EXA_API_KEY")
        arm = reading("exa_fast", "exa_auto", api_key="given-key")
        assert arm.reader is not None
        assert arm.reader.api_key == "given-key"

    def test_a_missing_key_names_its_variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("EXA_API_KEY")
        for given in ("", "${NOT_SET_ANYWHERE}"):
            message = refusal("brave", options={"fetch": "exa_auto"}, fetch_api_key=given)
            assert message.startswith("vendor_options.fetch: vendor 'exa_auto' needs an API key: set EXA_API_KEY")
            assert "fetch_api_key" in message
            assert ("NOT_SET_ANYWHERE, which is not set" in message) == bool(given)

    def test_no_key_shows(self) -> None:
        arm = reading("brave", "exa_auto", fetch_api_key=CANARY)
        assert CANARY not in repr(arm) + json.dumps(arm.record({}))
        assert CANARY in arm.api_keys


@pytest.mark.parametrize(
    ("vendor_id", "given", "words"),
    [
        ("brave", {"options": {"fetch": "exa_atuo"}}, "vendor_options.fetch: vendor 'exa' has no mode 'atuo'"),
        ("brave", {"options": {"fetch": "exa_atuo"}}, "Did you mean exa_auto"),
        (
            "brave",
            {"options": {"fetch": "dirct"}},
            "vendor_options.fetch: unknown vendor 'dirct'. Did you mean direct?",
        ),
        ("brave", {"options": {"fetch": 5}}, "vendor_options.fetch: no vendor id given (got 5)"),
        ("brave", {"options": {"fetch": {"id": "direct"}}}, "vendor_options.fetch: no vendor id given"),
        ("exa_auto", {"options": {"fetch": "brave"}}, "vendor_options.fetch: 'brave' reads no pages; these do: "),
        ("exa_auto", {"options": {"fetch": "none"}}, "'none' reads no pages"),
        ("exa_auto", {"options": {"fetch": "brave"}}, "direct, exa_instant"),
        ("brave", {"options": {"fetch_options": {}}}, "name it as vendor_options.fetch"),
        ("brave", {"fetch_api_key": "k"}, "fetch_api_key is for another vendor that reads pages"),
        ("brave", {"options": {"fetch": "direct", "fetch_options": 5}}, "fetch_options must be a mapping, not 5"),
        ("brave", {"options": {"fetch": "direct", "fetch_options": {"x": 1}}}, "direct has no option 'x'"),
        (
            "brave",
            {"options": {"fetch": "exa_auto", "fetch_options": {"max_age_hour": 1}}},
            "vendor_options.fetch_options: exa has no option 'max_age_hour'; did you mean 'max_age_hours'?",
        ),
        ("brave", {"options": {"fetch": "exa_auto", "fetch_options": {"max_age_hours": "x"}}}, "max_age_hours of exa"),
        ("brave", {"options": {"fetch": "direct", "fetch_base_url": "http://127.0.0.1"}}, "no option 'base_url'"),
        ("brave", {"options": {"fetchh": "direct"}}, "brave has no option 'fetchh'; did you mean 'fetch'?"),
        (
            "brave",
            {"options": {"fetch": "direct"}, "tools": ["web_search"]},
            "fetch is of no use: tools has no web_fetch",
        ),
        ("brave", {"tools": BOTH}, '"vendor_options": {"fetch": "direct"}'),
        ("none", {"options": {"fetch": "direct"}}, "vendor 'none' has no tools, but vendor_options asks for fetch"),
        ("direct", {}, "vendor 'direct' only reads pages: name a vendor that searches"),
        ("direct", {"tools": BOTH}, '"vendor_options": {"fetch": "direct"}'),
    ],
)
def test_preflight_refuses(vendor_id: str, given: dict[str, Any], words: str) -> None:
    assert words in refusal(vendor_id, **given)


def test_a_null_is_none() -> None:
    assert resolve_arm("brave", options={"fetch": None, "fetch_options": None}).reader is None


class TestRecord:
    def test_pages_are_the_vendors_own_or_generic(self) -> None:
        assert resolve_arm("exa_auto").record({})["fetch"] == "native"
        assert resolve_arm("brave").record({})["fetch"] == "none"
        assert reading("exa_auto", "direct").record({})["fetch"] == "generic"
        assert reading("brave", "exa_auto").record({})["fetch"] == "generic"
        assert reading("exa_fast", "exa_auto").record({})["fetch"] == "native"

    def test_facts_of_pages_are_those_of_the_reader(self) -> None:
        arm = resolve_arm("brave", options={"fetch": "direct"})
        assert arm.facts() == {
            "site_operator": "native",
            "cache": "searches: Brave's own index; pages: none, every page is read live",
            "objective": "not told",
        }
        options = {"fetch": "parallel", "base_url": "http://127.0.0.1:1"}
        assert resolve_arm("searxng", options=options, fetch_api_key="key").facts()["objective"] == "told"

    def test_whatever_of_the_reader_decides_a_result_is_recorded_and_nothing_else(self) -> None:
        options = {"fetch_options": {"max_age_hours": 0, "base_url": "http://127.0.0.1:1"}, "api": "web"}
        record = reading("brave", "exa_auto", options=options).record({})
        assert record["options"] == {"api": "web"}
        assert record["fetch_vendor"] == {"id": "exa_auto", "options": {"max_age_hours": 0}}
        assert "fetch_vendor" not in resolve_arm("brave").record({})

    async def test_what_the_reader_tells_of_itself_is_recorded_under_its_name(self) -> None:
        arm = reading("brave", "direct")
        assert arm.record(arm.open_client().fingerprint)["fetch_vendor"] == {
            "id": "direct",
            "options": {},
            **DirectClient().fingerprint,
        }
        arm = reading("local", "local_title", options={"fetch_options": {"pages": "sample"}})
        record = arm.record(arm.open_client().fingerprint)
        assert record["pages"] == record["fetch_vendor"]["pages"]
        assert len(record["pages"]) == 64
        assert (record["options"], record["fetch_vendor"]["options"]) == ({}, {})


async def test_searches_and_pages_go_each_to_their_own_vendor() -> None:
    async with Zoo() as zoo:
        arm = resolve_arm(
            "brave",
            api_key=KEY,
            fetch_api_key=KEY,
            options={"base_url": zoo.base_url("brave"), "fetch": "exa_auto", "fetch_base_url": zoo.base_url("exa")},
        )
        assert arm.record({})["options"] == {}
        client = arm.open_client()
        found = await client.search(SearchRequest("asset records"))
        assert found.value
        page = await client.fetch(FetchRequest(found.value[0].url))
        assert page.value is not None
        await client.aclose()
    assert [(seen.vendor, seen.op, seen.authorized) for seen in zoo.calls] == [
        ("brave", "search", True),
        ("exa", "fetch", True),
    ]


async def test_each_call_is_recorded_and_priced_under_the_vendor_that_was_asked(make_run: MakeRun) -> None:
    script = (
        calls(call("web_search", {"query": "acme"}), call("web_fetch", {"url": "https://docs.acme.example/a"})),
        calls(call("web_fetch", {"url": "http://127.0.0.1/"})),
        says("done"),
    )
    pages = replace(acme(), family="pages")
    with FakeModel(*script) as model:
        reader = Reader(pages, pages.modes["basic"])
        attempt = attempt_of(make_run(model, reader=reader, prices={"search": 0.005, "fetch": 0.25}))
        await attempt.execute()
    telemetry = attempt.telemetry()
    assert [(seen.op, seen.vendor_id, seen.list_usd) for seen in telemetry.calls] == [
        ("search", "acme_basic", 0.005),
        ("fetch", "pages_basic", 0.25),
        ("fetch", "pages_basic", 0.0),
    ]
    assert (telemetry.vendor["fetch"], telemetry.vendor["fetch_vendor"]["id"]) == ("generic", "pages_basic")


def test_keys_and_passwords_of_the_reader_are_secrets(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER_URL", "http://user:pass-0123456789@127.0.0.1:1")
    options = {"fetch_options": {"base_url": "${READER_URL}"}}
    arm = reading("brave", "exa_auto", fetch_api_key=CANARY, options=options)
    run = make_run("http://127.0.0.1:1/v1", FakeClient(), reader=arm.reader)
    assert {CANARY, "pass-0123456789"} <= set(run.secrets)
