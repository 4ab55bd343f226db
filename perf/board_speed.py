"""Speed and memory of boards: ``python -m perf.board_speed RUNS`` on what ``python -m perf.board_runs RUNS`` wrote.

Claims: a board takes less than three times what reading and parsing the same files takes, and less than 1 GiB; judging
300 attempts again takes less than one second after start-up. Leaves with 1 if one does not hold.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_REJUDGE = """
import sys, time
from pathlib import Path
from agentcompass_websearch.boards.reader import find_runs, read_runs
from agentcompass_websearch.boards.rejudge import rejudge
began = time.perf_counter()
done = rejudge(read_runs(find_runs([Path(sys.argv[1])])))
print(time.perf_counter() - began, len(done.attempts))
"""


def plain(runs: Path) -> float:
    """Return the seconds that it takes to read and parse all result files and do nothing with them."""
    began = time.perf_counter()
    for file in runs.rglob("result.json"):
        json.loads(file.read_bytes())
    return time.perf_counter() - began


def child(code: str, *arguments: str | Path) -> list[float]:
    """Return the numbers that a fresh interpreter prints."""
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return [float(word) for word in subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()]


def main() -> int:
    """Measure and say whether the claims hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    runs = parser.parse_args().runs
    plain(runs)  # once, so that both find the files in memory
    reading = plain(runs)
    with tempfile.TemporaryDirectory(prefix="board-") as out:
        words = [sys.executable, "-m", "agentcompass_websearch", "board", str(runs), "--out", f"{out}/board"]
        began = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        board = time.perf_counter() - began
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    one = next(runs.rglob("run_info.json")).parent
    again, attempts = child(_REJUDGE, one)
    files = sum(1 for _ in runs.rglob("result.json"))
    print(f"{files} results, plain reading and parsing {reading:.1f} s")
    print(f"board {board:.1f} s ({board / reading:.2f} times), {megabytes:.0f} MiB in its largest process")
    print(f"rejudge of {attempts:.0f} attempts {again:.2f} s")
    return 0 if board < 3 * reading and megabytes < 1024 and again < 1 else 1


if __name__ == "__main__":
    sys.exit(main())
