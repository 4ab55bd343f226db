"""Whole runs by the host's command line with vendors over HTTP, before the zoo that speaks their APIs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.records import AttemptTelemetry, Evidence, evidence_from_observations, telemetry_of
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing import in_thread
from agentcompass_websearch.tools.testing.zoo import Zoo
from tests.support.host_commands import Command, run_commands
from tests.support.installs import Finished

KEY = "canary-0123456789-canary"
URLS = {page["url"] for page in sample.pages()}
TICKETS = [ticket["task_id"] for ticket in sample.rows()][:2]


class Arm:
    """A run, and what it left."""

    def __init__(self, folder: Path, vendor: str, options: dict[str, Any]) -> None:
        self.folder = folder / vendor
        self.vendor = vendor
        self.options = options
        self.finished = Finished(-1, "", "")

    def command(self, model_url: str) -> Command:
        keys = {"vendor_api_key": "${ZOO_KEY}"} | ({"fetch_api_key": KEY} if "fetch" in self.options else {})
        self.folder.mkdir()
        return Command(
            [
                *("run", "ob-code-websearch", "coding_agent", MODEL),
                *("--benchmark-params", json.dumps({"dataset": "sample", "sample_ids": TICKETS})),
                *("--harness-params", json.dumps({"vendor": self.vendor, "vendor_options": self.options, **keys})),
                *("--model-base-url", model_url, "--model-api-key", "none", "--model-api-protocol", "openai-chat"),
                *("--results-dir", str(self.folder), "--progress", "none"),
            ],
            self.folder,
            {"ZOO_KEY": KEY},
        )

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text("utf-8")) for path in sorted(self.folder.rglob("result.json"))]

    @property
    def telemetry(self) -> list[AttemptTelemetry]:
        found = [telemetry_of(result["meta"]["harness"]["telemetry"]) for result in self.results]
        return [item for item in found if item is not None]

    @property
    def evidence(self) -> list[Evidence]:
        steps = [result["trajectory"]["steps"] for result in self.results]
        return [evidence_from_observations([o for s in found for o in s["observation"]]) for found in steps]

    @property
    def leaderboard(self) -> dict[str, Any]:
        (path,) = self.folder.rglob("metrics.json")
        table: dict[str, Any] = json.loads(path.read_text("utf-8"))["extra"]["leaderboard"]
        return table


@pytest.fixture(scope="module")
def zoo() -> Iterator[Zoo]:
    zoo = Zoo(key=KEY)
    with in_thread(zoo.server):
        yield zoo


@pytest.fixture(scope="module")
def arms(zoo: Zoo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Arm]:
    """A vendor with a fetch of its own, and one that borrows another's."""
    folder = tmp_path_factory.mktemp("runs")
    borrowing = {"base_url": zoo.base_url("brave"), "fetch": "exa_auto", "fetch_base_url": zoo.base_url("exa")}
    arms = [Arm(folder, "jina", {"base_url": zoo.base_url("jina")}), Arm(folder, "brave", borrowing)]
    with StandInServer(variation=4) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        done = run_commands([arm.command(model.base_url) for arm in arms])
        model.shutdown()
    for arm, finished in zip(arms, done, strict=True):
        arm.finished = finished
    return {arm.vendor: arm for arm in arms}


@pytest.mark.parametrize("vendor", ["jina", "brave"])
def test_a_run_finds_and_reads_the_pages(arms: dict[str, Arm], vendor: str) -> None:
    arm = arms[vendor]
    arm.finished.ok()
    evidence = arm.evidence
    assert len(evidence) == len(TICKETS)
    hits = [hit.url for each in evidence for search in each.searches for hit in search.hits]
    pages = [page for each in evidence for page in each.fetches]
    assert hits
    assert set(hits) <= URLS
    assert pages
    assert all(page.succeeded and page.url in URLS for page in pages)
    assert arm.leaderboard["failures"]["attempts"] == 0
    assert arm.leaderboard["completion"]["mean"] is not None
    assert KEY not in "".join(path.read_text("utf-8") for path in arm.folder.rglob("*") if path.is_file())


def test_pages_of_ones_own_are_native(arms: dict[str, Arm]) -> None:
    for telemetry in arms["jina"].telemetry:
        assert (telemetry.vendor["id"], telemetry.vendor["fetch"]) == ("jina", "native")
        assert {call.vendor_id for call in telemetry.calls} == {"jina"}
        assert telemetry.tool_usd is None, "charged by token: a call has no list price"


def test_borrowed_pages_are_generic_and_cost_what_their_reader_costs(arms: dict[str, Arm], zoo: Zoo) -> None:
    for telemetry in arms["brave"].telemetry:
        assert (telemetry.vendor["id"], telemetry.vendor["fetch"]) == ("brave", "generic")
        assert telemetry.vendor["fetch_vendor"] == {"id": "exa_auto"}
        assert "options" not in telemetry.vendor
        assert telemetry.tools == ("web_search", "web_fetch")
        usd = {"search": ("brave", 0.005), "fetch": ("exa_auto", 0.001)}
        assert all((call.vendor_id, call.list_usd) == usd[call.op] for call in telemetry.calls if call.tries)
    asked = {(call.vendor, call.op) for call in zoo.calls}
    assert asked == {("jina", "search"), ("jina", "fetch"), ("brave", "search"), ("exa", "fetch")}
    assert all(call.authorized for call in zoo.calls)


def test_the_reader_is_part_of_the_fingerprint(arms: dict[str, Arm]) -> None:
    for arm in arms.values():
        assert arm.leaderboard["fingerprint"]["uniform"] is True
    (result, *_) = arms["brave"].results
    parts = json.dumps(result["meta"]["benchmark"]["scoring"]["fingerprint_parts"])
    assert '"fetch_vendor"' in parts
    assert "127.0.0.1" not in parts
