"""Every vendor of the zoo, from the harness's side of its client to the vendor's side of its API and back."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentcompass_websearch import plugins, sample
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Mode, Outcome, SearchRequest, VendorClient
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import impatient
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.zoo import Zoo
from agentcompass_websearch.tools.transport import Transport

KEY = "canary-0123456789-canary"
PAGE = next(iter(sample.pages()))
URLS = {page["url"] for page in sample.pages()}
HOST = PAGE["url"].split("/")[2]
FAMILIES = sorted(all_faces().keys() & plugins.families().keys())
MODES = [(family, mode) for family in FAMILIES for mode in plugins.load(family).modes.values()]


@pytest.fixture(scope="module")
def shared() -> Zoo:
    return Zoo(key=KEY)


@pytest.fixture
async def zoo(shared: Zoo) -> AsyncIterator[Zoo]:
    """One library for all tests; each serves it in its own event loop."""
    shared.calls.clear()
    shared.plan({family: [] for family in FAMILIES})
    async with shared:
        yield shared
    assert not shared.server.errors


def client_of(zoo: Zoo, family: str, mode: Mode | None = None, *, key: str = KEY, **options: Any) -> VendorClient:
    vendor = plugins.load(family)
    return open_client(
        vendor,
        mode or vendor.modes[vendor.default_mode],
        api_key=key,
        options={"base_url": zoo.base_url(family), **all_faces()[family].options, **options},
        transport=Transport(patience=impatient()),
    )


def test_the_zoo_speaks_for_every_vendor_of_this_package_that_is_asked_over_http() -> None:
    vendors, problems = plugins.all_vendors()
    assert problems == []
    ours = {
        name for name, family in plugins.families().items() if family.owner().distribution == "agentcompass-websearch"
    }
    over_http = {vendor.family for vendor in vendors if "base_url" in vendor.options}
    assert sorted(ours & over_http) == FAMILIES == sorted(all_faces())


@pytest.mark.parametrize(("family", "mode"), MODES, ids=[f"{family}-{mode.name}" for family, mode in MODES])
async def test_each_mode_is_understood(zoo: Zoo, family: str, mode: Mode) -> None:
    client = client_of(zoo, family, mode)
    found = await client.search(SearchRequest(PAGE["title"], objective="to learn of it"))
    assert found.error is None, found.error
    assert found.value
    assert PAGE["url"] in [hit.url for hit in found.value]
    assert {hit.url for hit in found.value} <= URLS
    assert all(hit.title and hit.snippet for hit in found.value)
    if "fetch" in mode.operations:
        page = await client.fetch(FetchRequest(PAGE["url"], objective="to learn of it"))
        assert page.error is None, page.error
        assert page.value is not None
        assert page.value.content == PAGE["text"].strip()
        gone = await client.fetch(FetchRequest(f"https://{HOST}/gone"))
        assert gone.error is not None
        assert (gone.error.kind, gone.tries) == (ErrorKind.TARGET, 1)


@pytest.mark.parametrize("family", FAMILIES)
async def test_a_site_is_searched_and_no_other(zoo: Zoo, family: str) -> None:
    client = client_of(zoo, family)
    found = await client.search(SearchRequest(f"{PAGE['title']} site:{HOST}"))
    assert found.value, found.error
    assert {hit.url.split("/")[2] for hit in found.value} == {HOST}
    elsewhere = await client.search(SearchRequest(f"{PAGE['title']} site:elsewhere.example"))
    assert elsewhere.value == (), elsewhere.error


@pytest.mark.parametrize("family", FAMILIES)
async def test_long_and_many_are_cut_to_what_the_vendor_takes(zoo: Zoo, family: str) -> None:
    client = client_of(zoo, family)
    words = f"{PAGE['title']} " * 400
    for request in (SearchRequest(words), SearchRequest(PAGE["title"], max_results=500), SearchRequest("x" * 9000)):
        outcome = await client.search(request)
        assert outcome.error is None, outcome.error


@pytest.mark.parametrize("family", FAMILIES)
async def test_nothing_found_is_an_empty_answer(zoo: Zoo, family: str) -> None:
    assert (await client_of(zoo, family).search(SearchRequest("zzzzqqqq"))).value == ()


@pytest.mark.parametrize("family", [name for name in FAMILIES if "exclude_domains" in plugins.load(name).options])
async def test_a_site_is_left_out(zoo: Zoo, family: str) -> None:
    found = await client_of(zoo, family, exclude_domains=[HOST]).search(SearchRequest(PAGE["title"]))
    assert found.value, found.error
    assert HOST not in {hit.url.split("/")[2] for hit in found.value}


@pytest.mark.parametrize("family", [name for name in FAMILIES if plugins.load(name).facts.site_operator == "native"])
async def test_an_engine_understands_what_is_left_out(zoo: Zoo, family: str) -> None:
    found = await client_of(zoo, family).search(SearchRequest(f"{PAGE['title']} -site:{HOST}"))
    assert found.value, found.error
    assert HOST not in {hit.url.split("/")[2] for hit in found.value}


@pytest.mark.parametrize("family", FAMILIES)
async def test_a_vendor_that_knows_nothing(zoo: Zoo, family: str) -> None:
    zoo.plan({family: ["nothing*"]})
    client = client_of(zoo, family)
    found = await client.search(SearchRequest(PAGE["title"]))
    assert found.value == (), found.error
    if "fetch" in plugins.load(family).modes[plugins.load(family).default_mode].operations:
        page = await client.fetch(FetchRequest(PAGE["url"]))
        assert page.error is not None
        assert (page.error.kind, page.tries) == (ErrorKind.TARGET, 1)


@pytest.mark.parametrize("family", FAMILIES)
async def test_refusals_of_the_vendors_own_form(zoo: Zoo, family: str) -> None:
    wrong = await client_of(zoo, family, key="another-key").search(SearchRequest("x"))
    assert (wrong.error and wrong.error.kind) == (ErrorKind.AUTH if plugins.load(family).key_vars else None)
    for fault, kind, tries in (
        ("402", ErrorKind.QUOTA, 1),
        ("429:ms=1", ErrorKind.RATE_LIMIT, 3),
        ("503", ErrorKind.SERVER, 3),
        ("502-html", ErrorKind.SERVER, 3),
    ):
        zoo.plan({family: [f"{fault}*"]})
        outcome = await client_of(zoo, family).search(SearchRequest("x"))
        assert outcome.error is not None
        assert (outcome.error.kind, outcome.tries) == (kind, tries), outcome.error


@pytest.mark.parametrize("family", FAMILIES)
async def test_a_key_is_shown_nowhere(zoo: Zoo, family: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = client_of(zoo, family)
    said: list[Outcome[Any]] = [
        await client.search(SearchRequest(f"{PAGE['title']} {KEY}")),
        await client.search(SearchRequest(KEY)),
    ]
    if "fetch" in plugins.load(family).modes[plugins.load(family).default_mode].operations:
        said.append(await client.fetch(FetchRequest(f"https://{HOST}/{KEY}?key={KEY}")))
    for fault in ("401", "400", "500", "html"):
        zoo.plan({family: [f"{fault}*"]})
        said.append(await client.search(SearchRequest(KEY)))
    assert all(call.authorized for call in zoo.calls)
    shown = " ".join(f"{outcome!r} {outcome.error!r} {outcome.error}" for outcome in said)
    assert KEY not in f"{shown} {client!r} {vars(client)!r} {caplog.text}"
    assert "canary" not in f"{shown} {caplog.text}"
