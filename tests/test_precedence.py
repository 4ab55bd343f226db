"""Which setting wins, what ``${VAR}`` stands for, and what a stranger's config.yaml does: by real runs of the host."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentcompass_websearch import sample
from agentcompass_websearch.records import AttemptTelemetry, telemetry_of
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing.server import in_thread
from agentcompass_websearch.tools.testing.zoo import Zoo
from tests.support.host_commands import Command, run_commands
from tests.support.installs import Finished

TICKET = next(iter(sample.rows()))
SAMPLE: Mapping[str, Any] = {"dataset": "sample", "sample_ids": TICKET["task_id"]}
CAPS = {"max_results": 8, "snippet_chars": 1200, "fetch_chars": 16000}
"""The harness's own defaults."""


@dataclass(frozen=True)
class Case:
    """One command: what lies in the files, and what stands on the command line."""

    name: str
    files: Mapping[str, Any]
    words: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None

    def command(self, root: Path, model_url: str) -> Command:
        """Write the files and return the command, to be run in the folder ``project/inner`` of `root`."""
        home = root / self.name
        work = home / "project" / "inner"
        work.mkdir(parents=True)
        for name, content in self.files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), "utf-8")
        words = ["run", "ob-code-websearch", "coding_agent", MODEL, "--model-base-url", model_url]
        words += ["--model-api-key", "none", "--model-api-protocol", "openai-chat", "--progress", "none"]
        words += ["--results-dir", str(home / "results"), *self.words]
        return Command(words, work, {"XDG_CONFIG_HOME": str(home / "xdg"), **(self.env or {})})


USER = "xdg/agentcompass/config.yaml"
PARENT = "project/config.yaml"
IN_FILE: Mapping[str, Any] = {
    "benchmarks": {"ob-code-websearch": {"dataset": "${TICKETS}"}},
    "harnesses": {
        "coding_agent": {
            "vendor": "${VENDOR}",
            "vendor_api_key": "${OTHER_ACCOUNT}",
            "vendor_options": {"base_url": "${ZOO}"},
        }
    },
}


def layer(number: int, *, k: int, **limits: int) -> dict[str, Any]:
    """Return one layer of configuration whose limits are `number` times the given ones."""
    settings = {name: number * size for name, size in limits.items()}
    return {"execution": {"attempts": {"k": k}}, "harnesses": {"coding_agent": settings}}


def cases(zoo: Zoo, rows: Path) -> list[Case]:
    """All commands of this module, in the order in which they are run."""
    user = layer(1, k=6, max_turns=10, max_searches=1, max_fetches=1, max_results=1, snippet_chars=100)
    user["harnesses"]["coding_agent"] |= {"vendor": "local", "model_price": {"input": 1.0}}
    user["benchmarks"] = {"ob-code-websearch": dict(SAMPLE)}
    variables = {
        "TICKETS": f"file:{rows}",
        "VENDOR": "exa",
        "OTHER_ACCOUNT": zoo.key,
        "EXA_API_KEY": "of-the-wrong-account",
        "ZOO": zoo.base_url("exa"),
    }
    as_words = (
        "--benchmark-params",
        json.dumps(IN_FILE["benchmarks"]["ob-code-websearch"]),
        "--harness-params",
        json.dumps(IN_FILE["harnesses"]["coding_agent"]),
    )
    sample_words = ("--benchmark-params", json.dumps(SAMPLE), "--harness-params")
    return [
        Case(
            "layers",
            {
                USER: user,
                PARENT: layer(2, k=5, max_searches=1, max_fetches=1, max_results=1, snippet_chars=100),
                "project/inner/a.yaml": layer(3, k=4, max_fetches=1, max_results=1, snippet_chars=100),
                "project/inner/b.yaml": layer(4, k=3, max_results=1, snippet_chars=100),
            },
            (
                *("--config", "a.yaml", "--config", "b.yaml", "--k", "1"),
                *("--harness-params", '{"snippet_chars": 500, "model_price": {"output": 10.0}}'),
                *("--execution-params", '{"attempts": {"k": 2}}'),
            ),
        ),
        Case("in-file", {PARENT: IN_FILE}, env=variables),
        Case("in-words", {}, as_words, variables),
        Case("unset-in-file", {PARENT: IN_FILE}, env=variables | {"OTHER_ACCOUNT": "", "EXA_API_KEY": ""}),
        Case("unset-in-words", {}, (*sample_words, '{"vendor": "${NOT_SET_ANYWHERE}"}')),
        Case(
            "unset-tickets", {}, ("--benchmark-params", '{"dataset": "${NOT_SET_ANYWHERE}"}', *sample_words[2:], "{}")
        ),
        Case("part-of-a-value", {PARENT: {"harnesses": {"coding_agent": {"vendor": "exa_${MODE}"}}}}),
        Case(
            "stranger",
            {PARENT: {"server": {"port": 80}, "logging": ["a"]}},
            (*sample_words, '{"vendor": "local"}'),
        ),
        Case("stranger-with-models", {PARENT: {"models": ["a"]}}, (*sample_words, '{"vendor": "local"}')),
    ]


@dataclass(frozen=True)
class Ran:
    """What a command came to."""

    finished: Finished
    home: Path

    @property
    def attempts(self) -> list[AttemptTelemetry]:
        """The records of its attempts."""
        assert self.finished.code == 0, self.finished.err
        results = (json.loads(path.read_text("utf-8")) for path in self.home.glob("results/**/result.json"))
        found = [telemetry_of(result["meta"]["harness"]["telemetry"]) for result in results]
        return [telemetry for telemetry in found if telemetry is not None]

    @property
    def error(self) -> str:
        """The line that it ended with, having written and spent nothing."""
        assert self.finished.code == 2, self.finished.err
        assert not (self.home / "results").exists()
        return self.finished.err.splitlines()[-1]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ran]]:
    """All commands, run once."""
    root = tmp_path_factory.mktemp("precedence")
    with ExitStack() as stack:
        model = stack.enter_context(StandInServer())
        threading.Thread(target=model.serve_forever, daemon=True).start()
        stack.callback(model.shutdown)
        zoo = Zoo()
        stack.enter_context(in_thread(zoo.server))
        rows = root / "rows.jsonl"
        rows.write_text(json.dumps(TICKET) + "\n", "utf-8")
        asked = cases(zoo, rows)
        done = run_commands([case.command(root, model.base_url) for case in asked])
        assert {call.authorized for call in zoo.calls} == {True}
        yield {case.name: Ran(finished, root / case.name) for case, finished in zip(asked, done, strict=True)}


def test_each_layer_wins_over_those_below_it(ran: dict[str, Ran]) -> None:
    """User's file, the folder's or a parent's config.yaml, --config in order, JSON parameters, single flags."""
    (attempt,) = ran["layers"].attempts
    assert attempt.limits == {"max_turns": 10, "max_searches": 2, "max_fetches": 3}
    assert attempt.vendor["caps"] == {**CAPS, "max_results": 4, "snippet_chars": 500}


def test_mappings_of_two_layers_are_merged(ran: dict[str, Ran]) -> None:
    (attempt,) = ran["layers"].attempts
    assert attempt.usage is not None
    assert attempt.model_usd == pytest.approx((attempt.usage.input + 10 * attempt.usage.output) / 1e6)


@pytest.mark.parametrize("where", ["in-file", "in-words"])
def test_a_variable_stands_for_a_whole_value_in_files_and_in_json(ran: dict[str, Ran], where: str) -> None:
    """Tickets, vendor, address, and a key of another account than the vendor's own variable has."""
    (attempt,) = ran[where].attempts
    assert attempt.vendor["id"] == "exa_auto"
    assert any(call.ok for call in attempt.calls)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unset-in-file", "vendor 'exa' needs an API key: set EXA_API_KEY"),
        ("unset-in-words", "vendor names the environment variable NOT_SET_ANYWHERE, which is not set"),
        ("unset-tickets", "dataset names the environment variable NOT_SET_ANYWHERE, which is not set"),
        ("part-of-a-value", "use whole-field ${VAR}"),
        ("stranger-with-models", "project/config.yaml: models are not supported"),
    ],
)
def test_what_cannot_be_is_one_line_and_nothing_is_written(ran: dict[str, Ran], name: str, words: str) -> None:
    error = ran[name].error
    assert error.startswith("Error: ")
    assert words in error


def test_a_stranger_s_file_without_the_host_s_sections_changes_nothing(ran: dict[str, Ran]) -> None:
    (attempt,) = ran["stranger"].attempts
    assert attempt.vendor["caps"] == CAPS
