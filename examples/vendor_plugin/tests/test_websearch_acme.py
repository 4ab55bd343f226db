"""Acme under the contract of all vendors over HTTP, and what is special about it."""

from __future__ import annotations

import httpx
import websearch_acme

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest, VendorSettings
from agentcompass_websearch.tools.http import HttpReply
from agentcompass_websearch.tools.testing import HttpVendorContract, json_reply

VENDOR = websearch_acme.websearch_vendor()
HITS = [{"link": "https://docs.acme.example/a", "name": "A", "text": "Alpha."}, {"link": None, "name": "no link"}]


class TestAcme(HttpVendorContract):
    vendor = VENDOR
    signed = {"authorization": "Bearer {key}"}  # noqa: RUF012
    found = json_reply({"hits": HITS, "cost_usd": 0.004})
    nothing_found = json_reply({"hits": []})
    page = json_reply({"markdown": "# A", "title": "A", "status": 200})
    no_page = json_reply({"markdown": "", "status": 404})
    refusals = {ErrorKind.QUOTA: json_reply({"error": "the monthly plan is used up"}, 429)}  # noqa: RUF012


def test_the_mode_is_the_depth() -> None:
    settings = VendorSettings("acme_deep", VENDOR.modes["deep"], options={"region": "eu"})
    request = websearch_acme.build_search(SearchRequest("alpha", max_results=8), settings)
    assert request.params == {"q": "alpha", "count": 8, "depth": "deep", "region": "eu"}


def test_a_hit_without_a_link_is_dropped() -> None:
    reply = HttpReply(200, httpx.Headers(), TestAcme.found.body)
    answer = websearch_acme.parse_search(reply, SearchRequest("alpha"))
    assert answer.value == (Hit("https://docs.acme.example/a", "A", "Alpha."),)
    assert answer.reported_usd == 0.004
