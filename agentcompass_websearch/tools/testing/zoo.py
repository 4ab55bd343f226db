"""A loopback server that speaks the APIs of search vendors, answers from a page set, and fails on request.

    python -m agentcompass_websearch.tools.testing.zoo --port 0 --plan '{"exa": ["429:0.5", "ok", "503-html*"]}'

prints one JSON line ``{"base_url": ..., "key": ..., "vendors": {"exa": BASE_URL}}`` and serves until it is killed.
Over HTTP: ``POST /_zoo/plan`` with such a plan, ``GET /_zoo/calls`` for the ledger, ``DELETE /_zoo/calls`` to clear it;
the header ``x-zoo-fault`` of a request asks for a fault of that request alone.
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
from agentcompass_websearch.tools.testing.faults import Plan, apply
from agentcompass_websearch.tools.testing.library import Library
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
        for family, faults in plans.items():
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
            return json_reply({"error": f"no such endpoint: {request.method} {request.path}"}, 404)
        authorized = face.key is None or face.key(request) == self.key
        fault = request.headers.get("x-zoo-fault") or self._plans.get(first, Plan()).next()
        reply = apply(
            fault, lambda: route.answer(request, self._library) if authorized else face.error(401), face.error
        )
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
                self.plan(request.json() or {})
            except (ValueError, AttributeError) as error:
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


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(description="Speak search vendors' APIs on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--pages", default=SAMPLE, help="sample, synthetic:..., a JSONL file or a folder")
    parser.add_argument("--key", default=KEY, help="the key that is accepted")
    parser.add_argument("--plan", type=json.loads, default={}, help='faults, such as \'{"exa": ["429", "ok"]}\'')
    given = parser.parse_args()
    try:
        asyncio.run(_serve(Zoo(given.pages, key=given.key, plans=given.plan, port=given.port)))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
