"""A loopback server in the place of a model: ``python -m agentcompass_websearch.sample.scripted_model --port 0``.

It prints one line ``{"base_url": ..., "model": ...}`` and serves until SIGTERM, SIGINT, or, with ``--until-eof``, the
end of its standard input. What it does is a script (see `agentcompass_websearch.sample.stand_in`), and its model id,
its fingerprint and the first line of each of its answers say so.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence

from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until told to stop, and return the exit code."""
    parser = argparse.ArgumentParser(prog="scripted_model", description="A scripted program in the place of a model.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument(
        "--variation", type=int, metavar="SEED", help="let repeats of the same request differ, in a way SEED decides"
    )
    parser.add_argument("--until-eof", action="store_true", help="stop when standard input ends, as with its parent")
    asked = parser.parse_args(argv)
    with StandInServer(asked.port, variation=asked.variation) as server:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: _stop(server))
        if asked.until_eof:
            threading.Thread(target=_stop_at_eof, args=(server,), daemon=True).start()
        print(json.dumps({"base_url": server.base_url, "model": MODEL}), flush=True)
        server.serve_forever(poll_interval=0.1)
    return 0


def _stop(server: StandInServer) -> None:
    # The server can only be stopped from another thread than the one that serves.
    threading.Thread(target=server.shutdown, daemon=True).start()


def _stop_at_eof(server: StandInServer) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
