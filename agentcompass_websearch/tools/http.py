"""Vendors over HTTP: a vendor file gives two pure functions per operation, this module does everything else.

    def build_search(request: SearchRequest, settings: VendorSettings) -> HttpRequest: ...
    def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]: ...

    API = HttpApi(
        auth=Auth("x-api-key"),
        search=Endpoint("https://api.acme.example", build_search, parse_search),
        rules=(Rule(ErrorKind.QUOTA, {429}, says="monthly plan"),),
    )

A builder sees a cleaned query of allowed length and gives a path; a parser sees 2xx replies only, reads them with
`agentcompass_websearch.tools.results`, and raises `Fault` where a reply is a failure in disguise. Neither does I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agentcompass_websearch.tools import base_urls
from agentcompass_websearch.tools.classify import Rule
from agentcompass_websearch.tools.contract import Facts, Mode, Vendor, VendorClient, VendorSettings
from agentcompass_websearch.tools.http_api import BEARER, Auth, Endpoint, HttpApi
from agentcompass_websearch.tools.http_client import HttpClient
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.wire import Answer, Fault, HttpReply, HttpRequest

__all__ = [
    "BEARER",
    "Answer",
    "Auth",
    "Endpoint",
    "Fault",
    "HttpApi",
    "HttpReply",
    "HttpRequest",
    "Rule",
    "http_vendor",
]

_NO_FACTS: Final = Facts()


def http_vendor(
    api: HttpApi | Callable[[Mode], HttpApi],
    *,
    family: str,
    title: str,
    homepage: str,
    modes: Iterable[Mode],
    default_mode: str,
    key_vars: tuple[str, ...] = (),
    key_optional: bool = False,
    facts: Facts = _NO_FACTS,
    options: Mapping[str, str] | None = None,
    check_options: Callable[[Mapping[str, Any]], None] | None = None,
) -> Vendor:
    """Return the vendor that speaks `api`; see `Vendor` for the fields.

    `api` is a function where replies of one mode are read otherwise than those of another.
    `options` and `check_options` are for the vendor's own options; those of every HTTP vendor are added.
    """

    def check(values: Mapping[str, Any]) -> None:
        base_urls.check(values, family)
        if check_options:
            check_options(values)

    def open_client(settings: VendorSettings, transport: Transport) -> VendorClient:
        spoken = api if isinstance(api, HttpApi) else api(settings.mode)
        return HttpClient(spoken, family, facts, settings, transport)

    return Vendor(
        family=family,
        title=title,
        homepage=homepage,
        modes={mode.name: mode for mode in modes},
        default_mode=default_mode,
        open=open_client,
        key_vars=key_vars,
        key_optional=key_optional,
        options={**(options or {}), **base_urls.OPTIONS},
        check_options=check,
        silent_options=frozenset(base_urls.OPTIONS),
        facts=facts,
    )
