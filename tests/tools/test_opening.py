from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.contract import VendorClient, VendorSettings
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import exa, none

EXA = exa.websearch_vendor()


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r"exa has no option 'base_ulr'; did you mean 'base_url'\? known options: base_url, "
    ):
        check_options(EXA, {"base_ulr": "http://127.0.0.1:1"})
    with pytest.raises(UsageError, match="none has no option 'x'; known options: none"):
        check_options(none.websearch_vendor(), {"x": 1})


@pytest.mark.parametrize("options", [[], "base_url", 3])
def test_options_are_a_mapping(options: Any) -> None:
    with pytest.raises(UsageError, match="must be a mapping"):
        check_options(EXA, options)


def test_null_is_not_given() -> None:
    check_options(EXA, None)
    check_options(EXA, {"base_url": None, "max_age_hours": None})
    with pytest.raises(UsageError, match="no option 'nonsense'"):
        check_options(EXA, {"nonsense": None})


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://x.example",
        "http://",
        "http://x.example:99999",
        "http://x y.example",
        5,
        ["http://x.example"],
    ],
)
@pytest.mark.parametrize("name", ["base_url", "search_base_url", "fetch_base_url"])
def test_a_base_url_is_an_absolute_http_url(name: str, url: Any) -> None:
    with pytest.raises(UsageError, match=f"vendor_options.{name} of exa"):
        check_options(EXA, {name: url})


@pytest.mark.parametrize("url", ["http://x.example/?q=1", "http://x.example/#part", "http://x.example/?"])
def test_a_base_url_has_no_query_and_no_fragment(url: str) -> None:
    with pytest.raises(UsageError, match="no query and no fragment"):
        check_options(EXA, {"base_url": url})


def test_a_message_never_quotes_a_base_url_that_may_hold_a_password() -> None:
    with pytest.raises(UsageError) as caught:
        check_options(EXA, {"base_url": "ftp://user:secret@x.example"})
    assert "secret" not in str(caught.value)


def test_good_options_pass() -> None:
    check_options(EXA, {"base_url": "http://user:pw@127.0.0.1:8080/exa/", "env_proxies": False, "max_age_hours": 0})
    with pytest.raises(UsageError, match="env_proxies of exa must be true or false"):
        check_options(EXA, {"env_proxies": "no"})


async def test_a_client_is_opened_with_what_was_given() -> None:
    seen: list[VendorSettings] = []

    def opened(settings: VendorSettings, transport: Transport) -> VendorClient:
        seen.append(settings)
        return none.NoClient()

    vendor = replace(EXA, open=opened)
    mode = vendor.modes["deep"]
    options = {"base_url": "http://127.0.0.1:1", "env_proxies": None}
    open_client(vendor, mode, api_key="key-1", options=options, transport=Transport(), concurrency=3, rate_per_s=2.5)
    assert seen == [VendorSettings("exa_deep", mode, "key-1", {"base_url": "http://127.0.0.1:1"}, 3, 2.5)]
    with pytest.raises(UsageError):
        open_client(vendor, mode, api_key="", options={"x": 1}, transport=Transport())
