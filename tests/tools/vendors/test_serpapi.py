from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import serpapi
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("serpapi")
VENDOR = serpapi.websearch_vendor()


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"api_key": "{key}"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_empty_200_error")
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.QUOTA: REPLIES.stored("error_429"),
        ErrorKind.RATE_LIMIT: json_reply({"error": "You are exceeding the throughput of your plan."}, 429),
        ErrorKind.BAD_REQUEST: json_reply({"error": "Missing query `q` parameter."}, 400),
    }


@pytest.mark.parametrize(("wanted", "num"), [(8, None), (10, None), (11, 11), (500, 100)])
def test_a_search(wanted: int, num: int | None) -> None:
    request = serpapi.build_search(SearchRequest("orders site:docs.acme.example", wanted), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/search.json", 60)
    asked: dict[str, Any] = {"engine": "google", "q": "orders site:docs.acme.example"}
    assert request.params == (asked if num is None else asked | {"num": num})


def test_the_engine_can_be_chosen() -> None:
    assert (serpapi.build_search(SearchRequest("x"), settings(VENDOR, engine="bing")).params or {})["engine"] == "bing"
    with pytest.raises(UsageError, match="engine of serpapi must be one of"):
        check_options(VENDOR, {"engine": "altavista"})


async def test_hits_and_the_id_of_the_request() -> None:
    async with TestContract().client() as client:
        outcome = await client.search(SearchRequest("x"))
    assert outcome.value == (
        Hit(
            "https://docs.acme.example/orders/api/v2/list", "List orders (v2) | Acme Docs", "page_size may be 1 to 200."
        ),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )
    assert outcome.request_id == "000000000000000000000061"
