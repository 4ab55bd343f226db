"""Tickets do what the benchmark is for: words alone do not decide, the stated circumstances and the pages do."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import httpx
import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    Submission,
    Verdict,
    judge_official,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.records import Evidence, Hit, Search
from agentcompass_websearch.sample.circumstances import DIMENSIONS
from agentcompass_websearch.sample.clients import client_code
from agentcompass_websearch.sample.guides import guide_url
from agentcompass_websearch.sample.synthesize import World, synthesize
from agentcompass_websearch.sample.world import Product

WORLDS = [synthesize(seed, 12, siblings=siblings) for seed, siblings in ((1, 3), (2, 3), (3, 5), (4, 8))]


def needles(row: Mapping[str, Any]) -> list[str]:
    return [*row["required"], *row["query_forbidden"]]


def source(row: Mapping[str, Any]) -> str:
    (url,) = set(re.findall(r"^ *# source: (\S+)$", row["gold_code"], re.MULTILINE))
    return str(url)


def ticket_capabilities(world: World) -> Iterator[tuple[Product, int, dict[str, Any]]]:
    rows = world.rows()
    for product in world.products():
        for number in range(product.tickets):
            yield product, number, next(rows)


@pytest.mark.parametrize("world", WORLDS)
def test_needles_stand_in_gold_and_never_in_ticket_or_starter(world: World) -> None:
    for row in world.rows():
        assert needles(row)
        assert len(row["kinds"]) == len(needles(row))
        told = (row["ticket"] + row["starter_code"]).lower()
        for needle in needles(row):
            assert needle in row["gold_code"]
            assert needle.lower() not in told


@pytest.mark.parametrize("world", WORLDS)
def test_needles_cannot_be_put_together_from_words(world: World) -> None:
    """Each holds a group of consonants that stands nowhere in what the model is given."""
    for row in world.rows():
        told = set(re.findall(r"[a-z]+", (row["ticket"] + row["starter_code"]).lower()))
        for needle in needles(row):
            parts = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", needle).lower())
            assert [p for p in parts if re.fullmatch("[bcdfghjklmnpqrstvwxz]{3}", p) and p not in told], needle


@pytest.mark.parametrize("world", WORLDS)
def test_needles_are_documented_on_the_cited_page_alone(world: World) -> None:
    pages = {page["url"]: page["text"] for page in world.pages()}
    for row in world.rows():
        for needle in needles(row):
            assert [url for url, text in pages.items() if needle in text] == [source(row)]


@pytest.mark.parametrize("world", WORLDS)
def test_no_needle_is_part_of_another_request(world: World) -> None:
    """Neither policy can take a sibling's detail for the right one, whether it looks for words or for substrings."""
    for product, number, row in ticket_capabilities(world):
        others = [c.request for c in product.capabilities[number].configurations]
        others.remove(product.capabilities[number].right.request)
        for needle in needles(row):
            assert not [request for request in others if needle in repr(request)]


@pytest.mark.parametrize("world", WORLDS)
def test_siblings_have_other_needles_and_pages_of_their_own(world: World) -> None:
    urls = {page["url"] for page in world.pages()}
    for product, number, _ in ticket_capabilities(world):
        capability = product.capabilities[number]
        assert len(capability.configurations) == world.siblings + 1
        assert len({c.request for c in capability.configurations}) == world.siblings + 1
        assert len({c.slug for c in capability.configurations}) == world.siblings + 1
        assert {f"{product.docs}/guides/{capability.slug}/{c.slug}" for c in capability.configurations} <= urls


@pytest.mark.parametrize("world", WORLDS)
def test_stated_circumstances_single_out_one_configuration(world: World) -> None:
    for product, number, row in ticket_capabilities(world):
        capability = product.capabilities[number]
        stated = re.split(r"(?<=\.) ", row["ticket"])
        matching = [
            configuration
            for configuration in capability.configurations
            if all(
                any(state.format(mark=mark) in stated for state in dimension.states for mark in value.marks)
                for dimension, value in zip(capability.dimensions, configuration.circumstances, strict=True)
            )
        ]
        assert matching == [capability.right]


@pytest.mark.parametrize("world", WORLDS)
def test_tickets_never_use_the_names_of_configurations(world: World) -> None:
    labels = [value.label.lower() for dimension in DIMENSIONS for value in dimension.values]
    for row in world.rows():
        assert not [label for label in labels if label in row["ticket"].lower()]


@pytest.mark.parametrize("world", WORLDS)
def test_starter_is_a_documented_call_that_works_but_is_not_the_right_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {page["url"]: page["text"] for page in world.pages()}
    for product, number, row in ticket_capabilities(world):
        capability = product.capabilities[number]
        general = pages[f"{product.docs}/reference/{capability.slug}"]
        assert f"POST {sent(row['starter_code'], product, monkeypatch).url.path} HTTP" in general
        assert row["starter_code"] != row["gold_code"]


@pytest.mark.parametrize("world", WORLDS)
def test_gold_sends_the_documented_request(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for product, number, row in ticket_capabilities(world):
        request = product.capabilities[number].right.request
        made = sent(row["gold_code"], product, monkeypatch)
        assert made.url.path == request.path
        assert request.header is None or made.headers[request.header[0]] == request.header[1]
        assert f'"{request.field}"' in made.content.decode()
        assert request.signer is None or made.headers["signed-by"] == request.signer


@pytest.mark.parametrize("policy", [judge_published, judge_official])
@pytest.mark.parametrize("world", WORLDS)
def test_gold_passes_with_its_page_as_evidence_and_nothing_else_does(
    world: World, policy: Callable[..., Verdict]
) -> None:
    for product, number, row in ticket_capabilities(world):
        capability = product.capabilities[number]
        wanted = [Needle(text, kind) for text, kind in zip(needles(row), row["kinds"], strict=True)]
        all_guides = [guide_url(product, capability, c) for c in capability.configurations]

        def verdict(code: str, *seen: str, wanted: list[Needle] = wanted) -> Verdict:
            evidence = Evidence((Search("q", tuple(Hit(url) for url in seen)),))
            submission = code if policy is judge_official else Submission(code, ())
            return policy(submission, wanted, evidence, outfile="client.py")

        assert verdict(row["gold_code"], source(row)).passed
        assert not verdict(row["gold_code"]).passed
        starter = verdict(row["starter_code"], *all_guides)
        assert starter.compiled
        assert set(starter.missing) == set(needles(row))
        for configuration in capability.configurations:
            if configuration is not capability.right:
                handling = next((h for h, code in capability.right.request.codes if code in needles(row)), None)
                url = guide_url(product, capability, configuration)
                code = client_code(product, capability, configuration.request, handling=handling, source_url=url)
                assert set(verdict(code, *all_guides).missing) == set(needles(row))


@pytest.mark.parametrize("world", WORLDS)
def test_kinds_are_those_of_the_gold_code(world: World) -> None:
    for row in world.rows():
        assert row["kinds"] == [kind_in_gold(needle, row["gold_code"]) for needle in needles(row)]


def sent(code: str, product: Product, monkeypatch: pytest.MonkeyPatch) -> httpx.Request:
    """Run a client file against a transport that answers as the documentation says, and return what it sent."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(202, json={"receipt": "abc-123", "state": "accepted"})

    helper = ModuleType(product.package)
    helper.__getattr__ = lambda name: lambda secret: Signed(name, secret)  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, product.package, helper)
    monkeypatch.setenv(f"{product.setting}_SIGNING_SECRET", "s3cret")
    module: dict[str, Any] = {}
    exec(compile(code, "client.py", "exec"), module)
    (name,) = set(re.findall(r"^def (\w+)\(", code, re.MULTILINE)) - {"connect"}
    with httpx.Client(base_url=f"https://{product.api_host}", transport=httpx.MockTransport(answer)) as client:
        assert module[name](client, "20418-7", "a note") == "abc-123"
    return seen[0]


class Signed(httpx.Auth):
    """A signer that only says its name."""

    def __init__(self, name: str, secret: str) -> None:
        assert secret == "s3cret"
        self.name = name

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        request.headers["signed-by"] = self.name
        yield request
