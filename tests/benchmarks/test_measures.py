"""What an attempt took, from our telemetry and from other harnesses' trajectories."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.measures import from_telemetry, from_trajectory
from agentcompass_websearch.records import CallRecord, Evidence, Search, Usage
from tests.benchmarks.support import searched, telemetry, trajectory


def call(op: Any, *, ok: bool = True, tries: int = 1, seconds: float | None = 1.0, **more: Any) -> CallRecord:
    return CallRecord("c", op, "v", 1, 1, ok, tries=tries, service_s=seconds, **more)


def test_all_measures_of_an_attempt() -> None:
    assert from_telemetry(telemetry()) == {
        "task_seconds": 3.0,
        "model_seconds": 2.5,
        "search_calls": 1.0,
        "fetch_calls": 0.0,
        "search_seconds": 0.4,
        "vendor_failures": 0.0,
        "prompt_tokens": 2000.0,
        "completion_tokens": 400.0,
        "total_tokens": 2400.0,
        "model_cost_usd": 0.02,
        "tool_cost_usd": 0.005,
        "cost_usd": 0.025,
    }


def test_what_is_unknown_is_absent_and_zero_is_zero() -> None:
    unknown = from_telemetry(telemetry(usage=None, model_usd=None, calls=()))
    assert not {"prompt_tokens", "total_tokens", "model_cost_usd", "cost_usd", "search_seconds"} & set(unknown)
    assert unknown["tool_cost_usd"] == 0.005
    free = from_telemetry(telemetry(usage=Usage(), model_usd=0.0, tool_usd=0.0, calls=()))
    assert (free["total_tokens"], free["cost_usd"], free["search_calls"]) == (0.0, 0.0, 0.0)


def test_only_calls_that_reached_the_vendor_are_counted() -> None:
    calls = (
        call("search"),
        call("search", ok=False, seconds=3.0, error_kind="timeout"),
        call("search", tries=0, seconds=0.5, replayed=True),
        call("search", ok=False, tries=0, seconds=None, error_kind="bad_arguments"),
        call("search", seconds=None),
        call("fetch", ok=False, error_kind="target"),
        call("fetch", ok=False, error_kind="quota"),
    )
    taken = from_telemetry(telemetry(calls=calls))
    assert (taken["search_calls"], taken["fetch_calls"], taken["search_seconds"]) == (4.0, 2.0, 4.5)
    assert taken["vendor_failures"] == 2.0


def test_other_harnesses_are_measured_by_their_trajectory() -> None:
    stored = trajectory(searched("https://a.example/"))
    child = {"trajectory": trajectory()}
    evidence = Evidence((Search("q"),), kind="text")
    assert from_trajectory(stored, {"sub_agents": [child]}, evidence) == {
        "task_seconds": 10.5,
        "model_seconds": 3.0,
        "search_calls": 1.0,
        "fetch_calls": 0.0,
        "prompt_tokens": 200.0,
        "completion_tokens": 40.0,
        "total_tokens": 240.0,
    }


@pytest.mark.parametrize("tokens", [None, "10", True, -1, {}])
def test_usage_that_is_no_number_makes_tokens_unknown(tokens: Any) -> None:
    stored = trajectory(searched("https://a.example/"))
    stored["steps"][0]["metric"]["prompt_tokens_len"] = tokens
    taken = from_trajectory(stored, None, Evidence(kind="none"))
    assert "prompt_tokens" not in taken
    assert "total_tokens" not in taken
    assert taken["completion_tokens"] == 20.0


@pytest.mark.parametrize(
    ("started", "finished"),
    [
        (None, None),
        ("noon", "evening"),
        (datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-02", "2026-01-01"),
        (5, 7),
    ],
)
def test_times_that_are_none_are_unknown(started: Any, finished: Any) -> None:
    taken = from_trajectory({"started_at": started, "finished_at": finished}, None, Evidence(kind="none"))
    assert taken == {}
