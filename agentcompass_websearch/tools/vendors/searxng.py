"""SearXNG, a search engine that you run yourself: ``GET {base_url}/search`` (https://docs.searxng.org)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import base_urls, option_checks, results
from agentcompass_websearch.tools.contract import (
    SEARCH,
    ErrorKind,
    Facts,
    Mode,
    Price,
    SearchRequest,
    Vendor,
    VendorClient,
    VendorSettings,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)
from agentcompass_websearch.tools.transport import Transport

URL_VARS: Final = ("SEARXNG_URL", "SEARXNG_BASE_URL")
_TIMEOUT_S: Final = 30.0
_SAID_OF_ENGINES: Final = 200

_FREE_OPTIONS: Final = {
    "engines": "the engines to ask, as they are named in the instance: google,bing (unset: the instance's choice)",
    "categories": "the categories to search (unset: general)",
    "language": "language code, such as en or all (unset: the instance's default)",
}
_ADVICE: Final = (
    "does the instance allow JSON? add json to search.formats in its settings.yml (or its limiter refused this client)"
)


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The number of results is the engines' own."""
    chosen = {name: settings.options[name] for name in _FREE_OPTIONS if name in settings.options}
    params = {"q": request.query, "format": "json", **chosen}
    return HttpRequest("GET", "/search", params=params, timeout_s=_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Nothing from engines that did not answer is a failure, not "nothing found"."""
    body = reply.json_object()
    hits = results.hits(results.section(body, "results"), snippet="content")
    down = results.optional_section(body, "unresponsive_engines")
    if not hits and down:
        said = ", ".join(": ".join(filter(None, map(results.words, _listed(engine)))) for engine in down)
        raise Fault(ErrorKind.SERVER, f"no engine has answered ({said[:_SAID_OF_ENGINES]})", status=reply.status)
    return Answer(hits)


def _listed(engine: Any) -> list[Any]:
    return engine if isinstance(engine, list) else [engine]


def _with_address(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return `options` with the address of the environment, where they name none."""
    if options.get("base_url") or options.get("search_base_url"):
        return dict(options)
    for name in URL_VARS:
        url = os.environ.get(name, "").strip()
        if url:
            base_urls.check_url(url, f"the environment variable {name}")
            return {**options, "base_url": url}
    raise UsageError(f"searxng needs the address of an instance: set vendor_options.base_url or {URL_VARS[0]}")


def _check_options(options: Mapping[str, Any]) -> None:
    _with_address(options)
    for name in _FREE_OPTIONS:
        option_checks.text(options, name, "searxng")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``searxng``, with the one id ``searxng``."""
    vendor = http_vendor(
        HttpApi(
            search=Endpoint("", build_search, parse_search),
            rules=(Rule(ErrorKind.MISCONFIGURED, {403}, advice=_ADVICE),),
        ),
        family="searxng",
        title="SearXNG",
        homepage="https://docs.searxng.org",
        modes=(
            Mode(
                "",
                "your own instance, which asks other engines",
                SEARCH,
                ("search-only",),
                Price(0.0, as_of="2026-11", source="runs on your own machine"),
            ),
        ),
        default_mode="",
        facts=Facts(fetch="none", site_operator="passed on to the engines", cache="none"),
        options=_FREE_OPTIONS,
        check_options=_check_options,
    )

    def open_client(settings: VendorSettings, transport: Transport) -> VendorClient:
        return vendor.open(replace(settings, options=_with_address(settings.options)), transport)

    return replace(vendor, open=open_client)
