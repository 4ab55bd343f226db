"""Several commands of the host in one child process, since its start costs more than a small run.

Standard input is a JSON list of ``{"argv", "cwd", "env"}``; after each command, ``=== exit CODE`` stands on a line of
its own in standard error. `run_commands` does both ends.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.installs import Finished

_END = "=== exit "
_CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Command:
    """One command: its words after ``agentcompass``, the folder it runs in, what it adds to the environment."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)


def run_commands(
    commands: Sequence[Command], *, env: Mapping[str, str] | None = None, timeout_s: float = 300
) -> list[Finished]:
    """Run `commands` in one process, with its environment or with `env`; standard output is not kept."""
    asked = [{"argv": list(c.argv), "cwd": str(c.cwd), "env": dict(c.env)} for c in commands]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.host_commands"],
        env={**(os.environ if env is None else env)},
        cwd=_CHECKOUT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    parts = re.split(rf"^{_END}(-?\d+)\n", done.stderr, flags=re.MULTILINE)
    assert len(parts) == 2 * len(commands) + 1, done.stderr
    return [Finished(int(code), "", err) for err, code in zip(parts[:-1:2], parts[1::2], strict=True)]


def main() -> None:
    """Run the commands of standard input."""
    from agentcompass.cli.main import main as host

    kept = dict(os.environ)
    for command in json.load(sys.stdin):
        os.chdir(command["cwd"])
        os.environ.update(command["env"])
        try:
            code = host(command["argv"])
        except BaseException as error:  # noqa: BLE001 - what the interpreter would make of it
            traceback.print_exc()
            code = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
        print(f"{_END}{code}", file=sys.stderr, flush=True)
        os.environ.clear()
        os.environ.update(kept)


if __name__ == "__main__":
    main()
