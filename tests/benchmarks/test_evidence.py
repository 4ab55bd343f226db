"""Evidence from trajectories: the host's objects and their stored form, sub-agents, and who can read what."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agentcompass.runtime.models.trajectory import AssistantContent, StepInfo, Trajectory, TrajMetric

from agentcompass_websearch.benchmarks.ob_code_websearch import evidence as module
from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import (
    ToolCall,
    evidence_of,
    queries_of,
    read_structured,
    register_reader,
    tool_calls_of,
)
from agentcompass_websearch.records import Evidence, to_builtins
from tests.benchmarks.support import DOCS_URL, fetched, refused, searched, telemetry, trajectory

OURS = {"websearch": to_builtins(telemetry())}


def as_object(stored: dict[str, Any]) -> Trajectory:
    (step,) = stored["steps"]
    content = AssistantContent("", "", step["assistant_content"]["tool_calls"])
    info = StepInfo(1, content, TrajMetric(), observation=step["observation"])
    return Trajectory(steps=[info], started_at=datetime.now(UTC), finished_at=datetime.now(UTC))


@pytest.mark.parametrize("form", [dict, as_object])
def test_both_forms_of_a_trajectory_are_read(form: Any) -> None:
    calls = tool_calls_of(form(trajectory(searched(DOCS_URL), fetched(DOCS_URL))), None)
    assert [(call.call_id, call.name) for call in calls] == [("call_1", "web_search"), ("call_2", "web_fetch")]
    found = evidence_of(calls, "coding_agent", OURS)
    assert [hit.url for hit in found.searches[0].hits] == [DOCS_URL]
    assert found.fetches[0].url == DOCS_URL
    assert found.kind == "structured"


@pytest.mark.parametrize("form", [dict, as_object])
def test_sub_agents_add_their_evidence(form: Any) -> None:
    child = {"trajectory": form(trajectory(searched(DOCS_URL, call_id="child_1")))}
    calls = tool_calls_of(form(trajectory(refused())), {"sub_agents": [child, None, "text", {}]})
    found = evidence_of(calls, "coding_agent", OURS)
    assert [(s.call_id, s.n) for s in found.searches] == [("child_1", 1)]


@pytest.mark.parametrize(
    "broken",
    [
        None,
        "text",
        {},
        {"steps": None},
        {"steps": ["text", None, {}]},
        {"steps": [{"assistant_content": "text", "observation": "text"}]},
        {"steps": [{"assistant_content": {"tool_calls": {"a": 1}}, "observation": [None, 5]}]},
        {"steps": [{"assistant_content": {"tool_calls": [{"function": {"arguments": "[" * 10**5}}]}}]},
    ],
)
def test_what_has_no_form_is_left_out(broken: Any) -> None:
    calls = tool_calls_of(broken, {"sub_agents": {"a": 1}})
    assert read_structured(calls) == Evidence()


def test_queries_are_those_that_the_model_wrote_even_if_nothing_came_of_them() -> None:
    stored = trajectory(searched(DOCS_URL, query="as it was sent"), query="as the model wrote it")
    stored["steps"][0]["assistant_content"]["tool_calls"] += [
        {"id": "call_9", "function": {"name": "web_search", "arguments": '{"query": "refused"}'}},
        {"id": "call_10", "function": {"name": "web_search", "arguments": '{"query": 5}'}},
        {"id": "call_11", "function": {"name": "web_search", "arguments": {"query": "an object"}}},
    ]
    calls = tool_calls_of(stored, None)
    found = read_structured(calls)
    assert queries_of(calls, found) == ("as the model wrote it", "refused", "an object", "as it was sent")


def test_the_no_search_arm_has_no_evidence() -> None:
    calls = tool_calls_of(trajectory(searched(DOCS_URL)), None)
    bare = {"websearch": to_builtins(telemetry(tools=()))}
    assert evidence_of(calls, "coding_agent", bare).kind == "none"


def test_a_harness_that_nobody_can_read_has_no_evidence() -> None:
    calls = tool_calls_of(trajectory(searched(DOCS_URL)), None)
    assert evidence_of(calls, "some_agent", {}) == Evidence(kind="none")
    assert evidence_of(calls, "some_agent", OURS).kind == "structured"


def test_a_reader_may_be_registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_READERS", {})
    register_reader("some_agent", lambda calls: Evidence(kind="text"))
    assert evidence_of([ToolCall("c", "n", {})], "some_agent", {}).kind == "text"


def test_telemetry_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="schema 99"):
        evidence_of([], "coding_agent", {"websearch": {"schema": 99}})
