"""Tickets, answers and attempts of an invented API, for the tests of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentcompass_websearch.benchmarks.ob_code_websearch.measures import from_telemetry
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.records import (
    AttemptTelemetry,
    CallRecord,
    Fetch,
    Hit,
    ModelCall,
    Search,
    Usage,
    error_observation,
    fetch_observation,
    search_observation,
    to_builtins,
)

DOCS_URL = "https://docs.tolvane.example/bulk/release"
PATH = "/v3/crates:releaseAll"
HEADER = "X-Tolvane-Lane"

STARTER = """import httpx


def release(base, ids):
    return httpx.post(base + "/v1/crates/note", json={"ids": ids})
"""

GOLD = f'''import httpx


def release(base, ids):
    # source: {DOCS_URL}
    return httpx.post(base + "{PATH}", json={{"ids": ids}}, headers={{"{HEADER}": "bulk"}})
'''


def row(**changes: Any) -> dict[str, Any]:
    """Return one row of a data file; a change to None takes the column out."""
    whole = {
        "task_id": "tolvane_01",
        "vendor": "tolvane",
        "ticket": "Crates shall be released in one go, on the lane for bulk work.",
        "starter_code": STARTER,
        "gold_code": GOLD,
        "required": [PATH, HEADER],
    }
    return {name: value for name, value in {**whole, **changes}.items() if value is not None}


def write_jsonl(path: Path, rows: Iterable[Any]) -> Path:
    """Write a JSON Lines file and return its path."""
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    return path


def tickets_of(path: Path) -> tuple[Ticket, ...]:
    """Load the tickets of a file or folder."""
    return load(parse(f"file:{path}")).tickets


def ticket(tmp_path: Path, **changes: Any) -> Ticket:
    """Return the ticket of `row`."""
    (one,) = tickets_of(write_jsonl(tmp_path / "rows.jsonl", [row(**changes)]))
    return one


def answer(code: str) -> str:
    """Return a final answer with `code` as the model writes it."""
    return f"I changed the call as the documentation has it.\n\n```python\n{code}```\n"


def searched(*urls: str, query: str = "tolvane release crates in bulk", call_id: str = "call_1") -> dict[str, Any]:
    """Return the observation of a search that found `urls`."""
    hits = tuple(Hit(url, "Bulk release", "How crates are released together.") for url in urls)
    return {"tool_call_id": call_id, "name": "web_search", "content": search_observation(Search(query, hits), 4)}


def fetched(url: str, content: str = "Release crates in bulk.", *, call_id: str = "call_2") -> dict[str, Any]:
    """Return the observation of a page that was read."""
    return {
        "tool_call_id": call_id,
        "name": "web_fetch",
        "content": fetch_observation(Fetch(url, None, "", content), 4),
    }


def refused(url: str | None = None, *, call_id: str = "call_3") -> dict[str, Any]:
    """Return the observation of a call that gave nothing."""
    return {"tool_call_id": call_id, "name": "web_fetch", "content": error_observation("not there", url=url)}


def trajectory(*observations: Mapping[str, Any], query: str = "tolvane release crates in bulk") -> dict[str, Any]:
    """Return a trajectory, as it is stored, of one step that made the calls of `observations`."""
    calls = [
        {
            "id": o["tool_call_id"],
            "type": "function",
            "function": {"name": o["name"], "arguments": json.dumps({"query": query})},
        }
        for o in observations
    ]
    step = {
        "step_id": 1,
        "assistant_content": {"content": "", "tool_calls": calls},
        "observation": list(observations),
        "metric": {"prompt_tokens_len": 100, "completion_tokens_len": 20, "llm_infer_ms": 1500.0},
    }
    return {
        "steps": [step],
        "started_at": "2026-11-29 23:50:14+00:00",
        "finished_at": "2026-11-29 23:50:24.500000+00:00",
    }


def telemetry(**changes: Any) -> AttemptTelemetry:
    """Return the record of an attempt with one search of 0.4 s for 0.005 dollars."""
    usage = Usage(input=1000, output=200)
    whole: dict[str, Any] = {
        "vendor": {"id": "tolvane_search", "caps": {"max_results": 8}},
        "limits": {"max_turns": 32, "max_searches": 5, "max_fetches": 0},
        "tools": ("web_search",),
        "calls": (
            CallRecord(
                "call_1", "search", "tolvane_search", 1, 1, True, service_s=0.4, tries=1, list_usd=0.005, billed=True
            ),
        ),
        "model_calls": (ModelCall(1, 1.5, usage, 0.01), ModelCall(2, 1.0, usage, 0.01)),
        "usage": Usage(input=2000, output=400),
        "stop": "answer",
        "turns": 2,
        "task_s": 3.0,
        "model_s": 2.5,
        "model_usd": 0.02,
        "tool_usd": 0.005,
        "protocol": "openai-chat",
    }
    return AttemptTelemetry(**{**whole, **changes})


def scoring(**changes: Any) -> dict[str, Any]:
    """Return the record of a scored attempt, as it is stored."""
    whole = {
        "judge": "published",
        "needles": [{"needle": PATH}, {"needle": HEADER}],
        "needles_origin": "row",
        "evidence": "structured",
        "fingerprint_parts": {"ticket": "t", "model": {"id": "m"}, "vendor": {"id": "tolvane_search"}},
    }
    return {**whole, **changes}


def attempt(
    correct: bool | None, *, fatal: str = "", record: AttemptTelemetry | None = None, **changes: Any
) -> dict[str, Any]:
    """Return one attempt of a task detail; `correct` None is one without metrics, `changes` go into scoring."""
    record = record or telemetry()
    binary = dict.fromkeys(
        ["compiled", "needles_present", "cited", "grounded", "recovered", "correct_published", "correct_official"],
        bool(correct),
    )
    known = correct is not None and not fatal
    scored = {"correct": bool(correct), **binary, "needle_in_query": False, **from_telemetry(record)}
    return {
        "status": "run_error" if fatal else "completed",
        "metrics": scored if known else {},
        "issues": [{"severity": "fatal", "phase": "run", "code": fatal, "message": "m"}] if fatal else [],
        "meta": {
            "benchmark": {"scoring": scoring(**changes)} if known else {},
            "harness": {"telemetry": {"websearch": to_builtins(record)}},
        },
    }


def detail(ticket_id: str, *attempts: dict[str, Any], k: int = 3, strategy: str = "avg") -> dict[str, Any]:
    """Return a task detail as the host gives it to the aggregation."""
    return {
        "task_id": ticket_id,
        "category": ticket_id[0],
        "attempt_plan": {"k": k, "strategy": strategy},
        "attempts": {str(n): one for n, one in enumerate(attempts, 1)},
    }
