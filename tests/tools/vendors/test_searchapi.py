from __future__ import annotations

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.organic import parse_search
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import searchapi
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("searchapi")
VENDOR = searchapi.websearch_vendor()


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_empty_200_error")
    refusals = {ErrorKind.BAD_REQUEST: json_reply({"error": "q is missing"}, 400)}  # noqa: RUF012


def test_a_search() -> None:
    request = searchapi.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/api/v1/search", 60)
    assert request.params == {"engine": "google", "q": "orders site:docs.acme.example", "num": 8}
    request = searchapi.build_search(SearchRequest("x", max_results=500), settings(VENDOR, engine="bing"))
    assert request.params == {"engine": "bing", "q": "x", "num": 50}
    with pytest.raises(UsageError, match="engine of searchapi must be one of"):
        check_options(VENDOR, {"engine": "altavista"})


def test_hits() -> None:
    assert parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(
            "https://docs.acme.example/orders/api/v2/list", "List orders (v2) | Acme Docs", "page_size may be 1 to 200."
        ),
    )
