from __future__ import annotations

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest
from agentcompass_websearch.tools.opening import check_options
from agentcompass_websearch.tools.testing import HttpVendorContract
from agentcompass_websearch.tools.vendors import perplexity
from agentcompass_websearch.tools.wire import Fault
from tests.support.vendor_replies import Replies, settings

REPLIES = Replies("perplexity")
VENDOR = perplexity.websearch_vendor()
URL = "https://docs.acme.example/orders/api/v2/list"
TITLE = "List orders (v2) | Acme Docs"
TEXT = "# List orders\n\n`page_size` may be 1 to 200.\n\n`cursor` is opaque."


class TestContract(HttpVendorContract):
    vendor = VENDOR
    found = REPLIES.stored("search")
    nothing_found = REPLIES.stored("search", results=[])
    page = REPLIES.stored("search")
    no_page = REPLIES.stored("search", results=[{"title": "Another", "url": f"{URL}/2", "snippet": "x"}])
    refusals = {  # noqa: RUF012
        ErrorKind.AUTH: REPLIES.stored("error_401"),
        ErrorKind.RATE_LIMIT: REPLIES.stored("error_429"),
        ErrorKind.BAD_REQUEST: REPLIES.stored("error_422"),
    }


@pytest.mark.parametrize(
    ("mode", "how"),
    [
        ("fast", {"search_type": "fast"}),
        ("low", {"search_context_size": "low"}),
        ("high", {"search_context_size": "high"}),
    ],
)
def test_a_search(mode: str, how: dict[str, str]) -> None:
    request = perplexity.build_search(SearchRequest("page size", max_results=50), settings(VENDOR, mode))
    assert (request.method, request.url, request.timeout_s) == ("POST", "/search", 45)
    assert request.json == {"query": "page size", "max_results": 20, **how}


def test_domains_are_allowed_or_denied() -> None:
    asked = SearchRequest("orders site:docs.acme.example/v2")
    body = perplexity.build_search(asked, settings(VENDOR)).json
    assert (body["query"], body["search_domain_filter"]) == ("orders", ["docs.acme.example"])
    body = perplexity.build_search(asked, settings(VENDOR, exclude_domains=["a.example"])).json
    assert (body["query"], body["search_domain_filter"]) == (asked.query, ["-a.example"])


@pytest.mark.parametrize("mode", ["fast", "low", "high"])
def test_a_fetch_is_a_search_for_the_url_with_the_longest_text(mode: str) -> None:
    request = perplexity.build_fetch(FetchRequest(URL), settings(VENDOR, mode))
    assert request.json == {
        "query": URL,
        "max_results": 1,
        "search_context_size": "high",
        "search_domain_filter": ["docs.acme.example"],
    }


def test_hits() -> None:
    assert perplexity.parse_search(REPLIES.received("search"), SearchRequest("x")).value == (
        Hit(URL, TITLE, TEXT),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )


def test_hits_of_several_queries() -> None:
    assert perplexity.parse_search(REPLIES.received("search_two_queries"), SearchRequest("x")).value == (
        Hit(URL, TITLE, "page_size may be 1 to 200."),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", "A cursor is good for one day."),
    )


def test_a_page_is_the_very_page_that_was_asked_for() -> None:
    spelled = "http://www.docs.acme.example/orders/api/v2/list/"
    for url in (URL, spelled):
        answer = perplexity.parse_fetch(REPLIES.received("search"), FetchRequest(url))
        assert answer.value == Page(url, URL, TITLE, TEXT)
    with pytest.raises(Fault, match="does not have it") as caught:
        perplexity.parse_fetch(REPLIES.received("search"), FetchRequest(f"{URL}/2"))
    assert (caught.value.kind, caught.value.billed) == (ErrorKind.TARGET, True)


def test_wrong_options() -> None:
    with pytest.raises(UsageError, match="of perplexity"):
        check_options(VENDOR, {"include_domains": ["a.example"], "exclude_domains": ["b.example"]})
