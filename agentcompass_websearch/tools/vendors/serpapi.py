"""SerpApi: ``GET /search.json`` of an engine, the key in the URL (https://serpapi.com)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.tools import option_checks, organic
from agentcompass_websearch.tools.contract import SEARCH, ErrorKind, Facts, Mode, SearchRequest, Vendor, VendorSettings
from agentcompass_websearch.tools.http import Auth, Endpoint, HttpApi, HttpRequest, Rule, http_vendor

_BASE_URL: Final = "https://serpapi.com"
_ONE_PAGE: Final = 10
_MOST_RESULTS: Final = 100
_TIMEOUT_S: Final = 60.0

_ENGINE: Final = "engine"
_ENGINES: Final = ("google", "bing", "duckduckgo")
_OPTIONS: Final = {_ENGINE: "google (default), bing or duckduckgo"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """A number of results is asked for only beyond the engine's first page."""
    params: dict[str, Any] = {"engine": settings.options.get(_ENGINE, "google"), "q": request.query}
    if request.max_results > _ONE_PAGE:
        params["num"] = min(request.max_results, _MOST_RESULTS)
    return HttpRequest("GET", "/search.json", params=params, timeout_s=_TIMEOUT_S)


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.one_of(options, _ENGINE, "serpapi", _ENGINES)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``serpapi``, with the one id ``serpapi``."""
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, organic.parse_search),
            auth=Auth(param="api_key"),
            # Only searches that succeed are charged.
            rules=(Rule(ErrorKind.BAD_REQUEST, {400}, billed=False),),
        ),
        family="serpapi",
        title="SerpApi",
        homepage="https://serpapi.com",
        modes=(Mode("", "results of a search engine", SEARCH, ("search-only",)),),
        default_mode="",
        key_vars=("SERPAPI_API_KEY", "SERP_API_KEY"),
        facts=Facts(fetch="none", site_operator="native", cache="answers up to an hour old"),
        options=_OPTIONS,
        check_options=_check_options,
    )
