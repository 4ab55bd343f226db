from __future__ import annotations

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply
from agentcompass_websearch.tools.vendors import google_cse
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("google_cse")
VENDOR = google_cse.websearch_vendor()
PER_MINUTE = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'"


class TestContract(HttpVendorContract):
    vendor = VENDOR
    signed = {"key": "{key}"}  # noqa: RUF012
    options = {"cx": "engine-1"}  # noqa: RUF012
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search_empty")
    refusals = {  # noqa: RUF012
        ErrorKind.QUOTA: REPLIES.stored("error_429"),
        ErrorKind.RATE_LIMIT: json_reply({"error": {"code": 429, "message": PER_MINUTE}}, 429),
        ErrorKind.AUTH: json_reply({"error": {"code": 400, "message": "API key not valid."}}, 400),
        ErrorKind.BAD_REQUEST: json_reply({"error": {"code": 400, "message": "invalid argument"}}, 400),
    }


def test_a_search() -> None:
    request = google_cse.build_search(SearchRequest("orders site:docs.acme.example"), settings(VENDOR, cx="engine-1"))
    assert (request.method, request.url, request.timeout_s) == ("GET", "/customsearch/v1", 30)
    assert request.params == {"q": "orders site:docs.acme.example", "cx": "engine-1", "num": 8}
    request = google_cse.build_search(SearchRequest("x", max_results=500), settings(VENDOR, cx="engine-1"))
    assert (request.params or {})["num"] == 10


def test_hits() -> None:
    assert google_cse.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(
            "https://docs.acme.example/orders/api/v2/list", "List orders (v2) | Acme Docs", "page_size may be 1 to 200."
        ),
    )
    assert google_cse.parse_search(REPLIES.received("search_empty"), SearchRequest("x")).value == ()
    with pytest.raises(Fault, match="not of the kind") as caught:
        google_cse.parse_search(REPLIES.received("search_empty", kind=None), SearchRequest("x"))
    assert caught.value.kind is ErrorKind.UNREADABLE


def test_the_engine_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"set vendor_options\.cx or GOOGLE_CSE_ID"):
        check_options(VENDOR, {})
    with pytest.raises(UsageError, match="cx of google_cse must be text"):
        check_options(VENDOR, {"cx": 5})
    monkeypatch.setenv("GOOGLE_CSE_ID", "engine-2")
    check_options(VENDOR, {})
    assert (google_cse.build_search(SearchRequest("x"), settings(VENDOR)).params or {})["cx"] == "engine-2"
