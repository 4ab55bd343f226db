"""Whole runs by the host's command line, offline; every number of the leaderboard computed again from the details."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import BINARY
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL
from tests.benchmarks.support import row, write_jsonl
from tests.support.installs import Finished, Run

TICKETS = [ticket["task_id"] for ticket in sample.rows()][:4]


@pytest.fixture
def model_url() -> Iterator[str]:
    """The base URL of a scripted model whose repeats differ."""
    with StandInServer(variation=4) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.base_url
        server.shutdown()


@dataclass(frozen=True)
class Results:
    """The folder that a run left."""

    folder: Path

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text("utf-8"))

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text("utf-8")

    @property
    def attempts(self) -> list[tuple[str, int, dict[str, Any]]]:
        """Ticket, number and result of each attempt."""
        found = []
        for path in sorted(self.folder.glob("details/*/*/task.json")):
            task = json.loads(path.read_text("utf-8"))
            for number, name in task["attempts"].items():
                result = json.loads((path.parent / name / "result.json").read_text("utf-8"))
                found.append((task["task_id"], int(number), result))
        return found


def start(run: Run, model_url: str, folder: Path, *more: str, vendor: str = "local", **params: Any) -> Finished:
    return run(
        *("python", "-m", "agentcompass.cli", "run", "ob-code-websearch", "coding_agent", MODEL),
        *("--benchmark-params", json.dumps({"dataset": "sample", "sample_ids": TICKETS, **params})),
        *("--harness-params", json.dumps({"vendor": vendor, "model_price": {"input": 1.0, "output": 10.0}})),
        *("--model-base-url", model_url, "--model-api-key", "none", "--model-api-protocol", "openai-chat"),
        *("--results-dir", str(folder), *more),
    )


def finished(run: Run, model_url: str, folder: Path, *more: str, **params: Any) -> Results:
    start(run, model_url, folder, *more, **params).ok()
    (summary,) = folder.glob("*/*/summary.md")
    return Results(summary.parent)


def test_three_repeats(run: Run, model_url: str, tmp_path: Path) -> None:
    got = finished(run, model_url, tmp_path, "--k", "3")
    attempts = got.attempts
    report = got.json("metrics.json")
    table = report["extra"]["leaderboard"]
    assert len(attempts) == 12

    for metric in ("correct_published", "correct_official", "recovered"):
        rates = [mean(r["metrics"][metric] for _, n, r in attempts if n == number) for number in (1, 2, 3)]
        assert table[metric]["per_repeat"] == pytest.approx(rates)
        assert table[metric]["mean"] == pytest.approx(mean(rates))
        assert table[metric]["sd"] == pytest.approx(stdev(rates))
    assert table["completion"] == table["correct_published"]
    answers = {(ticket, result["final_answer"]) for ticket, _, result in attempts}
    assert len(answers) > len(TICKETS), "repeats that do not differ prove nothing"

    records = [r["meta"]["harness"]["telemetry"]["websearch"] for _, _, r in attempts]
    searches = [c["service_s"] for record in records for c in record["calls"] if c["op"] == "search"]
    assert table["mean_search_s"] == pytest.approx(mean(searches))
    assert table["median_task_s"] == pytest.approx(median(record["task_s"] for record in records))
    tokens = [record["usage"]["input"] + record["usage"]["output"] for record in records]
    assert table["median_tokens"] == median(tokens)
    usd = [(record["usage"]["input"] + 10 * record["usage"]["output"]) / 1e6 for record in records]
    assert table["median_model_usd"] == pytest.approx(median(usd))
    assert (table["median_tool_usd"], table["list_usd"]["search"]) == (0.0, 0.0)
    assert table["median_cost_usd"] == table["median_model_usd"]
    assert table["fingerprint"] == {"uniform": True, "arms": 1, "differing": []}
    assert table["needles"]["origins"] == {"row": 4}
    assert table["failures"]["attempts"] == 0

    for _, _, result in attempts:
        assert set(BINARY) <= set(result["metrics"])
        scoring = result["meta"]["benchmark"]["scoring"]
        passed = scoring["published"]["passed"]
        assert result["metrics"]["correct"] is passed
        assert all(("grounded_by" in needle and needle["grounded_by"]) or not passed for needle in scoring["needles"])
    headline = next(s for s in report["series"] if s["series_id"] == "correct.avg@3")
    assert headline["value"] == pytest.approx(table["completion"]["mean"])
    assert f"{table['completion']['mean']:.4f} ± {table['completion']['sd']:.4f} SD" in got.summary
    assert (got.folder / "analysis_summary.md").read_text("utf-8").startswith("# OB_CODE_WEBSEARCH Analysis Summary")

    run("python", "-m", "agentcompass.cli", "summary", got.folder).ok()
    again = got.json("metrics.json")
    assert again["extra"] == report["extra"], "computed from what was stored, not from memory"
    assert again["series"] == report["series"]


def test_one_attempt_without_search(run: Run, model_url: str, tmp_path: Path) -> None:
    got = finished(run, model_url, tmp_path, vendor="none", sample_ids=",".join(TICKETS[:2]))
    table = got.json("metrics.json")["extra"]["leaderboard"]
    recovered = [result["metrics"]["recovered"] for _, _, result in got.attempts]
    assert table["board"] == "no-search"
    assert table["completion"] == {"mean": 0.0, "sd": None, "per_repeat": [0.0]}
    assert table["recovered"]["mean"] == mean(recovered)
    assert table["evidence"] == {"none": 2}
    assert table["searches"] == {"calls": 0, "all_zero": False}
    assert "board.recovered" in got.summary


def test_strategy_pass(run: Run, model_url: str, tmp_path: Path) -> None:
    got = finished(run, model_url, tmp_path, "--k", "3", "--attempt-strategy", "pass")
    report = got.json("metrics.json")
    assert [series["series_id"] for series in report["series"]] == ["correct.pass@3"]
    solved = {ticket for ticket, _, result in got.attempts if result["metrics"]["correct"]}
    assert report["series"][0]["value"] == len(solved) / len(TICKETS)
    assert report["extra"]["leaderboard"]["completion"]["mean"] is None
    assert "strategy pass" in report["extra"]["leaderboard"]["why"]


def test_a_faulty_dataset_costs_one_line_and_nothing_else(run: Run, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", [row(), row(task_id="sick", gold_code="x = (")])
    failed = start(run, "http://127.0.0.1:9/v1", tmp_path / "results", dataset=f"file:{path}", sample_ids=None)
    assert failed.code == 2
    (line,) = [line for line in failed.err.splitlines() if line.startswith("Error: ")]
    assert line.startswith(f"Error: {path} line 2: ticket 'sick': gold code does not compile")
    assert line.endswith("name it (--reuse RUN_ID)")
    assert not list(tmp_path.glob("results/**/result.json"))
