"""Google Custom Search: ``GET /customsearch/v1`` of an engine of your own, the key in the URL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import option_checks, results
from agentcompass_websearch.tools.contract import (
    SEARCH,
    ErrorKind,
    Facts,
    Mode,
    Price,
    SearchRequest,
    Vendor,
    VendorSettings,
)
from agentcompass_websearch.tools.http import (
    Answer,
    Auth,
    Endpoint,
    Fault,
    HttpApi,
    HttpReply,
    HttpRequest,
    Rule,
    http_vendor,
)

ENGINE_VAR: Final = "GOOGLE_CSE_ID"
_BASE_URL: Final = "https://www.googleapis.com"
_MOST_RESULTS: Final = 10
_TIMEOUT_S: Final = 30.0
_KIND: Final = "customsearch#search"

_ENGINE: Final = "cx"
_OPTIONS: Final = {_ENGINE: f"id of the search engine that you have set up (unset: that in {ENGINE_VAR})"}


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """At most ten results are given at once."""
    params = {"q": request.query, "cx": _engine(settings.options), "num": min(request.max_results, _MOST_RESULTS)}
    return HttpRequest("GET", "/customsearch/v1", params=params, timeout_s=_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Where nothing was found, ``items`` is missing; every good answer says of which kind it is."""
    body = reply.json_object()
    if body.get("kind") != _KIND:
        raise Fault(ErrorKind.UNREADABLE, f"the answer is not of the kind {_KIND}")
    return Answer(results.hits(results.optional_section(body, "items"), url="link"))


def _engine(options: Mapping[str, Any]) -> str:
    engine = options.get(_ENGINE) or os.environ.get(ENGINE_VAR, "").strip()
    if not engine:
        raise UsageError(f"google_cse needs the id of a search engine: set vendor_options.{_ENGINE} or {ENGINE_VAR}")
    return str(engine)


def _check_options(options: Mapping[str, Any]) -> None:
    option_checks.text(options, _ENGINE, "google_cse")
    _engine(options)


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``google_cse``, with the one id ``google_cse``."""
    price = Price(0.005, as_of="2026-11", source="Custom Search JSON API, beyond 100 free queries a day")
    return http_vendor(
        HttpApi(
            search=Endpoint(_BASE_URL, build_search, parse_search),
            auth=Auth(param="key"),
            rules=(
                # What is used up is told by the same status and code, whether for a minute or for the day.
                Rule(ErrorKind.RATE_LIMIT, {403, 429}, r"per (minute|second|100 seconds)", billed=False),
                Rule(ErrorKind.QUOTA, {403, 429}, r"quota exceeded|RESOURCE_EXHAUSTED|daily ?limit", billed=False),
                Rule(ErrorKind.AUTH, {400}, r"API_KEY_INVALID|API key not valid", billed=False),
            ),
        ),
        family="google_cse",
        title="Google Custom Search",
        homepage="https://developers.google.com/custom-search",
        modes=(Mode("", "a search engine that you have set up", SEARCH, ("search-only",), price),),
        default_mode="",
        key_vars=("GOOGLE_CSE_API_KEY", "GOOGLE_API_KEY"),
        facts=Facts(fetch="none", site_operator="native", cache="Google's own index"),
        options=_OPTIONS,
        check_options=_check_options,
    )
