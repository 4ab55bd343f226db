"""Keenable: ``POST /v1/search``, without a key ``/v1/search/public`` (https://keenable.ai)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import SEARCH, Facts, Mode, SearchRequest, Vendor, VendorSettings
from agentcompass_websearch.tools.http import Answer, Auth, Endpoint, HttpApi, HttpReply, HttpRequest, http_vendor

_BASE_URL: Final = "https://api.keenable.ai"
_SNIPPET_CHARS: Final = 2000
_TIMEOUT_S: Final = 30.0


def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    """The number of results is Keenable's own."""
    path = "/v1/search" if settings.api_key else "/v1/search/public"
    body = {"query": request.query, "mode": settings.mode.name, "snippet_max_length": _SNIPPET_CHARS}
    return HttpRequest("POST", path, json=body, timeout_s=_TIMEOUT_S)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Where a hit has no snippet, its description stands for it."""
    return Answer(results.hits(results.section(reply.json_object(), "results"), snippet=_snippet))


def _snippet(row: Mapping[str, Any]) -> str:
    return results.words(row.get("snippet")) or results.words(row.get("description"))


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``keenable``."""
    return http_vendor(
        HttpApi(search=Endpoint(_BASE_URL, build_search, parse_search), auth=Auth("x-api-key")),
        family="keenable",
        title="Keenable",
        homepage="https://keenable.ai",
        modes=(
            Mode("pro", "best results", SEARCH, ("search-only",)),
            Mode("realtime", "lowest latency; needs a key", SEARCH, ("search-only",)),
        ),
        default_mode="pro",
        key_vars=("KEENABLE_API_KEY",),
        key_optional=True,
        facts=Facts(fetch="none", site_operator="passed on", cache="unknown"),
    )
