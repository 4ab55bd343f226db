"""A long run in bad weather: ``python -m perf.chaos``. Leaves with 1 if anything was lost, done twice, or miscounted.

A scripted model and a vendor's API on loopback give 429 with Retry-After, 500, half a JSON, or hang, ten per cent each,
at every try of a request; one turn in ten is empty, one call in ten has no id, or one that is taken, and one in ten is
made more often than it may be. The process is killed twice (SIGKILL), at moments that the seed decides, and goes on
with ``--reuse``. The same run in good weather, with the same choices of the model, is what it has to come to.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from tests.support.chaos import Weather
from tests.support.chaos_run import Plan, Ran, problems, run
from tests.support.chaos_wires import CHAOS_WIRES


def kills(weather: Weather, attempts: int) -> tuple[int, int]:
    """Return the numbers of stored attempts at which the process is killed."""
    first, second = weather.chance("first kill"), weather.chance("second kill")
    return int((0.1 + 0.4 * first) * attempts), int((0.55 + 0.4 * second) * attempts)


def figures(ran: Ran) -> str:
    """Return what a run took."""
    tokens = sum(one.tokens for one in ran.final)
    calls = sum(one.tries(op) for one in ran.final for op in ("search", "fetch"))
    passed = sum(bool(one.verdict["correct"]) for one in ran.final)
    issues = Counter(issue for one in ran.final for issue in one.issues)
    return (
        f"{ran.seconds:.0f} s, {len(ran.final)} attempts, {passed} passed, {tokens:,} tokens, {calls:,} requests to "
        f"the vendor, {len(ran.cut_short)} conversations cut short by kills, {len(ran.retried)} tried again by the "
        f"host; issues: {dict(issues) or 'none'}"
    )


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description="Run the benchmark through faults and kills, and check every count.")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--tickets", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--protocol", default="openai-chat", choices=CHAOS_WIRES)
    parser.add_argument("--vendor", default="exa_auto", help="a vendor id that the loopback vendors have an API of")
    parser.add_argument("--out", type=Path, help="a new folder that keeps the runs")
    given = parser.parse_args()
    weather = Weather(given.seed)
    shape = (given.tickets, given.repeats, given.concurrency)
    with contextlib.ExitStack() as stack:
        folder = given.out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-")))
        folder.mkdir(parents=True, exist_ok=True)
        plan = Plan(
            weather,
            *shape,
            kills=kills(weather, given.tickets * given.repeats),
            protocol=given.protocol,
            vendor=given.vendor,
        )
        calm = run(replace(plan, weather=Weather(given.seed, faults=False), kills=()), folder / "calm")
        print(f"good weather: {figures(calm)}", flush=True)
        bad = run(plan, folder / "bad")
    print(f"bad weather, killed at {' and '.join(map(str, plan.kills))} attempts: {figures(bad)}")
    print("met:", ", ".join(f"{count} x {what}" for what, count in sorted(bad.world.seen.items())))
    odd = Counter(turn.odd or "ordinary" for turn in bad.world.chosen.values())
    print("the model's turns:", ", ".join(f"{count} x {what}" for what, count in sorted(odd.items())))
    found = problems(bad, calm)
    print(*found, sep="\n")
    print(f"{len(found)} problems" if found else "nothing lost, nothing done twice, every count as in the ledgers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
