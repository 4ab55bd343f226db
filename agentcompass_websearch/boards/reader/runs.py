"""Reads one run directory: what it was to do, and each attempt that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.fingerprint import PER_TICKET
from agentcompass_websearch.boards.reader import stored
from agentcompass_websearch.boards.reader.attempt import Attempt, attempt_of
from agentcompass_websearch.boards.reader.where import BENCHMARK, RUN_INFO
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import SCHEMA, Board, board_of
from agentcompass_websearch.text import one_line

_STATES: Final = ("running", "normal", "error", "fatal")


@dataclass(frozen=True, slots=True)
class Run:
    """One run: identity, plan, and attempts.

    `settings` are the distinct fingerprints (parts that hold for all tickets) of its attempts; attempts name one by its
    index. `scoring` and `telemetry` are those of the first attempt that has one, for what holds for all of them.
    `problems` are files that could not be read, each as a line for a person.
    """

    path: Path
    run_id: str
    status: str
    started_at: str
    model: str
    harness: str
    vendor_id: str
    board: Board
    k: int
    planned_tickets: int
    reused_from: str
    attempts: tuple[Attempt, ...]
    settings: tuple[Mapping[str, Any], ...]
    scoring: stored.Scoring
    telemetry: stored.StoredTelemetry
    problems: tuple[str, ...]

    @property
    def name(self) -> str:
        """How messages call the run: the last folders of its path."""
        return "/".join(self.path.parts[1:][-3:])


def read_runs(paths: Iterable[Path], workers: Executor | None = None) -> list[Run]:
    """Read run directories, shared out to `workers`; see `read_run`."""
    return list((workers.map if workers else map)(read_run, paths))


def read_run(path: Path) -> Run:
    """Read the run directory `path`. Attempts that are missing or broken are left out, the broken ones reported.

    Raises:
        UsageError: it is no run of this benchmark, of a form this version does not know, or of a plan no board can use.
    """
    info = _decode_or_refuse(path / RUN_INFO, _RUN_INFO)
    if info.schema_version not in stored.RUN_INFO_SCHEMAS:
        raise UsageError(f"{path}: run_info.json of schema {info.schema_version!r}; this version reads v2 and v3.")
    if info.request.benchmark.id != BENCHMARK:
        raise UsageError(f"{path}: a run of {info.request.benchmark.id!r}. Boards are made of {BENCHMARK} runs.")
    reading = _Reading(path)
    attempts = tuple(reading.attempts())
    if reading.strategy == "pass" and reading.k > 1:
        raise UsageError(
            f"{path}: made with --attempt-strategy pass, which stops at the first success; a mean over repeats needs "
            "all of them. Run again with --attempt-strategy avg."
        )
    if not attempts:
        reading.problems.append(f"{path}: no attempt is stored in it yet")
    elif not reading.telemetry and {attempt.evidence for attempt in attempts if attempt.scored} == {"none"}:
        reading.problems.append(
            f"{path}: left out, since nobody can read what tools of {info.request.harness.id} replied, if it has any. "
            'An arm without search is coding_agent with {"vendor": "none"}'
        )
        attempts = ()
    progress = _decode(path / "progress.json", _PROGRESS) if (path / "progress.json").is_file() else None
    telemetry = reading.telemetry or stored.StoredTelemetry()
    asked = str(info.request.harness.params.get("vendor") or "")
    return Run(
        path=path,
        run_id=info.run_id or path.name,
        status=one_line(info.status) or "unfinished",
        started_at=info.started_at,
        model=one_line(info.request.model.id),
        harness=info.request.harness.id,
        vendor_id=one_line(str(telemetry.vendor.get("id") or asked or info.request.harness.id)),
        board=board_of(telemetry.tools) if reading.telemetry or asked == "none" else "search-fetch",
        k=reading.k,
        planned_tickets=max(len(reading.tickets), progress.total_tasks if progress else 0),
        reused_from=str(info.reused_from.get("run_id") or "") if isinstance(info.reused_from, dict) else "",
        attempts=attempts,
        settings=tuple(reading.settings.values()),
        scoring=reading.scoring or stored.Scoring(),
        telemetry=telemetry,
        problems=tuple(map(one_line, reading.problems)),
    )


def result_path(run: Run, attempt: Attempt) -> Path:
    """Return where an attempt's ``result.json`` is now: the host moves a ticket's folder when its state changes."""
    states = [attempt.path, *(attempt.path.replace("/running/", f"/{state}/", 1) for state in _STATES[1:])]
    return next((p for state in states if (p := run.path / state / "result.json").is_file()), run.path / states[0])


class _Reading:
    """What accumulates while the attempts of one run are read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.k = 1
        self.strategy = "avg"
        self.tickets: set[str] = set()
        self.settings: dict[bytes, Mapping[str, Any]] = {}
        self.scoring: stored.Scoring | None = None
        self.telemetry: stored.StoredTelemetry | None = None
        self.problems: list[str] = []

    def attempts(self) -> Iterator[Attempt]:
        """Yield the attempts of all tickets, finished tickets or not, in the order of their names."""
        for folder in _task_folders(self._path):
            task = self._read(folder / "task.json", _TASK)
            if task is None:
                continue
            if task.schema_version not in stored.TASK_SCHEMAS:
                raise UsageError(
                    f"{folder}: task.json of schema {task.schema_version!r}; this version reads v2 and v3."
                )
            if task.attempt_plan:
                self.k, self.strategy = max(self.k, task.attempt_plan.k), task.attempt_plan.strategy
            self.tickets.add(task.task_id)
            place = folder.relative_to(self._path).as_posix()
            for number, name in task.attempts.items():
                if name != f"attempt-{number}" or not number.isdigit():
                    self.problems.append(f"{folder / 'task.json'}: no attempt is called {name!r}")
                    continue
                self.k = max(self.k, int(number))
                file = folder / name / "result.json"
                if file.is_file() and (result := self._read(file, _result)) and result.status:
                    yield self._attempt(result, task, int(number), f"{place}/{name}")

    def _attempt(self, result: stored.Result, task: stored.Task, number: int, place: str) -> Attempt:
        telemetry = result.meta.harness.telemetry.websearch
        scoring = result.meta.benchmark.scoring
        schema = max(telemetry.schema if telemetry else SCHEMA, scoring.schema if scoring else SCHEMA)
        if schema > SCHEMA:
            raise UsageError(
                f"{self._path / place}: written by a newer version (schema {schema}; this one reads up to {SCHEMA})."
            )
        self.telemetry = self.telemetry or telemetry
        self.scoring = self.scoring or scoring
        parts = scoring.fingerprint_parts if scoring else {}
        common = {name: value for name, value in parts.items() if name not in PER_TICKET}
        of_ticket = {name: value for name, value in parts.items() if name in PER_TICKET}
        self.settings.setdefault(known := _encode(common), common)
        return attempt_of(
            result,
            ticket=one_line(task.task_id),
            number=number,
            path=place,
            category=one_line(task.category),
            settings=list(self.settings).index(known),
            ticket_settings=_encode(of_ticket).decode() if of_ticket else "",
        )

    def _read[T](self, file: Path, decode: Callable[[bytes], T]) -> T | None:
        try:
            return _decode(file, decode)
        except (OSError, ValueError) as error:
            self.problems.append(f"{file}: {error}")
            return None


_RUN_INFO = msgspec.json.Decoder(stored.RunInfo).decode
_PROGRESS = msgspec.json.Decoder(stored.Progress).decode
_TASK = msgspec.json.Decoder(stored.Task).decode
_decode_result = msgspec.json.Decoder(stored.Result).decode
_encode = msgspec.json.Encoder(order="sorted").encode


def _result(content: bytes) -> stored.Result:
    try:
        return _decode_result(content)
    except msgspec.DecodeError:
        return _decode_result(stored.settled(content))


def _decode[T](file: Path, decode: Callable[[bytes], T]) -> T:
    return decode(file.read_bytes())


def _decode_or_refuse[T](file: Path, decode: Callable[[bytes], T]) -> T:
    try:
        return _decode(file, decode)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}") from error


def _task_folders(run: Path) -> list[Path]:
    """Return the tickets' folders, ``details/STATE/TICKET`` or, of older runs, ``details/TICKET``."""
    details = run / "details"
    places = [*(details / state for state in _STATES), details]
    folders = [folder for place in places if place.is_dir() for folder in place.iterdir()]
    return sorted((f for f in folders if (f / "task.json").is_file()), key=lambda f: f.name)
