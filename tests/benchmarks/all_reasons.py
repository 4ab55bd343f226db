"""A run with one attempt for each reason why an attempt fails, and what ``agentcompass analysis`` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


def run_and_analyze(root: Path) -> list[Path]:
    """Return the folder of the run, and the one that ``analysis`` made of it."""
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
