"""Every configuration file in ``examples/`` is run by the command in its head, with stand-ins for all other sides."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentcompass_websearch import sample
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing.server import in_thread
from agentcompass_websearch.tools.testing.zoo import Zoo
from tests.support.fake_hub import FakeHub
from tests.support.host_commands import Command, run_commands
from tests.support.installs import Finished

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(path.name for path in EXAMPLES.glob("*.yaml"))
PUBLIC_COLUMNS = ("task_id", "vendor", "ticket", "starter_code", "gold_code")
PUBLIC_TICKET = next(iter(sample.rows()))
SHAPES = dict.fromkeys(FILES, (3, 1)) | {"smoke.yaml": (1, 2)}
"""Repeats and tickets of each run."""


@dataclass(frozen=True)
class Ran:
    """What the command of an example came to."""

    finished: Finished
    results: Path

    @property
    def runs(self) -> dict[str, dict[str, Any]]:
        """The report of each run, by its folder under the results."""
        return {
            path.parent.parent.relative_to(self.results).as_posix(): json.loads(path.read_text("utf-8"))
            for path in sorted(self.results.rglob("metrics.json"))
        }

    def info(self, run: str) -> Any:
        """What the host noted of a run."""
        (path,) = (self.results / run).glob("*/run_info.json")
        return json.loads(path.read_text("utf-8"))


def command_of(path: Path, variables: Mapping[str, str]) -> list[str]:
    """Return the words of the ``agentcompass`` command in the head of a file, its variables filled in."""
    lines = [line.removeprefix("#").strip() for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    text = "\n".join(lines)
    start = text.index("agentcompass ")
    words = shlex.split(text[start:].replace("\\\n", " ").partition("\n")[0])
    return [variables.get(word.removeprefix("$"), word) for word in words[1:]]


def at(zoo: Zoo, family: str) -> dict[str, Any]:
    """Return the harness parameters that lead a vendor's calls to the zoo, which has no limit on their rate."""
    return {"vendor_options": {"base_url": zoo.base_url(family)}, "vendor_rate_per_s": 0}


def at_the_zoo(path: Path, zoo: Zoo, folder: Path) -> Path:
    """Return a copy of a file of `launch` in which vendors over HTTP are those of the zoo."""
    plan = yaml.safe_load(path.read_text("utf-8"))
    for request in plan["requests"]:
        harness = plan["defaults"]["harness"] | request["harness"]
        if "vendor_api_key" in harness:
            family = harness["vendor"].partition("_")[0]
            request["harness"] |= at(zoo, family)
    copy = folder / path.name
    copy.write_text(yaml.safe_dump(plan), "utf-8")
    return copy


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ran]]:
    """All examples, run once."""
    folder = tmp_path_factory.mktemp("examples")
    with ExitStack() as stack:
        model = stack.enter_context(StandInServer(variation=1))
        threading.Thread(target=model.serve_forever, daemon=True).start()
        stack.callback(model.shutdown)
        hub = stack.enter_context(FakeHub())
        row = json.dumps({name: PUBLIC_TICKET[name] for name in PUBLIC_COLUMNS})
        hub.commit("openbenchmarks/OB-Code-Websearch", {"data/public.jsonl": row + "\n"})
        zoo = Zoo()
        stack.enter_context(in_thread(zoo.server))
        variables = {
            "MODEL_NAME": MODEL,
            "MODEL_BASE_URL": model.base_url,
            "MODEL_API_KEY": "none",
            **dict.fromkeys(("EXA_API_KEY", "TAVILY_API_KEY", "BRAVE_SEARCH_API_KEY"), zoo.key),
        }
        commands = []
        for name in FILES:
            words = command_of(EXAMPLES / name, variables)
            if words[0] == "launch":
                words[1] = str(at_the_zoo(EXAMPLES / name, zoo, folder))
            elif "exa" in words[words.index("--run-name") + 1]:
                words += ["--harness-params", json.dumps(at(zoo, "exa"))]
            words += ["--results-dir", str(folder / "results" / name), "--progress", "none"]
            commands.append(Command(words, EXAMPLES.parent, variables))
        done = run_commands(commands, env=hub.environ(folder / "hub"))
        yield {name: Ran(finished, folder / "results" / name) for name, finished in zip(FILES, done, strict=True)}


@pytest.mark.parametrize("name", FILES)
def test_an_example_runs_to_its_end_as_it_says(ran: dict[str, Ran], name: str) -> None:
    one = ran[name]
    assert one.finished.code == 0, one.finished.err
    assert "max_retries is 0" not in one.finished.err
    assert one.runs
    for path in one.results.rglob("analysis_summary.json"):
        rows = json.loads(path.read_text("utf-8"))["overall_per_analyzer"]
        # Where there are no tools, there are no times of tools.
        expected = {"ToolExecutionLatencyAnalyzer"} if "/none/" in path.as_posix() else set()
        assert {row["analyzer"] for row in rows if row["error_count"]} == expected
    for run, report in one.runs.items():
        table = report["extra"]["leaderboard"]
        k, tickets = SHAPES[name]
        assert (report["k"], report["strategy"], table["tickets"]) == (k, "avg", tickets)
        assert table["attempts"] == k * tickets
        assert table["fingerprint"]["uniform"] is True
        request = one.info(run)["request"]
        assert request["execution"]["max_retries"] == 2
        effort = request["model"].get("params", {}).get("reasoning_effort")
        assert effort == (None if name == "smoke.yaml" else "medium")


def test_arms_and_boards_are_those_of_their_names(ran: dict[str, Ran]) -> None:
    namespace = f"{MODEL}_ob-code-websearch_coding_agent"
    arms = {
        name: {run: (r["extra"]["leaderboard"]["vendor_id"], r["extra"]["leaderboard"]["board"]) for run, r in it}
        for name, one in ran.items()
        for it in [one.runs.items()]
    }
    assert arms == {
        "launch-arms.yaml": {
            "exa_auto": ("exa_auto", "search-fetch"),
            "tavily_basic": ("tavily_basic", "search-fetch"),
            "exa_fast": ("exa_fast", "search-only"),
            "brave": ("brave", "search-only"),
            "none": ("none", "no-search"),
        },
        "launch-both-boards.yaml": {
            "exa_auto_search-fetch": ("exa_auto", "search-fetch"),
            "exa_auto_search-only": ("exa_auto", "search-only"),
        },
        "no-search.yaml": {f"none/{namespace}": ("none", "no-search")},
        "public-set.yaml": {f"exa_auto/{namespace}": ("exa_auto", "search-fetch")},
        "smoke.yaml": {f"smoke/{namespace}": ("local_page", "search-fetch")},
    }
