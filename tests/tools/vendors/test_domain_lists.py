"""A list of domains that is longer than the vendor takes is refused before anything is asked."""

from __future__ import annotations

import pytest

from agentcompass_websearch import plugins
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.opening import check_options

INCLUDE, EXCLUDE = "include_domains", "exclude_domains"


@pytest.mark.parametrize(
    ("family", "name", "most"),
    [
        ("linkup", INCLUDE, 100),
        ("nimble", INCLUDE, 50),
        ("nimble", EXCLUDE, 50),
        ("parallel", INCLUDE, 200),
        ("parallel", EXCLUDE, 200),
        ("perplexity", INCLUDE, 20),
        ("perplexity", EXCLUDE, 20),
        ("tavily", INCLUDE, 300),
        ("tavily", EXCLUDE, 150),
    ],
)
def test_no_list_is_longer_than_the_vendor_takes(family: str, name: str, most: int) -> None:
    vendor = plugins.load(family)
    domains = [f"docs-{n}.acme.example" for n in range(most + 1)]
    check_options(vendor, {name: domains[:most]})
    with pytest.raises(UsageError, match=f"{name} of {family}: at most {most} domains, not {most + 1}"):
        check_options(vendor, {name: domains})
