"""Acme, a fictional search vendor: ``GET /v1/find`` and ``POST /v1/page``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import (
    SEARCH_AND_FETCH,
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    Price,
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import Answer, Endpoint, HttpApi, HttpReply, HttpRequest, Rule, http_vendor

BASE_URL = "https://api.acme.example"
PRICE = Price(search_usd=0.004, fetch_usd=0.001, as_of="2026-11", source="https://acme.example/pricing")


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """One mode is one depth."""
    params = {"q": request.query, "count": request.max_results, "depth": settings.mode.name}
    if "region" in settings.options:
        params["region"] = settings.options["region"]
    return HttpRequest("GET", "/v1/find", params=params, timeout_s=30)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """A hit without a usable URL is dropped."""
    body = reply.json_object()
    hits = results.hits(results.section(body, "hits"), url="link", title="name", snippet="text")
    return Answer(hits, reported_usd=results.usd(body.get("cost_usd")))


def build_fetch(request: FetchRequest, settings: VendorSettings) -> HttpRequest:
    """The page as Markdown."""
    return HttpRequest("POST", "/v1/page", json={"url": request.url}, timeout_s=60)


def parse_fetch(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    """A page of an error status, or without text, is no page: `results.page` says so."""
    body = reply.json_object()
    page = results.page(
        request.url,
        content=body.get("markdown"),
        title=body.get("title"),
        final_url=body.get("final_url"),
        status=body.get("status"),
    )
    return Answer(page)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse a wrong value before anything is sent."""
    if options.get("region", "eu") not in ("eu", "us"):
        raise UsageError("vendor_options.region of acme must be eu or us")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``acme``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(BASE_URL, build_search, parse_search),
            fetch=Endpoint(BASE_URL, build_fetch, parse_fetch),
            rules=(Rule(ErrorKind.QUOTA, {429}, says="monthly plan"),),
        ),
        family="acme",
        title="Acme",
        homepage="https://acme.example",
        modes=(
            Mode("quick", "index only", SEARCH_AND_FETCH, ("search-only",), PRICE, rate_per_s=10),
            Mode("deep", "index and live pages", SEARCH_AND_FETCH, ("search-fetch",), PRICE, rate_per_s=2),
        ),
        default_mode="quick",
        key_vars=("ACME_API_KEY",),
        options={"region": "where to search: eu or us (unset: both)"},
        check_options=check_options,
        facts=Facts(site_operator="native", cache="pages up to a day old", max_query_chars=500),
    )
