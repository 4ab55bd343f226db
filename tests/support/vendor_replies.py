"""Stored replies of vendors' APIs, for the server of a test or for a parser, and settings to build requests with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from agentcompass_websearch.tools.classify import Rule, refusal
from agentcompass_websearch.tools.contract import Vendor, VendorSettings
from agentcompass_websearch.tools.testing import Reply
from agentcompass_websearch.tools.wire import Fault, HttpReply

FOLDER = Path(__file__).parents[1] / "tools" / "vendors" / "fixtures"
WHOLE = {"status", "headers", "body"}


class Replies:
    """The replies of one family: ``NAME.json`` holds a body in JSON, or a whole reply with `status` and `headers`."""

    def __init__(self, family: str) -> None:
        self._folder = FOLDER / family

    def names(self) -> set[str]:
        """All that are stored."""
        return {path.stem for path in self._folder.glob("*.json")}

    def stored(self, name: str, **changes: Any) -> Reply:
        """Return a reply as a server sends it; `changes` replace parts of a body that is an object."""
        content = json.loads((self._folder / f"{name}.json").read_bytes())
        if not isinstance(content, dict) or content.keys() != WHOLE:
            content = {"status": 200, "headers": {"content-type": "application/json"}, "body": content}
        body = content["body"] | changes if changes else content["body"]
        data = body if isinstance(body, str) else json.dumps(body)
        return Reply(content["status"], data.encode(), content["headers"])

    def received(self, name: str, **changes: Any) -> HttpReply:
        """Return a reply as a parser gets it."""
        reply = self.stored(name, **changes)
        return HttpReply(reply.status, httpx.Headers(dict(reply.headers)), reply.body)

    def refused(self, name: str, rules: tuple[Rule, ...] = ()) -> Fault | None:
        """Return what a stored refusal means."""
        return refusal(self.received(name), rules)


def settings(vendor: Vendor, mode: str | None = None, **options: Any) -> VendorSettings:
    """Return the settings of one mode, the default one unless given."""
    name = vendor.default_mode if mode is None else mode
    return VendorSettings(vendor.vendor_id(name), vendor.modes[name], options=options)
