"""A loopback server that speaks the APIs of search vendors, answers from a page set, and fails on request.

Programmatically `Zoo`, as a program ``python -m agentcompass_websearch.tools.testing.zoo``; its ``--help`` tells more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from agentcompass_websearch.records import Operation
from agentcompass_websearch.tools.local.pages import SAMPLE
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.faults import KNOWN, Plan, apply
from agentcompass_websearch.tools.testing.library import EmptyLibrary, Library
from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, json_reply

KEY: Final = "zoo-key-0000"


@dataclass(frozen=True, slots=True)
class Call:
    """One line of the ledger. It holds no key, only whether the right one came."""

    vendor: str
    op: Operation
    authorized: bool
    fault: str
    status: int
    body: Any
    query: Mapping[str, str]


class Zoo:
    """All faces on one port; ``await``-able as an async context manager, or served by `server.in_thread`.

    Args:
        pages: what the vendors know, as in ``vendor_options.pages`` of the local vendor.
        key: the key that all vendors accept.
        plans: vendor family to its faults (see `agentcompass_websearch.tools.testing.faults`).
        port: 0 for a free one.
    """

    def __init__(
        self, pages: str = SAMPLE, *, key: str = KEY, plans: Mapping[str, list[str]] | None = None, port: int = 0
    ) -> None:
        self.key = key
        self.calls: list[Call] = []
        self._library = Library(pages)
        self._faces = all_faces()
        self._plans: dict[str, Plan] = {}
        self.plan(plans or {})
        self.server = LoopbackServer(self._handle, port)

    def plan(self, plans: Mapping[str, list[str]]) -> None:
        """Replace the fault plans of these families.

        Raises:
            ValueError: an unknown family or fault.
        """
        if not isinstance(plans, Mapping):
            raise ValueError('plans are an object such as {"exa": ["429", "ok"]}')
        for family, faults in plans.items():
            if not isinstance(faults, list) or not all(isinstance(fault, str) for fault in faults):
                raise ValueError(f'the plan of {family} must be a list of faults, such as ["429", "ok"]')
            if family not in self._faces:
                raise ValueError(f"unknown vendor {family!r}; known: {', '.join(self._faces)}")
            self._plans[family] = Plan(faults)

    def base_url(self, family: str) -> str:
        """Return the ``vendor_options.base_url`` of a vendor."""
        return f"{self.server.url}/{family}"

    async def __aenter__(self) -> Zoo:
        await self.server.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.server.__aexit__(*exception)

    def _handle(self, request: Request) -> Reply:
        _, first, *rest = request.path.split("/", 2)
        path = "/" + (rest[0] if rest else "")
        if first == "_zoo":
            return self._admin(request, path)
        face = self._faces.get(first)
        route = face.routes.get((request.method, path)) if face else None
        if face is None or route is None:
            said = f"no such endpoint: {request.method} {request.path}"
            if face is None:
                said += f"; a vendor's address is its own, such as {self.base_url('exa')}"
            return json_reply({"error": said}, 404)
        authorized = face.key is None or route.keyless or face.key(request) == self.key
        fault = request.headers.get("x-zoo-fault") or self._plans.get(first, Plan()).next()

        def answer(library: Library) -> Reply:
            return route.answer(request, library) if authorized else face.error(401)

        reply = apply(fault, lambda: answer(self._library), face.error, lambda: answer(EmptyLibrary()))
        seen = Call(first, route.op, authorized, fault, reply.status, request.json(), _without(request.query, self.key))
        self.calls.append(seen)
        return reply

    def _admin(self, request: Request, path: str) -> Reply:
        if (request.method, path) == ("GET", "/calls"):
            return json_reply([asdict(call) for call in self.calls])
        if (request.method, path) == ("DELETE", "/calls"):
            self.calls.clear()
            return json_reply({})
        if (request.method, path) == ("POST", "/plan"):
            try:
                self.plan(request.json())
            except ValueError as error:
                return json_reply({"error": str(error)}, 400)
            return json_reply({})
        return json_reply({"error": "GET or DELETE /_zoo/calls, POST /_zoo/plan"}, 404)


def _without(query: Mapping[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in query.items() if value != key}


async def _serve(zoo: Zoo) -> None:
    async with zoo:
        vendors = {family: zoo.base_url(family) for family in all_faces()}
        print(json.dumps({"base_url": zoo.server.url, "key": zoo.key, "vendors": vendors}), flush=True)
        await asyncio.Event().wait()


_WHAT: Final = """\
Speak the APIs of search vendors on loopback, each under a path of its own, and answer from a set of pages: keys and
parameters are checked as the vendors do, and failures come on request. One line of JSON says where everything is,
{"base_url": ..., "key": ..., "vendors": {"exa": BASE_URL, ...}}; then it serves until it is ended.
"""
_HOW: Final = """\
a run against it, with the base_url of the vendor and the key from that line:
  agentcompass run ob-code-websearch coding_agent MODEL --model-base-url MODEL_BASE_URL --model-api-key MODEL_API_KEY \\
    --benchmark-params '{{"dataset": "sample"}}' \\
    --harness-params '{{"vendor": "exa_auto", "vendor_api_key": "{key}", "vendor_options": {{"base_url": BASE_URL}}}}'

failures, for --plan: a list for each vendor, one fault a request, in order; one with * at its end holds from there on:
  --plan '{{"exa": ["429:0.5", "ok", "503-html*"], "tavily": ["402*"]}}'
  faults: {faults}.
  A status comes in the form in which the vendor refuses so: 401 a wrong key, 402 credits used up, 429 too fast.

over HTTP, at base_url:
  GET /_zoo/calls     the ledger: each call with vendor, operation, whether the key was right, fault, status, parameters
  DELETE /_zoo/calls  clear the ledger
  POST /_zoo/plan     replace plans; the body is as for --plan
  The header x-zoo-fault of a request asks for a fault of that request alone.

vendors: {vendors}
{options}
"""


def _parser() -> argparse.ArgumentParser:
    faces = all_faces()
    options = [
        f"  {name} also needs vendor_options {json.dumps(dict(f.options))}" for name, f in faces.items() if f.options
    ]
    parser = argparse.ArgumentParser(
        prog=f"python -m {__spec__.name}" if __spec__ else None,
        description=_WHAT,
        epilog=_HOW.format(key=KEY, faults=KNOWN, vendors=", ".join(faces), options="\n".join(options)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="0 (default): a free one")
    parser.add_argument(
        "--pages",
        default=SAMPLE,
        help="what the vendors know: sample (default), synthetic:seed=7,n=500, a JSONL file of {url, title, text}, or "
        "a folder of .md, .txt, .html or .jsonl",
    )
    parser.add_argument("--key", default=KEY, help=f"the key that all of them accept ({KEY})")
    parser.add_argument("--plan", type=_plan, default={}, help="failures, as JSON; see below")
    return parser


def _plan(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not JSON: {text:.80}") from None


def main() -> None:
    """Run as a program."""
    parser = _parser()
    given = parser.parse_args()
    try:
        asyncio.run(_serve(Zoo(given.pages, key=given.key, plans=given.plan, port=given.port)))
    except (ValueError, OSError, OverflowError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
