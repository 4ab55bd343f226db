"""A stranger's vendor under the public contract, and faulty ones that it must catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import ErrorKind, Mode, SearchRequest, Vendor, VendorSettings
from agentcompass_websearch.tools.http import (
    BEARER,
    Answer,
    Endpoint,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply


def build(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", "/find", params={"q": request.query, "n": request.max_results})


def parse(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    rows = results.section(reply.json_object(), "hits")
    return Answer(results.hits(rows, url="link", title="name", snippet="text", markup=True))


def stranger(parse: Callable[[HttpReply, SearchRequest], Answer[tuple[Hit, ...]]] = parse, **changes: Any) -> Vendor:
    api = HttpApi(
        search=Endpoint("https://api.stranger.example", build, parse),
        auth=BEARER,
        rules=(Rule(ErrorKind.QUOTA, {429}, "LIMIT"),),
    )
    vendor = http_vendor(
        replace(api, **changes),
        family="stranger",
        title="A stranger's search",
        homepage="https://stranger.example",
        modes=(Mode("", "the only one", frozenset({"search"}), ("search-only",)),),
        default_mode="",
        key_vars=("STRANGER_KEY",),
    )
    return vendor


class TestStranger(HttpVendorContract):
    vendor = stranger()
    options = {"env_proxies": False}  # noqa: RUF012
    found = json_reply(
        {
            "hits": [
                {"link": "https://docs.acme.example/a", "name": "<b>A</b>\x00", "text": None},
                {"link": "https://www.docs.acme.example/a/", "name": "A again"},
                {"link": None, "name": "no link"},
                {"link": "https://docs.acme.example/b", "text": "Bé &amp; more \ud835"},
            ]
        }
    )
    nothing_found = json_reply({"hits": []})
    refusals = {ErrorKind.QUOTA: json_reply({"code": "LIMIT"}, 429)}  # noqa: RUF012


class Faulty(HttpVendorContract):
    """Not collected: its checks are run below, and must fail."""

    __test__ = False
    vendor = stranger()
    found = TestStranger.found
    nothing_found = json_reply({"hits": []})


def swallow(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    body = reply.json_or_none
    return Answer(results.hits(body.get("hits") or [], url="link") if isinstance(body, dict) else ())


def leak(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    return Answer((Hit("no url", str(None), "\x00"),))


@pytest.mark.parametrize(
    ("vendor", "check"),
    [
        (stranger(swallow), "test_unreadable_answers_are_retried"),
        (stranger(swallow), "test_a_wrong_address_says_what_to_set"),
        (stranger(leak), "test_a_search_finds_distinct_hits_within_the_limit"),
        (stranger(leak), "test_nothing_found_is_an_empty_answer"),
        (stranger(rules=(Rule(ErrorKind.BAD_REQUEST, {401}),)), "test_refusals_are_of_their_kinds"),
        (stranger(auth=replace(BEARER, header="")), "test_the_key_is_sent_and_appears_nowhere_else"),
        (replace(stranger(), default_mode="other"), "test_it_describes_itself"),
        (replace(stranger(), options={}), "test_it_takes_the_options_of_http_vendors"),
    ],
)
def test_the_contract_catches_a_faulty_vendor(vendor: Vendor, check: str) -> None:
    faulty = type("_", (Faulty,), {"vendor": vendor})()
    with pytest.raises(AssertionError):
        getattr(faulty, check)()
