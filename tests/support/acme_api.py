"""A vendor over HTTP in its plainest form, and a client of it before a server that a test scripts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    Outcome,
    SearchRequest,
    VendorClient,
    VendorSettings,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import Reply, Request, impatient, json_reply, serving
from agentcompass_websearch.tools.transport import Transport

KEY = "acme-key-0123456789"
URL = "https://docs.acme.example/a"
MODE = Mode("", "a vendor that answers in the plainest way", frozenset({"search", "fetch"}), ("search-fetch",))
FOUND = json_reply({"results": [{"url": URL, "title": "A", "snippet": "Alpha."}]})


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    if request.query == "build fails":
        raise KeyError("query")
    return HttpRequest("POST", "/search", json={"q": request.query, "aim": request.objective}, timeout_s=30)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    body = reply.json_object()
    if body.get("success") is False:
        raise Fault(ErrorKind.QUOTA, f"refused: {body.get('error')}", reported_usd=0.5, billed=True)
    rows = body["results"]
    return Answer(results.hits(rows), reported_usd=results.usd(body.get("usd")), notes=(str(body.get("note", "fine")),))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", "/page", params={"url": request.url}, timeout_s=30)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    if not reply.is_text:
        raise Fault(ErrorKind.TARGET, "binary content, not shown")
    return Answer(results.page(request.url, content=reply.text))


API = HttpApi(
    search=Endpoint("http://127.0.0.1:9", build_search, parse_search),
    fetch=Endpoint("http://127.0.0.1:9", build_fetch, parse_fetch),
    auth=Auth("x-api-key"),
    rules=(Rule("empty", {404}, "nothing here"), Rule(ErrorKind.TARGET, {410})),
)


@asynccontextmanager
async def acme(
    answer: Reply | list[Reply] | Callable[[Request], Reply],
    *,
    api: HttpApi = API,
    api_key: str = KEY,
    facts: Facts = Facts(),  # noqa: B008 - frozen
    patience: dict[str, Any] | None = None,
    seen: list[Request] | None = None,
    **given: Any,
) -> AsyncIterator[VendorClient]:
    """A client before a server that gives one reply, a list of them in turn, or what a function returns."""

    def handle(request: Request) -> Reply:
        if seen is not None:
            seen.append(request)
        if isinstance(answer, list):
            return answer.pop(0)
        return answer if isinstance(answer, Reply) else answer(request)

    vendor = http_vendor(api, family="acme", title="Acme", homepage="", modes=(MODE,), default_mode="", facts=facts)
    transport = Transport(patience=impatient(**(patience or {})))
    async with serving(handle) as server:
        options = {"base_url": server.url, **given.pop("options", {})}
        yield open_client(vendor, MODE, api_key=api_key, options=options, transport=transport, **given)
        await transport.aclose()
        assert not server.errors


def kind_of(outcome: Outcome[Any]) -> ErrorKind:
    assert outcome.value is None
    assert outcome.error is not None
    return outcome.error.kind
