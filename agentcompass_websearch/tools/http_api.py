"""What an HTTP vendor file declares of its API: where it is, how a key is sent, how requests and replies look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from agentcompass_websearch.records import Hit, Operation, Page
from agentcompass_websearch.tools.classify import Rule
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest, VendorSettings
from agentcompass_websearch.tools.wire import Answer, HttpReply, HttpRequest


@dataclass(frozen=True, slots=True)
class Auth:
    """How the key is sent: in a `header` after a `prefix`, or as the query parameter `param`. Without a key: not."""

    header: str = ""
    prefix: str = ""
    param: str = ""

    def sign(self, request: HttpRequest, key: str) -> HttpRequest:
        """Return `request` with the key in its place."""
        if not key:
            return request
        if self.header:
            request = replace(request, headers={**request.headers, self.header: self.prefix + key})
        if self.param:
            request = replace(request, params={**(request.params or {}), self.param: key})
        return request


BEARER: Final = Auth("authorization", "Bearer ")


@dataclass(frozen=True, slots=True)
class Endpoint[Request, Value]:
    """One operation of an API: where it is, how it is asked, how its 2xx replies are read.

    With `in_thread`, replies are read beside the event loop: for parsers that take longer than a few milliseconds.
    """

    base_url: str
    build: Callable[[Request, VendorSettings], HttpRequest]
    parse: Callable[[HttpReply, Request], Answer[Value]]
    in_thread: bool = False


@dataclass(frozen=True, slots=True)
class HttpApi:
    """The API of a vendor. `rules` decide what refusals mean, before the shared ones; those of TARGET, of fetches."""

    search: Endpoint[SearchRequest, tuple[Hit, ...]] | None = None
    fetch: Endpoint[FetchRequest, Page] | None = None
    auth: Auth = BEARER
    rules: tuple[Rule, ...] = ()

    def rules_of(self, op: Operation) -> tuple[Rule, ...]:
        """Return the rules that decide what a refusal of `op` means: no search is refused for the sake of a page."""
        return self.rules if op == "fetch" else tuple(rule for rule in self.rules if rule.kind is not ErrorKind.TARGET)
