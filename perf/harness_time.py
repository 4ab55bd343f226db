"""What an attempt costs beside model and vendor: ``python -m perf.harness_time [--attempts N]``, no network at all.

Attempts of three turns (a search, a page, the answer) go through the harness as the host would send them: session,
task, collection of the result. The host is stubbed, the vendor answers from memory, and the model's client library has
a transport in memory. Printed are the medians of the whole attempt and of what is left of it without the time in
requests to the model and at the vendor, as the attempt's own record has them. Claim: the latter is under 5 ms. Leaves
with 1 if it is not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from typing import Any

import httpx2
from agentcompass.runtime import HarnessPlan
from agentcompass.runtime.models import (
    BenchmarkSpec,
    EnvironmentSpec,
    ExecutionSpec,
    HarnessSpec,
    ModelSpec,
    PreparedTask,
    RunRequest,
    RunResult,
    TaskInput,
    TaskOutput,
)

from agentcompass_websearch import plugins
from agentcompass_websearch.harnesses.coding_agent.harness import CodingAgentHarness
from agentcompass_websearch.harnesses.coding_agent.protocols import wire
from agentcompass_websearch.records import Hit, Page, telemetry_of
from agentcompass_websearch.tools.contract import Mode, Outcome, SearchRequest, Vendor
from tests.support.fake_model import Reply, call, calls, says
from tests.support.fake_vendor import Asked, FakeClient, acme

MOST_MS = 5.0
WARM_UP = 20
PASSAGE = "The parameter `page_size` may be 1 to 200; the `cursor` is opaque, and good for one day. " * 14
TURNS = (
    calls(call("web_search", {"query": "acme release crates in bulk"})),
    calls(call("web_fetch", {"url": "https://docs.acme.example/bulk"})),
    says(f"Done.\n\n```python\n{'x = 1' + chr(10)}```\n" + PASSAGE),
)


def found(request: Asked) -> Outcome[Any]:
    """Answer a search with eight hits of full length, a fetch with a long page."""
    if isinstance(request, SearchRequest):
        hits = tuple(Hit(f"https://docs.acme.example/{n}", f"Page {n}", PASSAGE) for n in range(8))
        return Outcome(hits, service_s=0.0, tries=1, status=200)
    return Outcome(Page(request.url, content=PASSAGE * 13, status=200), service_s=0.0, tries=1, status=200)


def model(request: httpx2.Request) -> httpx2.Response:
    """Answer a request by the number of turns that it holds."""
    said = sum(message["role"] == "assistant" for message in json.loads(request.content)["messages"])
    reply: Reply = TURNS[said]
    return httpx2.Response(reply.status, headers=dict(reply.headers), content=reply.body())


async def in_memory(make: Any, base_url: str) -> Any:
    """Stand for the shared HTTP client of the event loop: of the library's own class, without a network."""
    if not hasattr(in_memory, "client"):
        in_memory.client = make(transport=httpx2.MockTransport(model))  # type: ignore[attr-defined]
    return in_memory.client  # type: ignore[attr-defined]


async def one_attempt(harness: CodingAgentHarness, request: RunRequest, plan: HarnessPlan) -> RunResult:
    """Run one attempt as the host does."""
    prepared = PreparedTask("t", "c", None, TaskInput(prompt="Patch the client.\n" + PASSAGE), TaskOutput(), {})
    session = await harness.start_session(None, request, plan)  # type: ignore[arg-type]
    result = await harness.execute_task(session, prepared, request, plan)
    result = await harness.collect_result(session, prepared, request, plan, result)
    await harness.close_session(session)
    return result


async def measure(attempts: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each attempt: of the whole, and without model and vendor."""
    vendor = acme(FakeClient(found))
    mode = vendor.modes["basic"]

    def resolve(vendor_id: str) -> tuple[Vendor, Mode]:
        return vendor, mode

    plugins.resolve = resolve
    wire.shared_http_client = in_memory
    request = RunRequest(
        benchmark=BenchmarkSpec("none", {}),
        harness=HarnessSpec("coding_agent", {"vendor": "acme", "model_price": {"input": 1.0, "output": 10.0}}),
        environment=EnvironmentSpec("host_process"),
        model=ModelSpec("m", base_url="http://127.0.0.1:9/v1", api_key="k-0123456789", api_protocol="openai-chat"),
        execution=ExecutionSpec(max_retries=2),
    )
    harness = CodingAgentHarness()
    plan = harness.build_plan(request, request.environment)
    whole, own = [], []
    for number in range(WARM_UP + attempts):
        began = time.perf_counter()
        result = await one_attempt(harness, request, plan)
        seconds = time.perf_counter() - began
        record = telemetry_of(result.telemetry)
        if record is None or (record.stop, record.turns, len(record.calls)) != ("answer", 3, 2):
            raise RuntimeError(f"not an attempt of three turns: {record}")
        if number >= WARM_UP:
            whole.append(1000 * seconds)
            own.append(1000 * (seconds - record.model_s - sum(call.service_s or 0.0 for call in record.calls)))
    return whole, own


def main() -> int:
    """Run as a program."""
    parser = argparse.ArgumentParser(description="Measure what an attempt costs beside model and vendor.")
    parser.add_argument("--attempts", type=int, default=300)
    attempts: int = parser.parse_args().attempts
    whole, own = asyncio.run(measure(attempts))
    print(f"an attempt of three turns, median of {attempts}: {statistics.median(whole):.2f} ms in all")
    left = statistics.median(own)
    print(f"without requests to the model and the vendor: {left:.2f} ms (claim: under {MOST_MS:.0f} ms)")
    return 0 if left < MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
