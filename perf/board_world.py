"""Fictional arms whose true rates are known, and their attempts: real tickets, pages and verdicts, drawn outcomes.

Tickets and pages are the synthetic world's, an answer is the gold code with a fault or without one, and the judge is
the benchmark's own; only whether an attempt goes well, and how long it takes, is drawn.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import parts_of
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Needle
from agentcompass_websearch.benchmarks.ob_code_websearch.measures import from_telemetry
from agentcompass_websearch.benchmarks.ob_code_websearch.prompts import PROMPT_HASH
from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import score
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Ticket
from agentcompass_websearch.records import (
    AttemptTelemetry,
    Board,
    CallRecord,
    Evidence,
    Fetch,
    Hit,
    ModelCall,
    Search,
    Usage,
    fetch_observation,
    search_observation,
    to_builtins,
)
from agentcompass_websearch.sample.synthesize import synthesize

MODEL: Final = "stand-in-1"
LIMITS: Final = {"max_turns": 32, "max_searches": 5, "max_fetches": 5}
TOOLS: Final[Mapping[Board, tuple[str, ...]]] = {
    "search-fetch": ("web_search", "web_fetch"),
    "search-only": ("web_search",),
    "no-search": (),
}
HITS = 8
_SOURCE_LINE = re.compile(r"^[ \t]*# source: (\S+)\n", re.MULTILINE)
_OF_THE_TICKET, _OF_THE_ARM = 0.45, 0.15


@dataclass(frozen=True, slots=True)
class FictionalArm:
    """An arm and the truth about it: `rate` of attempts pass. Times in seconds, prices in US dollars a call.

    `faults` weighs how the other attempts go wrong; `outages` is the share that the infrastructure voids, `unfinished`
    the share of tickets that the run never came to.
    """

    vendor_id: str
    board: Board
    rate: float
    task_s: float = 45.0
    search_s: float = 1.2
    tokens: int = 18_000
    search_usd: float | None = 0.005
    fetch_usd: float | None = 0.001
    reports_usd: bool = False
    outages: float = 0.0
    unfinished: float = 0.0
    model: str = MODEL
    faults: Mapping[str, float] = field(
        default_factory=lambda: {
            "needle_missing": 0.55,
            "uncited": 0.15,
            "ungrounded": 0.15,
            "not_compiled": 0.05,
            "no_answer": 0.1,
        }
    )


@dataclass(frozen=True, slots=True)
class World:
    """Tickets, and the pages of each ticket's documentation site by address, the right one among them."""

    tickets: tuple[Ticket, ...]
    sites: Mapping[str, Mapping[str, Mapping[str, str]]]

    def site(self, ticket: Ticket) -> Mapping[str, Mapping[str, str]]:
        """Return the pages of the ticket's site."""
        return self.sites[source_of(ticket).split("/")[2]]


def build_world(tickets: int, seed: int = 7) -> World:
    """Return the synthetic world with so many tickets."""
    world = synthesize(seed, tickets)
    sites: dict[str, dict[str, Mapping[str, str]]] = {}
    for page in world.pages():
        sites.setdefault(page["url"].split("/")[2], {})[page["url"]] = page
    return World(tuple(_ticket(row) for row in world.rows()), sites)


def _ticket(row: Mapping[str, Any]) -> Ticket:
    words = [*row["required"], *row["query_forbidden"]]
    return Ticket(
        id=row["task_id"],
        category=row["vendor"],
        text=row["ticket"],
        starter=row["starter_code"],
        gold=row["gold_code"],
        needles=tuple(Needle(word, kind) for word, kind in zip(words, row["kinds"], strict=True)),
        needles_origin="row",
        outfile=row["outfile"],
    )


def source_of(ticket: Ticket) -> str:
    """Return the address of the page that the gold code cites."""
    match = _SOURCE_LINE.search(ticket.gold)
    if match is None:
        raise ValueError(f"the gold code of {ticket.id} cites nothing")
    return match[1]


def outcomes(arm: FictionalArm, ticket: Ticket, repeats: int, seed: int) -> list[str]:
    """Draw the outcomes of all repeats: ``passed``, a fault, or ``infrastructure``.

    Some tickets are hard or easy for everybody, some for one arm, the others fall anew with each repeat; the rate of
    passes is the arm's in each of these cases.
    """
    own = random.Random(f"{seed} {arm.vendor_id} {arm.board} {ticket.id}")
    everybody = random.Random(f"{seed} {ticket.id}")
    kind, hardness = everybody.random(), everybody.random()
    fixed = hardness if kind < _OF_THE_TICKET else own.random() if kind < _OF_THE_TICKET + _OF_THE_ARM else None
    names, weights = list(arm.faults), list(arm.faults.values())
    drawn = []
    for _ in range(repeats):
        passed = (own.random() if fixed is None else fixed) < arm.rate
        outcome = "passed" if passed else own.choices(names, weights)[0]
        drawn.append("infrastructure" if own.random() < arm.outages else outcome)
    return drawn


def attempt(
    arm: FictionalArm,
    ticket: Ticket,
    site: Mapping[str, Mapping[str, str]],
    outcome: str,
    began: datetime,
    rng: random.Random,
    *,
    heavy: bool,
) -> dict[str, Any]:
    """Return an attempt as ``result.json`` holds it. A `heavy` one has used all its budget and holds whole pages."""
    evidence, calls = _evidence(arm, ticket, site, outcome, rng, heavy=heavy)
    answer = _answer(ticket, outcome)
    telemetry = _telemetry(arm, calls, outcome, rng)
    issues = []
    if outcome == "infrastructure":
        issues = [_issue("fatal", "tool_service_failed", f"{arm.vendor_id}: HTTP 503 after 7 tries")]
    elif outcome == "no_answer":
        issues = [_issue("error", "harness_max_iterations", "no answer after 32 turns")]
    queries = [search.query for search in evidence.searches]
    scoring: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    if outcome != "infrastructure":
        scored = score(ticket, answer, evidence, queries, "published")
        metrics = {**scored.metrics(), **from_telemetry(telemetry)}
        parts = parts_of(
            ticket=ticket.sha,
            prompts=PROMPT_HASH,
            judge={"policy": "published", "rules": 1},
            model={"id": arm.model, "params": {"reasoning_effort": "medium"}},
            harness={"id": "coding_agent"},
            telemetry=telemetry,
        )
        scoring = scored.record(dataset={"source": "synthetic:seed=7"}, fingerprint_parts=parts)
    return {
        "status": "run_error" if issues else "completed",
        "metrics": metrics,
        "final_answer": answer,
        "trajectory": _trajectory(ticket, evidence, answer, telemetry, began),
        "issues": issues,
        "artifacts": {},
        "analysis_result": {},
        "meta": sparse(
            {"benchmark": {"scoring": scoring}, "harness": {"telemetry": {"websearch": to_builtins(telemetry)}}}
        ),
        "retry_count": 0,
    }


def sparse(value: Any) -> Any:
    """Return `value` without empty entries of mappings, as the host stores it."""
    if not isinstance(value, Mapping):
        return value
    kept = {name: sparse(item) for name, item in value.items()}
    return {name: item for name, item in kept.items() if item not in (None, "", [], {}, ())}


def _answer(ticket: Ticket, outcome: str) -> str:
    code = ticket.gold
    needle = ticket.needles[0].text
    if outcome in ("no_answer", "infrastructure"):
        return ""
    if outcome == "needle_missing":
        # Half of the wrong details begin like the right one: the official policy takes them, it looks for substrings.
        code = code.replace(needle, f"{needle}_draft" if len(ticket.id) % 2 else needle[::-1])
    elif outcome == "uncited":
        code = _SOURCE_LINE.sub("", code)
    elif outcome == "not_compiled":
        code += "\ndef unfinished(:\n"
    return f"The client now sends what the documentation asks for.\n\n```python\n{code}```\n"


def _evidence(
    arm: FictionalArm,
    ticket: Ticket,
    site: Mapping[str, Mapping[str, str]],
    outcome: str,
    rng: random.Random,
    *,
    heavy: bool,
) -> tuple[Evidence, list[CallRecord]]:
    if arm.board == "no-search":
        return Evidence(kind="none"), []
    right = source_of(ticket)
    others = [url for url in site if url != right]
    words = ticket.text.split()
    searches, fetches, calls = [], [], []
    turn = 0
    for n in range(1, (5 if heavy else rng.choice([1, 1, 2, 2, 3, 5])) + 1):
        turn += 1
        urls = rng.sample(others, min(HITS, len(others)))
        if outcome != "ungrounded" and n == 1:
            urls[rng.choice([0, 0, 0, 1, 2, 4])] = right
        query = " ".join([ticket.category, *words[6 * n : 6 * n + 6]])
        hits = tuple(Hit(url, site[url]["title"], site[url]["text"][: 1200 if heavy else 400]) for url in urls)
        searches.append(Search(query, hits, None, f"call_{turn}", n))
        shown = len(search_observation(searches[-1], 5 - n))
        calls.append(_call(arm, "search", turn, n, arm.search_s, rng, len(hits), shown, arm.search_usd))
    if arm.board == "search-fetch":
        for n in range(1, (5 if heavy else 1) + 1):
            turn += 1
            url = right if n == 1 and outcome != "ungrounded" else rng.choice(others)
            text = site[url]["text"] * (3 if heavy else 1)
            fetches.append(Fetch(url, url, site[url]["title"], text[:16_000], None, 200, f"call_{turn}", n))
            shown = len(fetch_observation(fetches[-1], 5 - n))
            calls.append(_call(arm, "fetch", turn, n, 0.6, rng, 0, shown, arm.fetch_usd))
    return Evidence(tuple(searches), tuple(fetches)), calls


def _call(
    arm: FictionalArm,
    op: Any,
    turn: int,
    n: int,
    seconds: float,
    rng: random.Random,
    hits: int,
    chars: int,
    usd: float | None,
) -> CallRecord:
    return CallRecord(
        call_id=f"call_{turn}",
        op=op,
        vendor_id=arm.vendor_id,
        turn=turn,
        n=n,
        ok=True,
        status=200,
        service_s=round(seconds * rng.lognormvariate(0, 0.35), 3),
        tries=2 if rng.random() < 0.03 else 1,
        n_hits=hits,
        chars=chars,
        list_usd=usd,
        reported_usd=usd if arm.reports_usd else None,
        billed=True,
    )


def _telemetry(arm: FictionalArm, calls: Sequence[CallRecord], outcome: str, rng: random.Random) -> AttemptTelemetry:
    tokens = int(arm.tokens * rng.lognormvariate(0, 0.4))
    usage = Usage(input=int(tokens * 0.93), output=int(tokens * 0.07))
    seconds = arm.task_s * rng.lognormvariate(0, 0.3)
    prices = [call.list_usd for call in calls]
    return AttemptTelemetry(
        vendor={
            "id": arm.vendor_id,
            "fetch": "native",
            "caps": {"max_results": 8, "snippet_chars": 1200, "fetch_chars": 16_000},
        },
        facts={"site_operator": "native", "cache": "unknown", "objective": "not told"},
        limits=dict(LIMITS),
        tools=TOOLS[arm.board],
        calls=tuple(calls),
        model_calls=(ModelCall(1, seconds * 0.7, usage, tokens * 2e-6, "stop"),),
        usage=usage,
        stop={"no_answer": "max_turns", "infrastructure": "vendor_error"}.get(outcome, "answer"),  # type: ignore[arg-type]
        turns=len(calls) + 1,
        task_s=round(seconds, 3),
        model_s=round(seconds * 0.7, 3),
        model_usd=tokens * 2e-6,
        tool_usd=None if None in prices else sum(p for p in prices if p is not None),
    )


def _trajectory(
    ticket: Ticket, evidence: Evidence, answer: str, telemetry: AttemptTelemetry, began: datetime
) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    for search in evidence.searches:
        steps.append(
            _step(
                steps, "web_search", search.call_id, {"query": search.query}, search_observation(search, 5 - search.n)
            )
        )
    for fetch in evidence.fetches:
        steps.append(
            _step(steps, "web_fetch", fetch.call_id, {"url": fetch.url}, fetch_observation(fetch, 5 - fetch.n))
        )
    steps.append(
        {"step_id": len(steps) + 1, "assistant_content": {"content": answer, "tool_calls": []}, "observation": []}
    )
    steps[0]["user_content"] = f"{ticket.text}\n\n```python title={ticket.outfile}\n{ticket.starter}```"
    return {
        "schema_version": "ACTF_v1.0",
        "steps": steps,
        "started_at": began.isoformat(sep=" "),
        "finished_at": (began + timedelta(seconds=telemetry.task_s)).isoformat(sep=" "),
    }


def _step(steps: Sequence[Any], tool: str, call_id: str, arguments: Mapping[str, str], reply: str) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "step_id": len(steps) + 1,
        "assistant_content": {"content": "", "tool_calls": [{"id": call_id, "type": "function", "function": function}]},
        "observation": [{"tool_call_id": call_id, "name": tool, "content": reply}],
    }


def _issue(severity: str, code: str, message: str) -> dict[str, str]:
    return {"severity": severity, "phase": "run", "code": code, "message": message}
