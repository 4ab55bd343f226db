"""Every vendor id of this package in a whole run of the host, before the zoo: ``python perf/zoo_all.py [ID ...]``.

For each id: the benchmark's sample, a scripted program in place of the model, and the vendor's API on loopback. Every
URL of a result and of a page must be one of the pages that the zoo answers from, and no call may fail. Leaves with 1
if an id does not hold that; runs offline, and takes about a second an id.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agentcompass_websearch import plugins, sample
from agentcompass_websearch.cli.demonstration.processes import runs, stand_in
from agentcompass_websearch.records import evidence_from_observations, telemetry_of
from agentcompass_websearch.tools.testing import in_thread
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.zoo import Zoo

URLS = {page["url"] for page in sample.pages()}


def vendor_ids() -> list[str]:
    """Return the ids of all vendors that the zoo speaks for."""
    return [name for family in sorted(all_faces()) for name in plugins.load(family).vendor_ids()]


def request(vendor_id: str, zoo: Zoo, model: Mapping[str, str], tickets: int, folder: str) -> dict[str, Any]:
    """Return the arguments of one run of the host."""
    vendor, mode = plugins.resolve(vendor_id)
    tools = ["web_search", "web_fetch"] if "fetch" in mode.operations else ["web_search"]
    return {
        "benchmark": "ob-code-websearch",
        "harness": "coding_agent",
        "model": model["model"],
        "model_base_url": model["base_url"],
        "model_api_key": "none-needed",
        "model_api_protocol": "openai-chat",
        "benchmark_params": {"dataset": "sample", "sample_ids": [row["task_id"] for row in sample.rows()][:tickets]},
        "harness_params": {
            "vendor": vendor_id,
            "vendor_api_key": zoo.key,
            "vendor_options": {"base_url": zoo.base_url(vendor.family), **all_faces()[vendor.family].options},
            "tools": tools,
        },
        "k": 1,
        "enable_analysis": False,
        "results_dir": folder,
        "run_name": vendor_id,
        "progress": "none",
        "log_level": "WARNING",
    }


def numbers(metrics: Path) -> dict[str, Any]:
    """Return what a run came to, from its result files."""
    results = [json.loads(path.read_bytes()) for path in sorted(metrics.parent.rglob("result.json"))]
    observed = [o for r in results for step in r["trajectory"]["steps"] for o in step["observation"]]
    evidence = evidence_from_observations(observed)
    hits = [hit.url for search in evidence.searches for hit in search.hits]
    pages = [page.url for page in evidence.fetches if page.succeeded]
    records = [telemetry_of(result["meta"]["harness"]["telemetry"]) for result in results]
    calls = [call for record in records if record for call in record.calls if call.tries]
    completion = json.loads(metrics.read_bytes())["extra"]["leaderboard"]["completion"]
    return {
        "searches": sum(call.op == "search" for call in calls),
        "hits": len(hits),
        "fetches": sum(call.op == "fetch" for call in calls),
        "pages": len(pages),
        "failed": sum(call.error_kind not in (None, "target") for call in calls),
        "elsewhere": len({*hits, *pages} - URLS),
        "completion": completion["mean"] if completion else None,
    }


def holds(row: Mapping[str, Any]) -> bool:
    """Whether an id found, and only what is there, and nothing failed."""
    found = row["hits"] and (row["pages"] or not row["fetches"])
    return bool(found) and not row["failed"] and not row["elsewhere"]


def measure(ids: list[str], tickets: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run all `ids`; yield each with its numbers, or with an ``error``."""
    zoo = Zoo()
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder, in_thread(zoo.server), stand_in() as model:
        requests = {name: request(name, zoo, model, tickets, folder) for name in ids}
        with Path(folder, "host.log").open("ab") as log, runs(requests, log) as events:
            began = time.perf_counter()
            for event in events:
                if "error" in event:
                    yield event["arm"], {"error": event["error"]}
                elif "metrics" in event:
                    yield event["arm"], numbers(Path(event["metrics"])) | {"seconds": time.perf_counter() - began}
                else:
                    continue
                began = time.perf_counter()


def main() -> int:
    """Run, print a table, and say whether all ids hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", help="vendor ids (all)")
    parser.add_argument("--tickets", type=int, default=4, help="how many tickets of the sample each id runs (4)")
    given = parser.parse_args()
    ids = given.ids or vendor_ids()
    columns = ("searches", "hits", "fetches", "pages", "failed", "elsewhere", "completion", "seconds")
    table = Table("id", *columns, "", box=None)
    good = 0
    for name, row in measure(ids, given.tickets):
        ok = "error" not in row and holds(row)
        good += ok
        cells = [f"{row[c]:.2f}" if isinstance(row.get(c), float) else str(row.get(c, "")) for c in columns]
        table.add_row(name, *cells, "ok" if ok else str(row.get("error", "WRONG"))[:80])
    console = Console(markup=False, width=None if sys.stdout.isatty() else 160)
    console.print(table)
    console.print(f"{good} of {len(ids)} ids hold")
    return 0 if good == len(ids) else 1


if __name__ == "__main__":
    sys.exit(main())
