from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agentcompass_websearch.tools.classify import Rule, error_words, refusal
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import HttpReply


def reply(status: int, body: Any = None, **headers: str) -> HttpReply:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return HttpReply(status, httpx.Headers(headers), content)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {}, ErrorKind.AUTH),
        (403, {"message": "Unauthorized."}, ErrorKind.AUTH),
        (402, {"tag": "NO_MORE_CREDITS"}, ErrorKind.QUOTA),
        (432, {"detail": {"error": "plan limit"}}, ErrorKind.QUOTA),
        (433, {"detail": {"error": "pay-as-you-go limit"}}, ErrorKind.QUOTA),
        (403, {"error": {"code": "INSUFFICIENT_CREDITS"}}, ErrorKind.QUOTA),
        (400, {"error": "Insufficient credits to run this query"}, ErrorKind.QUOTA),
        (400, {"message": "Not enough credits"}, ErrorKind.QUOTA),
        (429, {"error": {"code": "INSUFFICIENT_FUNDS_CREDITS"}}, ErrorKind.QUOTA),
        (429, {"error": {"code": "EXCEED_BUDGET_LIMIT"}}, ErrorKind.QUOTA),
        (429, {"error": "Your account has run out of searches."}, ErrorKind.QUOTA),
        (409, {"name": "BudgetExceededError"}, ErrorKind.QUOTA),
        (429, {"error": {"code": "TOO_MANY_REQUESTS"}}, ErrorKind.RATE_LIMIT),
        (429, "slow down", ErrorKind.RATE_LIMIT),
        (400, {}, ErrorKind.BAD_REQUEST),
        (404, {}, ErrorKind.BAD_REQUEST),
        (422, [], ErrorKind.BAD_REQUEST),
        (451, {}, ErrorKind.BAD_REQUEST),
        (407, "", ErrorKind.MISCONFIGURED),
        (301, "", ErrorKind.MISCONFIGURED),
        (408, {}, ErrorKind.TIMEOUT),
        (504, {}, ErrorKind.TIMEOUT),
        (524, "<html>", ErrorKind.TIMEOUT),
        (409, {}, ErrorKind.SERVER),
        (500, {}, ErrorKind.SERVER),
        (503, "<h1>busy</h1>", ErrorKind.SERVER),
        (101, "", ErrorKind.UNREADABLE),
        (799, "", ErrorKind.UNREADABLE),
    ],
)
def test_the_shared_rules(status: int, body: Any, kind: ErrorKind) -> None:
    fault = refusal(reply(status, body))
    assert fault is not None
    assert fault.kind is kind
    assert fault.status == status


def test_a_vendors_rules_come_first() -> None:
    rules = (
        Rule(ErrorKind.AUTH, {422}, "TOKEN_INVALID"),
        Rule("empty", {400}, r"NO_RESULT\b"),
        Rule(ErrorKind.QUOTA, range(429, 430), "monthly", billed=False),
    )
    assert _kind(422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, rules) is ErrorKind.AUTH
    assert _kind(422, {"error": {"code": "VALIDATION"}}, rules) is ErrorKind.BAD_REQUEST
    assert _kind(429, {"error": {"message": "Monthly plan used"}}, rules) is ErrorKind.QUOTA
    assert refusal(reply(400, {"error": {"code": "SEARCH_QUERY_NO_RESULT"}}), rules) is None
    assert _kind(400, {"error": {"code": "OTHER"}}, rules) is ErrorKind.BAD_REQUEST


def _kind(status: int, body: Any, rules: tuple[Rule, ...]) -> ErrorKind:
    fault = refusal(reply(status, body), rules)
    assert fault is not None
    return fault.kind


def test_the_message_is_short_and_without_tags() -> None:
    fault = refusal(reply(502, "<html><h1>Bad <i>gateway</i></h1>" + "x" * 5000))
    assert fault is not None
    assert fault.message.startswith("HTTP 502: Bad gateway xxx")
    assert len(fault.message) <= 220


def test_advice_in_an_error_is_not_part_of_the_message() -> None:
    body = {
        "error": {"code": "LIMIT", "message": "Too <b>much</b>", "next_actions": ["buy"]},
        "upgrade_url": "https://x",
    }
    fault = refusal(reply(400, body))
    assert fault is not None
    assert fault.message == "HTTP 400: LIMIT | Too much"
    silent = refusal(reply(400, {"query": "no_more_credits"}))
    assert silent is not None
    assert (silent.kind, silent.message) == (ErrorKind.BAD_REQUEST, 'HTTP 400: {"query": "no_more_credits"}')


def test_a_rule_may_look_at_the_whole_reply() -> None:
    rules = (Rule(ErrorKind.QUOTA, {429}, when=lambda reply: reply.headers.get("x-left") == "0"),)
    for left, kind in (("0", ErrorKind.QUOTA), ("5", ErrorKind.RATE_LIMIT)):
        fault = refusal(reply(429, {}, **{"x-left": left}), rules)
        assert fault is not None
        assert fault.kind is kind


def test_a_redirect_says_where_to() -> None:
    fault = refusal(reply(308, "", location="https://api.acme.example/v2"))
    assert fault is not None
    assert fault.message == "HTTP 308: redirected to https://api.acme.example/v2"


def test_retry_after_comes_along() -> None:
    fault = refusal(reply(503, {"retry_after": 3}))
    assert fault is not None
    assert fault.retry_after_s == 3


def test_only_words_of_the_error_decide() -> None:
    body = {"query": "how to fix NO_MORE_CREDITS", "error": {"message": "slow down", "details": [{"msg": "x"}]}}
    assert error_words(body) == "slow down | x"
    assert _kind(429, body, ()) is ErrorKind.RATE_LIMIT


def test_a_query_that_an_error_repeats_decides_nothing() -> None:
    query = "what to do when we run out of credits"
    body = {"error": {"message": f"query refused: {query}"}}
    assert _kind(400, body, ()) is ErrorKind.QUOTA
    fault = refusal(reply(400, body), asked=query)
    assert fault is not None
    assert (fault.kind, fault.message) == (ErrorKind.BAD_REQUEST, f"HTTP 400: query refused: {query}")


def test_deep_and_long_bodies_are_read_to_a_limit() -> None:
    deep: Any = "end"
    for _ in range(100):
        deep = {"error": deep}
    assert error_words(deep) == ""
    assert len(error_words({"error": ["x" * 10_000] * 1000})) <= 4000


def test_advice_ends_the_message() -> None:
    advised = Rule(ErrorKind.MISCONFIGURED, {403}, advice="add json to the formats")
    for body, message in (
        (b"<h1>Forbidden</h1>", "HTTP 403: Forbidden; add json to the formats"),
        (b"", "HTTP 403: add"),
    ):
        fault = refusal(HttpReply(403, httpx.Headers(), body), (advised,))
        assert fault is not None
        assert fault.message.startswith(message)
