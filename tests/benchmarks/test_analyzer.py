"""What the host makes of attempts after they ran: its analyzers, with ours among them, and its viewer."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.all_reasons import ANSWERS
from tests.benchmarks.support import DOCS_URL


def test_every_attempt_says_why_it_failed(analyzed: list[Path]) -> None:
    for folder in analyzed:
        found = {}
        for path in folder.glob("details/*/*/attempt-1/result.json"):
            result = json.loads(path.read_text("utf-8"))
            found[path.parent.parent.name.partition("--")[0]] = result["analysis_result"]["WebSearchAnalyzer"]
        assert {ticket: analysis["details"]["reason"] for ticket, analysis in found.items()} == {n: n for n in ANSWERS}
        assert {ticket for ticket, analysis in found.items() if not analysis["is_badcase"]} == {"passed"}


def test_the_summary_counts_the_reasons_and_no_analyzer_stumbles_over_our_attempts(analyzed: list[Path]) -> None:
    for folder in analyzed:
        summary = json.loads((folder / "analysis_summary.json").read_text("utf-8"))
        reasons = summary["distributions"]["WebSearchAnalyzer"]["__overall__"]["reason"]["distribution"]
        assert reasons == dict.fromkeys(ANSWERS, 1)
        rows = {one["analyzer"]: one for one in summary["overall_per_analyzer"]}
        assert (rows["WebSearchAnalyzer"]["total"], rows["WebSearchAnalyzer"]["badcase_count"]) == (10, 9)
        # The host's analyzer of tool times counts an attempt without any tool call as an error.
        errors = {name: one["error_count"] for name, one in rows.items() if one["error_count"]}
        assert errors == {"ToolExecutionLatencyAnalyzer": 1}
        assert "| never_searched | 1 |" in (folder / "analysis_summary.md").read_text("utf-8")


def test_the_viewer_shows_a_step_for_each_turn_with_its_calls_times_and_end(analyzed: list[Path]) -> None:
    from agentcompass.viewer.reader import read_detail, read_detail_step, read_details_page

    folder = str(analyzed[0])
    files = {card["taskId"]: card["fileName"] for card in read_details_page(folder, 1, 50)["details"]}
    assert set(files) == set(ANSWERS)
    for ticket, turns in ANSWERS.items():
        attempt = read_detail(folder, files[ticket])["detail"]["attempts"]["1"]
        steps = attempt["trajectory"]["steps"]
        # The turn that the model server refused is none.
        assert len(steps) == len(turns) - (ticket == "infrastructure")
        assert attempt["trajectory"]["started_at"] <= steps[0]["started_at"] <= steps[-1]["finished_at"]
        for step in steps[:-1]:
            assert step["preview"].startswith("web_search: acme")
            assert (step["tool_call_count"], step["observation_count"]) == (1, 1)
            assert step["metric"]["stop_reason"] == "tool_calls"
            assert step["metric"]["llm_infer_ms"] > 0
            assert step["metric"]["env_action_ms"] > 0
    last = read_detail(folder, files["passed"])["detail"]["attempts"]["1"]["trajectory"]["steps"][-1]
    assert last["preview"].startswith("I changed the call")
    assert (last["tool_call_count"], last["metric"]["stop_reason"]) == (0, "stop")
    assert "env_action_ms" not in last["metric"] or last["metric"]["env_action_ms"] is None
    first = read_detail_step(folder, files["passed"], "1", 0)["step"]
    assert first["user_content"].startswith("This is ticket passed.")
    assert DOCS_URL in first["observation"][0]["content"]
