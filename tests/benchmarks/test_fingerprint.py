"""The fingerprint: what changes it, what does not, and where two differ."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import differing, digest, parts_of
from tests.benchmarks.support import telemetry
from tests.benchmarks.test_records import sparse


def parts(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "ticket": "t1",
        "prompts": "p1",
        "judge": {"policy": "published", "rules": 1},
        "model": {"id": "m", "params": {"temperature": 0}},
        "harness": {"id": "coding_agent"},
        "telemetry": telemetry(),
    }
    return parts_of(**{**whole, **changes})


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"ticket": "t2"}, "ticket"),
        ({"prompts": "p2"}, "prompts"),
        ({"judge": {"policy": "official", "rules": 1}}, "judge"),
        ({"model": {"id": "m", "params": {"temperature": 1}}}, "model"),
        ({"model": {"id": "m", "params": {"temperature": False}}}, "model"),
        ({"model": {"id": "m", "params": {"temperature": 0}, "protocol": "anthropic"}}, "model"),
        ({"harness": {"id": "other"}}, "harness"),
        ({"telemetry": telemetry(tools=("web_search", "web_fetch"))}, "tools"),
        ({"telemetry": telemetry(limits={"max_turns": 5})}, "limits"),
        ({"telemetry": telemetry(vendor={"id": "tolvane_search", "caps": {"max_results": 5}})}, "vendor"),
        ({"telemetry": telemetry(vendor={"id": "local", "pages": "sha"})}, "vendor"),
    ],
)
def test_whatever_decides_a_result_changes_it(change: dict[str, Any], part: str) -> None:
    assert digest(parts(**change)) != digest(parts())
    assert differing([("a", parts()), ("a", parts(**change))]) == [part]


@pytest.mark.parametrize(
    "vendor",
    [
        {"options": {"base_url": "http://127.0.0.1:9"}},
        {"options": {"search_base_url": "http://127.0.0.1:9", "region": None}},
        {"options": {}, "rate_per_s": 3, "concurrency": 4, "cache_path": "/x", "vendor_api_key": "k"},
    ],
)
def test_addresses_rates_paths_and_keys_do_not(vendor: dict[str, Any]) -> None:
    assert parts(telemetry=telemetry(vendor={**telemetry().vendor, **vendor})) == parts()


@pytest.mark.parametrize("name", ["extra_headers", "extra_query"])
def test_nor_does_how_a_gateway_is_passed(name: str) -> None:
    model = {"id": "m", "params": {"temperature": 0, name: {"X-Gateway": "secret"}}}
    assert parts(model=model) == parts()


def test_it_is_the_same_after_the_host_stored_it() -> None:
    before = parts(telemetry=telemetry(limits={"max_turns": None, "max_fetches": 0}, tools=()))
    after = json.loads(json.dumps(sparse(before)))
    assert digest(after) == digest(before)


def test_tickets_may_differ_in_what_is_theirs_but_their_attempts_may_not() -> None:
    a, b = parts(ticket="a", telemetry=telemetry(limits={"max_turns": 3})), parts(ticket="b")
    assert differing([("a", a), ("b", b), ("a", a)]) == []
    assert differing([("a", a), ("b", b), ("a", b)]) == ["limits", "ticket"]


def test_a_part_that_some_attempts_lack_differs() -> None:
    assert differing([("a", parts()), ("a", parts(telemetry=None))]) == ["limits", "tools", "vendor"]
    assert differing([]) == []


def test_the_digest_is_of_canonical_json() -> None:
    assert digest({"b": [1, "é"], "a": None}) == digest({"a": None, "b": [1, "é"]})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert len(digest("\ud835")) == 64
