"""Kagi: ``GET /api/v1/search`` (https://help.kagi.com/kagi/api)."""

from __future__ import annotations

from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import SEARCH, Facts, Mode, Price, SearchRequest, Vendor, VendorSettings
from agentcompass_websearch.tools.http import Answer, Auth, Endpoint, HttpApi, HttpReply, HttpRequest, http_vendor

_BASE_URL: Final = "https://kagi.com"
_TIMEOUT_S: Final = 30.0
_RESULT: Final = 0


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The number of results is Kagi's own."""
    return HttpRequest("GET", "/api/v1/search", params={"q": request.query}, timeout_s=_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Among the results stand lists of related searches; they are left out."""
    rows = results.section(reply.json_object(), "data")
    return Answer(results.hits(row for row in rows if _is_result(row)))


def _is_result(row: Any) -> bool:
    return not isinstance(row, dict) or row.get("t", _RESULT) == _RESULT


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``kagi``, with the one id ``kagi``."""
    price = Price(0.012, as_of="2026-11", source="12 dollars a thousand searches")
    return http_vendor(
        HttpApi(search=Endpoint(_BASE_URL, build_search, parse_search), auth=Auth("authorization", "Bot ")),
        family="kagi",
        title="Kagi",
        homepage="https://kagi.com",
        modes=(Mode("", "web search", SEARCH, ("search-only",), price),),
        default_mode="",
        key_vars=("KAGI_API_KEY",),
        facts=Facts(fetch="none", site_operator="native", cache="unknown"),
    )
