"""What a vendor call costs beside the request itself: ``python perf/transport.py [--calls N]``, on loopback alone.

One server, one kept connection each, the same request and reply: httpx alone, httpx with the reply read as JSON, and a
search through the client of a vendor over HTTP (checks, limits, retries, caps, redaction, parsing, clean hits). The
three take turns, so that a busy moment of the machine hits all of them. Claim: at the median, a search costs at most
1 ms more than the bare request. Leaves with 1 if it does not.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import httpx

from agentcompass_websearch.tools.contract import SearchRequest, VendorSettings
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import Reply, Request, in_thread, json_reply
from agentcompass_websearch.tools.testing.server import LoopbackServer
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import exa

MOST_MS = 1.0
KEY = "key-0123456789"
SNIPPET = "The parameter `page_size` may be 1 to 200; the `cursor` is opaque, and good for one day. " * 12
FOUND = json_reply(
    {
        "requestId": "00000000000000000000000000000000",
        "results": [
            {"url": f"https://docs.acme.example/orders/{n}", "title": f"Orders {n}", "highlights": [SNIPPET]}
            for n in range(8)
        ],
        "costDollars": {"total": 0.007},
    }
)


def answer(request: Request) -> Reply:
    """Eight results of a thousand characters."""
    return FOUND


async def timed(call: Callable[[], Awaitable[object]]) -> float:
    """Return how long a call takes, in milliseconds."""
    began = time.perf_counter()
    await call()
    return 1000 * (time.perf_counter() - began)


async def measure(url: str, calls: int) -> dict[str, list[float]]:
    """Return the milliseconds of each call, by what was called."""
    vendor = exa.websearch_vendor()
    mode = vendor.modes["auto"]
    body = exa.build_search(SearchRequest("x"), VendorSettings("exa_auto", mode)).json
    transport = Transport()
    client = open_client(vendor, mode, api_key=KEY, options={"base_url": url}, transport=transport)
    async with httpx.AsyncClient(trust_env=False) as bare:

        async def post() -> httpx.Response:
            return await bare.post(f"{url}/search", json=body, headers={"x-api-key": KEY})

        async def post_and_read() -> object:
            return (await post()).json()

        async def search() -> object:
            outcome = await client.search(SearchRequest("x"))
            if outcome.error is not None:
                raise outcome.error
            return outcome

        ways = {"httpx": post, "httpx, JSON read": post_and_read, "search": search}
        for way in ways.values():
            await timed(way)
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(calls):
            for name, way in ways.items():
                taken[name].append(await timed(way))
    await transport.aclose()
    return taken


def main() -> int:
    """Measure, print medians and differences, and say whether the claim holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000, help="calls of each kind (1000)")
    calls = parser.parse_args().calls
    with in_thread(LoopbackServer(answer)) as server:
        taken = asyncio.run(measure(server.url, calls))
    bare = statistics.median(taken["httpx"])
    print(f"{calls} calls each, taking turns; {len(FOUND.body):,} bytes an answer\n")
    print(f"{'':18} {'median':>9} {'95 %':>9} {'more':>9} {'ratio':>6}")
    for name, ms in taken.items():
        median = statistics.median(ms)
        tail = statistics.quantiles(ms, n=20)[-1]
        print(f"{name:18} {median:6.3f} ms {tail:6.3f} ms {median - bare:6.3f} ms {median / bare:6.2f}")
    return 0 if statistics.median(taken["search"]) - bare <= MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
