"""A loopback server in the place of a model: ``python -m agentcompass_websearch.sample.scripted_model --port 0``.

It prints one line ``{"base_url": ..., "model": ...}`` and serves until SIGTERM, SIGINT, or, with ``--until-eof``, the
end of its standard input. What it does is a script (see `agentcompass_websearch.sample.stand_in`), and its model id,
its fingerprint and the first line of each of its answers say so. With ``--misbehave`` it goes wrong in the ways in
which model servers do, for trying out what becomes of a run then; ``--help`` lists them.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final

from agentcompass_websearch.sample.stand_in.mischief import Mischief
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.tricks import NAMES, about
from agentcompass_websearch.sample.stand_in.wire import MODEL

_EPILOG: Final = """\
tricks, each with the chance SHARE, at most one a request:
{tricks}

A trick that does not apply (odd ids in a turn without calls) leaves the turn as it is. SEED and the request decide,
so a request that is sent again may fare better. GET /ledger at the server tells requests, answers that were sent whole,
their tokens, and the tricks that were played.

examples:
  %(prog)s --port 8000
  %(prog)s --misbehave 429,500,hang:20,cut-json,ids,empty     one request in ten meets each of them
  %(prog)s --misbehave refuse:reasoning_effort --share 1      every request that has the parameter is refused
"""


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, NAMES))
    tricks = "\n".join(f"  {name:{width}}  {about(name)}" for name in NAMES)
    parser = argparse.ArgumentParser(
        prog="python -m agentcompass_websearch.sample.scripted_model",
        description="A scripted program in the place of a model. It speaks Chat Completions, Responses and Messages.",
        epilog=_EPILOG.replace("{tricks}", tricks),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0, the default, takes a free one")
    parser.add_argument(
        "--variation", type=int, metavar="SEED", help="let repeats of the same request differ, in a way SEED decides"
    )
    parser.add_argument("--until-eof", action="store_true", help="stop when standard input ends, as with its parent")
    parser.add_argument(
        "--misbehave",
        action="append",
        default=[],
        metavar="TRICK[,TRICK...]",
        help="go wrong as model servers do, by the tricks below",
    )
    parser.add_argument("--share", type=float, default=0.1, help="chance of each trick, from 0 to 1; 0.1")
    parser.add_argument("--seed", type=int, default=0, help="what decides which request meets a trick; 0")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until told to stop, and return the exit code."""
    parser = _parser()
    asked = parser.parse_args(argv)
    try:
        tricks = [name for listed in asked.misbehave for name in listed.split(",") if name.strip()]
        mischief = Mischief(tricks, share=asked.share, seed=asked.seed)
    except ValueError as error:
        parser.error(f"--misbehave: {error}")
    try:
        opened = StandInServer(asked.port, variation=asked.variation, mischief=mischief)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        parser.error(f"--port: cannot serve on {asked.port}: {why}; 0 takes a free port")
    with opened as server:
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
