"""A stranger's vendor over HTTP, and a client of its own around it in which a test breaks one thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import (
    SEARCH,
    SEARCH_AND_FETCH,
    ErrorKind,
    FetchRequest,
    Mode,
    Outcome,
    SearchRequest,
    Vendor,
    VendorClient,
    VendorSettings,
)
from agentcompass_websearch.tools.http import Answer, Auth, Endpoint, HttpApi, HttpReply, HttpRequest, Rule, http_vendor
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.transport import Transport

API = "https://api.stranger.example"


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", "/find", params={"q": request.query, "n": request.max_results})


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    rows = results.section(reply.json_object(), "hits")
    return Answer(results.hits(rows, url="link", title="name", snippet="text", markup=True))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("POST", "/page", json={"url": request.url})


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    body = reply.json_object()
    return Answer(results.page(request.url, content=results.required(body, "text"), status=body.get("status")))


def stranger(
    parse_search: Callable[[HttpReply, SearchRequest], Answer[tuple[Hit, ...]]] = parse_search,
    parse_fetch: Callable[[HttpReply, FetchRequest], Answer[Page]] = parse_fetch,
    client: type[OwnClient] | None = None,
    **changes: Any,
) -> Vendor:
    """Return the vendor, with one part of its API or its client replaced."""
    api = HttpApi(
        search=Endpoint(API, build_search, parse_search),
        fetch=Endpoint(API, build_fetch, parse_fetch),
        auth=Auth("x-stranger-key"),
        rules=(Rule(ErrorKind.QUOTA, {429}, "LIMIT"),),
    )
    vendor = http_vendor(
        replace(api, **changes),
        family="stranger",
        title="A stranger's search",
        homepage="https://stranger.example",
        modes=(
            Mode("", "the usual one", SEARCH_AND_FETCH, ("search-only",)),
            Mode("deep", "slower", SEARCH, ("search-only",)),
        ),
        default_mode="",
        key_vars=("STRANGER_KEY",),
    )
    if client is None:
        return vendor

    def open_own(settings: VendorSettings, transport: Transport) -> VendorClient:
        return client(vendor.open(settings, transport), settings)

    return replace(vendor, open=open_own)


class OwnClient:
    """Passes all calls on; the strangers of the tests override one of its methods."""

    fingerprint: Mapping[str, str] = {}

    def __init__(self, inner: VendorClient, settings: VendorSettings) -> None:
        self.inner = inner
        self.settings = settings

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        return await self.inner.search(request, deadline=deadline)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        return await self.inner.fetch(request, deadline=deadline)

    async def aclose(self) -> None:
        await self.inner.aclose()


class StrangersContract(HttpVendorContract):
    """Not collected here: the replies of the vendor, as its author gives them."""

    __test__ = False
    vendor = stranger()
    signed = {"x-stranger-key": "{key}"}  # noqa: RUF012
    found = json_reply(
        {
            "hits": [
                {"link": "https://docs.acme.example/a", "name": "<b>A</b>", "text": "Alpha &amp; more"},
                {"link": "https://docs.acme.example/b", "name": "B", "text": "Beta"},
            ]
        }
    )
    nothing_found = json_reply({"hits": []})
    page = json_reply({"text": "# A\n\nAlpha.", "status": 200})
    no_page = json_reply({"text": "# Page not found", "status": 404})
    refusals = {ErrorKind.QUOTA: json_reply({"code": "LIMIT"}, 429)}  # noqa: RUF012
