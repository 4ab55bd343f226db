"""``agentcompass-websearch rejudge``: judge stored attempts again, offline."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Literal

import msgspec

from agentcompass_websearch import __version__
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.text import one_line


def rejudge(
    *runs: Path,
    judge: Literal["published", "official"] | None = None,
    needles: Path | None = None,
    out: Path = Path("rejudged.json"),
) -> None:
    """Judge the stored attempts of runs again, from their answers and what their tools returned.

    Prints every verdict that is another one now, and stores all verdicts in --out. Needs no network, no key and no
    model; the runs themselves are never changed.

    For example:

        agentcompass-websearch rejudge RUN_DIR --judge official
        agentcompass-websearch rejudge results --needles my_needles.json

    Args:
        runs: Run directories, or folders that hold some.
        judge: The policy whose verdict counts; without it, each attempt's own.
        needles: Other needles, {"TICKET": [{"needle": "...", "kind": "header|path|other"}]}.
        out: File for the verdicts.
    """
    from agentcompass_websearch.boards import rejudge as again
    from agentcompass_websearch.boards.reader import find_runs, read_runs
    from agentcompass_websearch.boards.reader.where import check_outside

    if not runs:
        raise UsageError("name a run directory, as in: agentcompass-websearch rejudge RUN_DIR --judge official")
    check_outside(out)
    given = again.read_needles(needles) if needles else None
    done = again.rejudge(read_runs(find_runs(runs)), policy=judge, needles=given)
    for one in done.changed:
        was, now = ("passed" if passed else "failed" for passed in (one.was, one.now))
        print(one_line(f"{one.run}, {one.ticket}, attempt {one.attempt}: {was} -> {now}{_because(one)}"))
    for problem in done.problems:
        print(f"Not judged: {one_line(problem)}")
    passed = sum(one.now for one in done.attempts)
    print(
        f"{len(done.attempts)} attempts judged again ({done.policy}), {len(done.changed)} changed, {passed} pass now."
    )
    head = {"schema": 1, "package": __version__, "python": platform.python_version(), "judge": done.policy}
    body = {"needles": str(needles) if needles else None, "attempts": msgspec.to_builtins(done.attempts)}
    out.write_text(json.dumps({**head, **body, "problems": done.problems}, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {out.resolve()}")


def _because(one: object) -> str:
    lists = (("missing", "missing"), ("uncited", "not cited"), ("ungrounded", "not grounded"))
    told = [f"{word} {', '.join(found)}" for field, word in lists if (found := getattr(one, field))]
    return f" ({'; '.join(told)})" if told else ""
