from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest, VendorClient
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import HttpVendorContract, Reply, Request, impatient, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import searxng
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("searxng")
VENDOR = searxng.websearch_vendor()
HERE = {"base_url": "http://127.0.0.1:8888"}


class TestContract(HttpVendorContract):
    vendor = VENDOR
    options = HERE
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[], unresponsive_engines=[])
    refusals = {  # noqa: RUF012
        ErrorKind.MISCONFIGURED: REPLIES.stored("error_403_json_disabled"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429_limiter"),
        ErrorKind.SERVER: REPLIES.stored("search_all_engines_down"),
    }


def opened(**options: Any) -> VendorClient:
    transport = Transport(patience=impatient())
    return open_client(VENDOR, VENDOR.modes[""], api_key="", options=options, transport=transport)


def test_a_search() -> None:
    request = searxng.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/search", 30)
    assert request.params == {"q": "orders site:docs.acme.example", "format": "json"}
    chosen = {"engines": "google,bing", "categories": "it", "language": "en"}
    assert searxng.build_search(SearchRequest("x"), settings(VENDOR, **chosen)).params == {
        "q": "x",
        "format": "json",
        **chosen,
    }


def test_hits_although_an_engine_is_down() -> None:
    assert searxng.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(
            "https://docs.acme.example/orders/api/v2/list", "List orders (v2) | Acme Docs", "page_size may be 1 to 200."
        ),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )


@pytest.mark.parametrize(
    ("down", "said"),
    [
        ([["duckduckgo", "CAPTCHA"], ["google", "timeout"]], "duckduckgo: CAPTCHA, google: timeout"),
        (["google", ["bing"], [None, 5], None], "google, bing, 5, "),
        ([["x" * 500, "y"]], "x"),
    ],
)
def test_nothing_from_engines_that_are_down_is_a_failure(down: Any, said: str) -> None:
    with pytest.raises(Fault, match="no engine has answered") as caught:
        searxng.parse_search(REPLIES.received("search_all_engines_down", unresponsive_engines=down), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.SERVER
    assert said in caught.value.message
    assert len(caught.value.message) < 300


async def test_an_instance_without_json_says_what_to_set_at_once() -> None:
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return REPLIES.stored("error_403_json_disabled")

    async with serving(handle) as server:
        outcome = await opened(base_url=server.url).search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.MISCONFIGURED
    assert "add json to search.formats" in outcome.error.message
    assert len(seen) == 1


async def test_an_instance_that_is_not_there_says_what_to_set() -> None:
    async with serving(lambda request: Reply()) as server:
        url = server.url
    outcome = await opened(base_url=url).search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.MISCONFIGURED
    assert "check vendor_options.base_url" in outcome.error.message


async def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def handle(request: Request) -> Reply:
        seen.append(request.path)
        return REPLIES.stored("search")

    async with serving(handle) as server:
        monkeypatch.setenv("SEARXNG_BASE_URL", f"{server.url}/base")
        assert (await opened().search(SearchRequest("x"))).value
        monkeypatch.setenv("SEARXNG_URL", f" {server.url}/first/ ")
        assert (await opened().search(SearchRequest("x"))).value
        assert (await opened(base_url=f"{server.url}/own").search(SearchRequest("x"))).value
        assert (await opened(search_base_url=f"{server.url}/searches").search(SearchRequest("x"))).value
    assert seen == ["/base/search", "/first/search", "/own/search", "/searches/search"]


def test_without_an_address_it_is_asked_for() -> None:
    with pytest.raises(
        UsageError, match=r"needs the address of an instance: set vendor_options\.base_url or SEARXNG_URL"
    ):
        check_options(VENDOR, {})


def test_a_wrong_address_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARXNG_URL", "localhost:8888")
    with pytest.raises(UsageError, match="the environment variable SEARXNG_URL is not usable"):
        check_options(VENDOR, {})


@pytest.mark.parametrize(
    "options", [{"engines": ["google"]}, {"language": ""}, {"categories": 5}, {"engine": "google"}]
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="searxng"):
        check_options(VENDOR, {**HERE, **options})


def test_it_needs_no_key_and_has_no_fetch() -> None:
    assert not VENDOR.key_vars
    assert VENDOR.modes[""].operations == {"search"}
