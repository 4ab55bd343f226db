"""SearchApi: ``GET /api/v1/search`` of an engine (https://www.searchapi.io)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.tools import option_checks, organic
from agentcompass_websearch.tools.contract import SEARCH, Facts, Mode, SearchRequest, Vendor, VendorSettings
from agentcompass_websearch.tools.http import Endpoint, HttpApi, HttpRequest, http_vendor

_BASE_URL: Final = "https://www.searchapi.io"
_MOST_RESULTS: Final = 50
_TIMEOUT_S: Final = 60.0

_ENGINE: Final = "engine"
_ENGINES: Final = ("google", "bing")
_OPTIONS: Final = {_ENGINE: "google (default) or bing"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The results of one engine."""
    params = {
        "engine": settings.options.get(_ENGINE, "google"),
        "q": request.query,
        "num": min(request.max_results, _MOST_RESULTS),
    }
    return HttpRequest("GET", "/api/v1/search", params=params, timeout_s=_TIMEOUT_S)


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.one_of(options, _ENGINE, "searchapi", _ENGINES)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``searchapi``, with the one id ``searchapi``."""
    return http_vendor(
        HttpApi(search=Endpoint(_BASE_URL, build_search, organic.parse_search)),
        family="searchapi",
        title="SearchApi",
        homepage="https://www.searchapi.io",
        modes=(Mode("", "results of a search engine", SEARCH, ("search-only",)),),
        default_mode="",
        key_vars=("SEARCHAPI_API_KEY",),
        facts=Facts(fetch="none", site_operator="native", cache="unknown"),
        options=_OPTIONS,
        check_options=_check_options,
    )
