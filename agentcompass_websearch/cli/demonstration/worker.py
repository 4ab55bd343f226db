"""The process in which the host carries the demo's runs out, one after the other, so that it is loaded once.

It reads one line ``{"requests": {name: arguments}}`` from its standard input and writes a line of JSON for each event
to its standard output: ``{"arm", "attempts"}`` while attempts end, then ``{"arm", "metrics", "seconds"}`` or
``{"arm", "error"}``. When its standard input ends, so does it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from agentcompass_websearch import _seam
from agentcompass_websearch.cli import _host

type Tell = Callable[[Mapping[str, Any]], None]


def main() -> None:
    """Carry out the runs. One that fails is an event like others, and the next one begins."""
    # What libraries print must not get between the events.
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(event: Mapping[str, Any]) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _seam.install()
    asyncio.run(_carry_out(asked["requests"], tell))


async def _carry_out(requests: Mapping[str, Mapping[str, Any]], tell: Tell) -> None:
    for arm, request in requests.items():
        attempts = 0

        def count(event: Any, arm: str = arm) -> None:
            nonlocal attempts
            if event.event == "attempt_finished":
                attempts += 1
                tell({"arm": arm, "attempts": attempts})

        began = time.monotonic()
        try:
            result = await _host.evaluate(**request, on_progress=count)
        except Exception as error:  # noqa: BLE001 - the host raises whatever a run failed of
            # The host appends a list of all its files.
            tell({"arm": arm, "error": f"{type(error).__name__}: {error}".partition("; results: {")[0]})
        else:
            tell({"arm": arm, "metrics": result["paths"]["metrics_json"], "seconds": time.monotonic() - began})


def _end_with_parent() -> None:
    sys.stdin.read()
    # Nobody is left to wait for an orderly end.
    os._exit(1)


if __name__ == "__main__":
    main()
