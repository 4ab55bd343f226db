"""Writes runs of fictional arms, in the form in which the platform leaves runs.

``python -m perf.board_runs OUT`` writes 24 arms x 100 tickets x 3 repeats with results of 100 kB and more, what the
speed of boards is measured on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from perf.board_world import FictionalArm, World, attempt, build_world, outcomes

BEGAN: Final = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)


def write_runs(
    out: Path,
    arms: Iterable[FictionalArm],
    world: World,
    *,
    repeats: int = 3,
    seed: int = 1,
    heavy: bool = False,
    separate: bool = False,
) -> list[Path]:
    """Write a run of each arm, or with `separate` one of k = 1 for each repeat, and return their directories."""
    runs = []
    for place, arm in enumerate(arms):
        drawn = {ticket.id: outcomes(arm, ticket, repeats, seed) for ticket in world.tickets}
        for first in range(repeats) if separate else (0,):
            began = BEGAN + timedelta(days=place, hours=first)
            mine = {name: o[first : first + 1] if separate else o for name, o in drawn.items()}
            runs.append(_write_run(out, arm, world, mine, began, heavy=heavy))
    return runs


def _write_run(
    out: Path, arm: FictionalArm, world: World, drawn: dict[str, list[str]], began: datetime, *, heavy: bool
) -> Path:
    run_id = began.strftime("%Y%m%d_%H%M%S")
    run = out / f"{arm.vendor_id}_{arm.board}" / f"{arm.model}_ob-code-websearch_coding_agent" / run_id
    rng = random.Random(f"{arm.vendor_id} {arm.board} {run_id}")
    k = max(map(len, drawn.values()))
    failed = False
    finished = int(len(world.tickets) * (1 - arm.unfinished))
    for ticket in world.tickets[:finished]:
        results = []
        for outcome in drawn[ticket.id]:
            began += timedelta(seconds=rng.uniform(5, 60))
            results.append(attempt(arm, ticket, world.site(ticket), outcome, began, rng, heavy=heavy))
        severities = {issue["severity"] for result in results for issue in result["issues"]}
        state = "fatal" if "fatal" in severities else "error" if severities else "normal"
        failed |= state == "fatal"
        folder = run / "details" / state / f"{ticket.id[:80]}--{sha256(ticket.id.encode()).hexdigest()}"
        _write(
            folder / "task.json",
            {
                "schema_version": "agentcompass.task.v3",
                "task_id": ticket.id,
                "attempts": {str(n): f"attempt-{n}" for n in range(1, k + 1)},
                "category": ticket.category,
                "ground_truth": ticket.gold,
                "attempt_plan": {"k": k, "strategy": "avg"},
            },
        )
        for n, result in enumerate(results, 1):
            _write(folder / f"attempt-{n}" / "result.json", result)
    status = "cancelled" if arm.unfinished else "failed" if failed else "completed"
    request = {
        "benchmark": {"id": "ob-code-websearch", "params": {"dataset": f"synthetic:n={len(world.tickets)}"}},
        "harness": {"id": "coding_agent", "params": {"vendor": arm.vendor_id}},
        "model": {"id": arm.model},
        "execution": {"attempts": {"k": k, "strategy": "avg"}},
    }
    _write(
        run / "run_info.json",
        {
            "schema_version": "agentcompass.run_info.v3",
            "run_id": run_id,
            "status": status,
            "started_at": began.isoformat(timespec="seconds"),
            "request": request,
        },
    )
    _write(run / "progress.json", {"total_tasks": len(world.tickets)})
    return run


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Write the runs that speed is measured on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--arms", type=int, default=24)
    parser.add_argument("--tickets", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    boards = ("search-fetch", "search-only")
    arms = [FictionalArm(f"vendor_{n:02}", boards[n % 2], 0.4 + 0.02 * n) for n in range(asked.arms - 1)]
    arms.append(FictionalArm("none", "no-search", 0.05, search_usd=0.0))
    runs = write_runs(asked.out, arms, build_world(asked.tickets), repeats=asked.repeats, heavy=True)
    sizes = [file.stat().st_size for run in runs for file in run.rglob("result.json")]
    print(
        f"{len(runs)} runs, {len(sizes)} results of {sum(sizes) / len(sizes) / 1000:.0f} kB, {sum(sizes) / 1e6:.0f} MB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
