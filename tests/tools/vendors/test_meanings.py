"""What the refusals of all vendors mean, one row a rule: the same status is another thing with another vendor."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest
from agentcompass_websearch.tools.errors import POLICY
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import Reply, Request, html_reply, impatient, json_reply, serving
from agentcompass_websearch.tools.transport import Transport

type Op = Literal["search", "fetch"]

URL = "https://docs.acme.example/a"
PAGE = "<!doctype html><title>Sorry</title><h1>Sorry</h1>"
MONTH_USED_UP = {"x-ratelimit-limit": "1, 15000", "x-ratelimit-remaining": "1, 0"}

NOTHING_FOUND: list[tuple[str, int, Any]] = [
    ("linkup_fast", 400, {"statusCode": 400, "error": {"code": "SEARCH_QUERY_NO_RESULT", "message": "none"}}),
    ("jina", 422, {"code": 422, "name": "AssertionFailureError", "message": "No search results available for query"}),
    ("serpapi", 200, {"search_metadata": {}, "error": "Google hasn't returned any results for this query."}),
    ("serpapi", 200, {"search_metadata": {}, "error": "Google hasn\u2019t returned any results for this query."}),
    ("searchapi", 200, {"search_metadata": {}, "error": "Bing didn't return any results."}),
    ("google_cse", 200, {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}),
    ("serper", 200, {"searchParameters": {"q": "x"}, "credits": 1}),
    ("you", 200, {"results": {}, "metadata": {}}),
    ("you", 200, {"results": {"news": []}, "metadata": {}}),
    ("string", 200, {"results": [], "zeroResults": True}),
    ("exa_auto", 200, {"results": []}),
    ("parallel_basic", 200, {"results": [], "warnings": None}),
    ("tavily_fast", 200, {"results": []}),
    ("brave", 200, {"grounding": {"generic": []}, "sources": {}}),
    ("firecrawl", 200, {"success": True, "data": {"web": []}}),
    ("firecrawl", 200, {"success": True, "data": {}}),
    ("tinyfish", 200, {"results": [], "total_results": 0}),
    ("perplexity_low", 200, {"id": "1", "results": []}),
    ("nimble_lite", 200, {"results": []}),
    ("valyu", 200, {"success": True, "error": "", "results": []}),
    ("searxng", 200, {"results": [], "unresponsive_engines": []}),
    ("kagi", 200, {"meta": {}, "data": []}),
    ("keenable_pro", 200, {"results": []}),
]

REFUSED: list[tuple[ErrorKind, str, int, Any, dict[str, str]]] = [
    # Credits or plan are used up.
    (ErrorKind.QUOTA, "exa_auto", 402, {"error": "no credits", "tag": "NO_MORE_CREDITS"}, {}),
    (ErrorKind.QUOTA, "parallel_basic", 402, {"type": "error", "error": {"message": "Insufficient credit"}}, {}),
    (ErrorKind.QUOTA, "firecrawl", 402, {"success": False, "error": "Payment required"}, {}),
    (ErrorKind.QUOTA, "you", 402, {"error": "payment_required", "upgrade_url": "https://you.example"}, {}),
    (ErrorKind.QUOTA, "string", 402, {"error": "Insufficient balance"}, {}),
    (ErrorKind.QUOTA, "tinyfish", 402, {"error": {"code": "INSUFFICIENT_CREDITS"}}, {}),
    (ErrorKind.QUOTA, "tinyfish", 403, {"error": {"code": "INSUFFICIENT_CREDITS"}}, {}),
    (ErrorKind.QUOTA, "jina", 402, {"name": "InsufficientBalanceError"}, {}),
    (ErrorKind.QUOTA, "jina", 409, {"name": "BudgetExceededError"}, {}),
    (ErrorKind.QUOTA, "tavily_fast", 432, {"detail": {"error": "the plan's limit"}}, {}),
    (ErrorKind.QUOTA, "tavily_fast", 433, {"detail": {"error": "the pay-as-you-go limit"}}, {}),
    (ErrorKind.QUOTA, "linkup_fast", 429, {"error": {"code": "INSUFFICIENT_FUNDS_CREDITS"}}, {}),
    (ErrorKind.QUOTA, "linkup_fast", 429, {"error": {"code": "EXCEED_BUDGET_LIMIT"}}, {}),
    (ErrorKind.QUOTA, "serpapi", 429, {"error": "Your account has run out of searches."}, {}),
    (ErrorKind.QUOTA, "serpapi", 200, {"error": "Your account has run out of searches."}, {}),
    (ErrorKind.QUOTA, "google_cse", 429, {"error": {"message": "Quota exceeded for quota metric 'Queries'"}}, {}),
    (ErrorKind.QUOTA, "google_cse", 403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}]}}, {}),
    (ErrorKind.QUOTA, "brave", 429, {"error": {"code": "RATE_LIMITED"}}, MONTH_USED_UP),
    # Too fast.
    (ErrorKind.RATE_LIMIT, "brave", 429, {"error": {"code": "RATE_LIMITED", "meta": {"rate_limit": 1}}}, {}),
    (ErrorKind.RATE_LIMIT, "linkup_fast", 429, {"error": {"code": "TOO_MANY_REQUESTS"}}, {}),
    (ErrorKind.RATE_LIMIT, "linkup_fast", 429, {"error": {"code": "TASKS_QUEUE_LIMIT_EXCEEDED"}}, {}),
    (ErrorKind.RATE_LIMIT, "serpapi", 429, {"error": "You have exceeded your hourly throughput limit."}, {}),
    (ErrorKind.RATE_LIMIT, "exa_auto", 429, {"error": "rate limit exceeded"}, {}),
    (ErrorKind.RATE_LIMIT, "tavily_fast", 429, {"error": {"code": "x", "retry_after_seconds": 3}}, {}),
    (ErrorKind.RATE_LIMIT, "searxng", 429, PAGE, {}),
    # A key that is wrong, and an instance that is set up otherwise.
    (ErrorKind.AUTH, "exa_auto", 401, {"error": "x"}, {}),
    (ErrorKind.AUTH, "serper", 403, {"message": "Unauthorized.", "statusCode": 403}, {}),
    (ErrorKind.AUTH, "you", 401, {"detail": "x"}, {}),
    (ErrorKind.AUTH, "you", 403, {"detail": "x"}, {}),
    (ErrorKind.AUTH, "brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, {}),
    (ErrorKind.MISCONFIGURED, "searxng", 403, PAGE, {}),
    # The request.
    *(
        (ErrorKind.BAD_REQUEST, vendor_id, 400, {"error": "bad"}, {})
        for vendor_id in (*("tavily_fast", "exa_auto", "linkup_fast", "string", "tinyfish", "firecrawl"),)
    ),
    *(
        (ErrorKind.BAD_REQUEST, vendor_id, 422, {"detail": "bad"}, {})
        for vendor_id in (*("parallel_basic", "brave", "you", "perplexity_low"),)
    ),
    # The vendor is overloaded or late.
    (ErrorKind.SERVER, "exa_auto", 503, {"tag": "SERVICE_OVERLOADED"}, {}),
    (ErrorKind.TIMEOUT, "exa_auto", 504, {"error": "x"}, {}),
    (ErrorKind.SERVER, "tinyfish", 503, {"error": {"code": "SERVICE_BUSY"}}, {}),
    (ErrorKind.TIMEOUT, "jina", 524, PAGE, {}),
    (ErrorKind.TIMEOUT, "linkup_fast", 504, {"error": {"code": "REQUEST_DEADLINE_EXCEEDED"}}, {}),
    (ErrorKind.TIMEOUT, "firecrawl", 408, {"success": False, "error": "Request timed out"}, {}),
    (ErrorKind.SERVER, "firecrawl", 502, PAGE, {}),
    (ErrorKind.TIMEOUT, "firecrawl", 504, PAGE, {}),
    # Failures in a good answer's clothes.
    (ErrorKind.SERVER, "searxng", 200, {"results": [], "unresponsive_engines": [["google", "CAPTCHA"]]}, {}),
    (ErrorKind.SERVER, "firecrawl", 200, {"success": False, "error": "no engine could search"}, {}),
    (ErrorKind.SERVER, "valyu", 200, {"success": False, "error": "search failed"}, {}),
    (ErrorKind.SERVER, "valyu", 200, {"results": [], "error": "search failed"}, {}),
    (ErrorKind.QUOTA, "valyu", 200, {"success": True, "results": [], "error": "not enough credits"}, {}),
    (ErrorKind.SERVER, "serpapi", 200, {"search_metadata": {}, "error": "something else"}, {}),
    # Of a search, nothing can be said of a page.
    (ErrorKind.BAD_REQUEST, "jina", 422, {"name": "AssertionFailureError", "message": "no such provider"}, {}),
]

NO_PAGE: list[tuple[str, int, Any, dict[str, str]]] = [
    (
        "exa_auto",
        200,
        {"results": [], "statuses": [{"id": URL, "status": "error", "error": {"tag": "CRAWL_TIMEOUT"}}]},
        {},
    ),
    ("tavily_fast", 200, {"results": [], "failed_results": [{"url": URL, "error": "x"}]}, {}),
    ("parallel_basic", 200, {"results": [], "errors": [{"url": URL, "error_type": "fetch_error"}]}, {}),
    ("tinyfish", 200, {"results": [], "errors": [{"url": URL, "error": "x"}]}, {}),
    ("valyu", 200, {"success": True, "results": [{"url": URL, "status": "failed", "error": "x"}]}, {}),
    ("you", 200, [{"url": URL, "title": "A", "html": None, "markdown": None}], {}),
    ("firecrawl", 200, {"success": True, "data": {"markdown": "# Not here", "metadata": {"statusCode": 404}}}, {}),
    ("firecrawl", 200, {"success": True, "data": {"markdown": "captcha", "metadata": {"statusCode": 429}}}, {}),
    ("firecrawl", 200, {"success": False, "error": "no engine could read the page"}, {}),
    ("firecrawl", 408, {"success": False, "code": "SCRAPE_TIMEOUT", "error": "timed out"}, {}),
    ("string", 200, "# Not here", {"content-type": "text/markdown", "x-status-code": "404"}),
    ("string", 200, {"statusCode": 403, "headers": {}, "data": "<p>no</p>"}, {}),
    ("jina", 200, {"data": {"content": "x", "warning": "Target URL returned error 404: Not Found"}}, {}),
    ("jina", 422, {"name": "AssertionFailureError", "message": "Failed to goto the page"}, {}),
    ("linkup_fast", 400, {"error": {"code": "FETCH_TARGET_NOT_FOUND"}}, {}),
    ("linkup_fast", 400, {"error": {"code": "FETCH_URL_IS_FILE"}}, {}),
    ("nimble_standard", 200, {"status": "failed", "status_code": 404}, {}),
]


async def answer_to(vendor_id: str, op: Op, status: int, body: Any, headers: dict[str, str]) -> Outcome[Any]:
    """Ask a vendor that gives this one answer until its client gives up."""
    reply = json_reply(body, status, headers)
    if isinstance(body, str):
        reply = html_reply(body, status, headers) if body is PAGE else Reply(status, body.encode(), headers)
    seen: list[Request] = []

    def handle(request: Request) -> Reply:
        seen.append(request)
        return reply

    vendor, mode = plugins.resolve(vendor_id)
    transport = Transport(patience=impatient(max_tries=4, doubtful_tries=4))
    async with serving(handle) as server:
        options: dict[str, Any] = {"base_url": server.url} | ({"cx": "1"} if vendor_id == "google_cse" else {})
        client = open_client(vendor, mode, api_key="key-0123", options=options, transport=transport)
        outcome = await (client.search(SearchRequest("x")) if op == "search" else client.fetch(FetchRequest(URL)))
        await transport.aclose()
    assert len(seen) == outcome.tries
    return outcome


def named(row: Any) -> str:
    return row if isinstance(row, str) else row.value if isinstance(row, ErrorKind) else json.dumps(row)[:60]


@pytest.mark.parametrize(("vendor_id", "status", "body"), NOTHING_FOUND, ids=named)
async def test_nothing_found_is_an_answer(vendor_id: str, status: int, body: Any) -> None:
    outcome = await answer_to(vendor_id, "search", status, body, {})
    assert (outcome.value, outcome.error, outcome.tries) == ((), None, 1)


@pytest.mark.parametrize(("kind", "vendor_id", "status", "body", "headers"), REFUSED, ids=named)
async def test_a_refusal_is_of_its_kind_and_retried_only_if_that_helps(
    kind: ErrorKind, vendor_id: str, status: int, body: Any, headers: dict[str, str]
) -> None:
    outcome = await answer_to(vendor_id, "search", status, body, headers)
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.status) == (kind, status)
    assert outcome.tries == (4 if POLICY[kind].retry else 1)


@pytest.mark.parametrize(("vendor_id", "status", "body", "headers"), NO_PAGE, ids=named)
async def test_a_page_that_could_not_be_read_is_the_pages_failure(
    vendor_id: str, status: int, body: Any, headers: dict[str, str]
) -> None:
    outcome = await answer_to(vendor_id, "fetch", status, body, headers)
    assert outcome.error is not None
    assert (outcome.value, outcome.error.kind, outcome.tries) == (None, ErrorKind.TARGET, 1)
