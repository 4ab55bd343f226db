"""``agentcompass-websearch demo``: the benchmark on the embedded sample, offline, in five runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from agentcompass_websearch import sample
from agentcompass_websearch.cli._types import Whole
from agentcompass_websearch.cli.demonstration.arms import ARMS, Arm
from agentcompass_websearch.cli.demonstration.processes import DemoFailed, runs, stand_in
from agentcompass_websearch.cli.demonstration.report import WIDTH_WHEN_PIPED, Finished, print_meaning, print_tables
from agentcompass_websearch.errors import UsageError

LOG_NAME: Final = "demo.log"


def demo(
    *,
    results_dir: Path = Path("websearch-demo"),
    k: Whole = 3,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Run the benchmark on the embedded sample, offline, and show what comes out.

    A scripted program takes the place of the model, so no key and no network are needed, and none is used. Two vendors
    over the same fictional pages stand on both boards, and one arm has no search at all.

    For example:

        agentcompass-websearch demo
        agentcompass-websearch demo --results-dir my-demo --k 2 --json

    Args:
        results_dir: Folder for the results; each demo adds new runs to it.
        k: Repeats of each ticket.
        as_json: Print JSON in place of tables.
    """
    if k < 1:
        raise UsageError(f"--k is {k}, but a ticket is tried once or more")
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDTH_WHEN_PIPED)
    folder = _made(results_dir)
    finished, failed, model = _run(folder, k)
    if as_json:
        report = {"model": model, "is_language_model": False, "runs": [f.as_json() for f in finished], "failed": failed}
        print(json.dumps(report, indent=2))
    elif finished:
        print_tables(console, finished)
        print_meaning(console, model, results_dir)
    if failed:
        errors = "; ".join(dict.fromkeys(failed.values()))
        what = f"{len(failed)} of {len(ARMS)} runs failed ({', '.join(failed)}; all is in {folder / LOG_NAME})"
        raise DemoFailed(f"{what}: {errors}")
    return 0


def _made(results_dir: Path) -> Path:
    try:
        results_dir.mkdir(parents=True, exist_ok=True)
        (results_dir / LOG_NAME).open("ab").close()
    except OSError as error:
        raise UsageError(f"--results-dir {results_dir} cannot be written to: {error.strerror}") from error
    return results_dir.resolve()


def _run(folder: Path, k: int) -> tuple[list[Finished], dict[str, str], str]:
    """Run all arms; return those that finished, what went wrong with the others, and the model's name."""
    finished: list[Finished] = []
    failed = {arm.name: "it did not run" for arm in ARMS}
    attempts = k * sum(1 for _ in sample.rows())
    with stand_in() as model, (folder / LOG_NAME).open("ab") as log:
        requests = {arm.name: arm.request(**model, results_dir=str(folder), k=k) for arm in ARMS}
        with runs(requests, log) as events, _progress(attempts) as show:
            for event in events:
                arm = next(arm for arm in ARMS if arm.name == event["arm"])
                show(arm, event)
                if "error" in event:
                    failed[arm.name] = event["error"]
                elif "metrics" in event:
                    try:
                        finished.append(Finished.read(arm, Path(event["metrics"]), event["seconds"]))
                        del failed[arm.name]
                    except (KeyError, OSError, ValueError) as error:
                        failed[arm.name] = f"{event['metrics']} holds no leaderboard ({error!r})"
    return finished, failed, model["model"]


@contextmanager
def _progress(attempts: int) -> Iterator[Callable[[Arm, Mapping[str, Any]], None]]:
    """Show on stderr how far each run is; yield what takes the events."""
    columns = (TextColumn("{task.description:28}"), BarColumn(), TextColumn("{task.completed}/{task.total} attempts"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True, markup=False)) as progress:
        bars = {arm: progress.add_task(arm.name, total=attempts, start=False) for arm in ARMS}
        progress.start_task(bars[ARMS[0]])

        def show(arm: Arm, event: Mapping[str, Any]) -> None:
            if "attempts" in event:
                progress.start_task(bars[arm])
                progress.update(bars[arm], completed=event["attempts"])
            else:
                progress.stop_task(bars[arm])

        yield show
