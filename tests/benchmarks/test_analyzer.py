"""What the host makes of attempts after they ran: its analyzers, with ours among them, and its viewer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, in_thread, json_reply
from tests.benchmarks.support import DOCS_URL, GOLD, HEADER, PATH, STARTER, answer, row, write_jsonl
from tests.support import fake_model
from tests.support.fake_model import FakeModel, call, calls, fails, says
from tests.support.host_commands import Command, run_commands

SEARCH = calls(call("web_search", {"query": "acme"}))
ANSWERS: dict[str, tuple[fake_model.Reply, ...]] = {
    "passed": (SEARCH, says(answer(GOLD))),
    "not_retrieved": (SEARCH, says(answer(STARTER))),
    "retrieved_unused": (calls(call("web_search", {"query": "acme in full"})), says(answer(STARTER))),
    "uncited": (SEARCH, says(answer(GOLD.replace("# source:", "# see")))),
    "ungrounded": (SEARCH, says(answer(GOLD.replace(DOCS_URL, "https://elsewhere.example/")))),
    "not_compiled": (SEARCH, says(answer("def x(:\n"))),
    "no_answer": (SEARCH, says("")),
    "out_of_turns": (SEARCH, SEARCH, SEARCH),
    "never_searched": (says(answer(GOLD)),),
    "infrastructure": (SEARCH, fails(401, "no such key")),
}
"""The model's turns, by ticket; each ticket is named after the reason that is to be found."""


def model_turn(body: dict[str, Any]) -> fake_model.Reply:
    """Return the turn that stands in `ANSWERS`."""
    ticket = body["messages"][1]["content"].partition("ticket ")[2].partition(".")[0]
    turn: int = sum(message["role"] == "assistant" for message in body["messages"])
    return ANSWERS[ticket][turn]


def vendor(request: Request) -> Reply:
    """Return the page that documents the needles, without a word of them unless that is asked for."""
    words = f"Send {PATH} and {HEADER}." if request.json()["query"] == "acme in full" else "in bulk"
    return json_reply({"results": [{"url": DOCS_URL, "title": "Release", "highlights": [words]}]})


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folder of a run, and the one that ``analysis`` made of it."""
    root = tmp_path_factory.mktemp("analyzed")
    rows = write_jsonl(root / "rows.jsonl", [row(task_id=n, ticket=f"This is ticket {n}.") for n in ANSWERS])
    with FakeModel(then=model_turn) as model, in_thread(LoopbackServer(vendor)) as server:
        params = {"vendor": "exa_fast", "vendor_api_key": "k-0123456789", "max_turns": 3, "vendor_rate_per_s": 0}
        words = ["run", "ob-code-websearch", "coding_agent", "m", "--model-base-url", model.base_url]
        words += ["--model-api-key", "k-9876543210", "--model-api-protocol", "openai-chat", "--task-concurrency", "1"]
        words += ["--benchmark-params", json.dumps({"dataset": f"file:{rows}"})]
        words += ["--harness-params", json.dumps(params | {"vendor_options": {"base_url": server.url}})]
        words += ["--results-dir", str(root / "results"), "--run-id", "one", "--progress", "none"]
        one = root / "results" / "m_ob-code-websearch_coding_agent" / "one"
        ran, analyzed = run_commands(
            [
                Command(words, root),
                Command(["analysis", str(one), "--output", str(root / "again"), "--progress", "none"], root),
            ]
        )
    assert (ran.code, analyzed.code) == (1, 0), ran.err + analyzed.err
    return [one, root / "again"]


def test_every_attempt_says_why_it_failed(folders: list[Path]) -> None:
    for folder in folders:
        found = {}
        for path in folder.glob("details/*/*/attempt-1/result.json"):
            result = json.loads(path.read_text("utf-8"))
            found[path.parent.parent.name.partition("--")[0]] = result["analysis_result"]["WebSearchAnalyzer"]
        assert {ticket: analysis["details"]["reason"] for ticket, analysis in found.items()} == {n: n for n in ANSWERS}
        assert {ticket for ticket, analysis in found.items() if not analysis["is_badcase"]} == {"passed"}


def test_the_summary_counts_the_reasons_and_no_analyzer_stumbles_over_our_attempts(folders: list[Path]) -> None:
    for folder in folders:
        summary = json.loads((folder / "analysis_summary.json").read_text("utf-8"))
        reasons = summary["distributions"]["WebSearchAnalyzer"]["__overall__"]["reason"]["distribution"]
        assert reasons == dict.fromkeys(ANSWERS, 1)
        rows = {one["analyzer"]: one for one in summary["overall_per_analyzer"]}
        assert (rows["WebSearchAnalyzer"]["total"], rows["WebSearchAnalyzer"]["badcase_count"]) == (10, 9)
        # The host's analyzer of tool times counts an attempt without any tool call as an error.
        errors = {name: one["error_count"] for name, one in rows.items() if one["error_count"]}
        assert errors == {"ToolExecutionLatencyAnalyzer": 1}
        assert "| never_searched | 1 |" in (folder / "analysis_summary.md").read_text("utf-8")


def test_the_viewer_shows_a_step_for_each_turn_with_its_calls_times_and_end(folders: list[Path]) -> None:
    from agentcompass.viewer.reader import read_detail, read_detail_step, read_details_page

    folder = str(folders[0])
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
