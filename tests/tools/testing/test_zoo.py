from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest, VendorClient
from agentcompass_websearch.tools.opening import open_client
from agentcompass_websearch.tools.testing import impatient, in_thread
from agentcompass_websearch.tools.testing import zoo as zoo_program
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.faults import SHAPES, Plan
from agentcompass_websearch.tools.testing.zoo import KEY, Zoo
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import exa

VENDOR = exa.websearch_vendor()
PAGE = next(iter(sample.pages()))


@pytest.fixture
async def zoo() -> AsyncIterator[Zoo]:
    async with Zoo() as zoo:
        yield zoo


def client_of(zoo: Zoo, *, key: str = KEY, tries: int = 3, **options: Any) -> VendorClient:
    transport = Transport(patience=impatient(max_tries=tries))
    options = {"base_url": zoo.base_url("exa"), **options}
    return open_client(VENDOR, VENDOR.modes["auto"], api_key=key, options=options, transport=transport)


async def test_exa_searches_and_reads_the_pages(zoo: Zoo) -> None:
    client = client_of(zoo)
    found = await client.search(SearchRequest(PAGE["title"]))
    assert found.value
    assert found.reported_usd == 0.007
    assert PAGE["url"] in [hit.url for hit in found.value]
    assert any(hit.snippet for hit in found.value)
    page = await client.fetch(FetchRequest(PAGE["url"]))
    assert page.value is not None
    assert page.value.content == PAGE["text"].strip()
    gone = await client.fetch(FetchRequest("https://docs.acme.example/gone"))
    assert gone.error is not None
    assert gone.error.kind is ErrorKind.TARGET
    assert (await client.search(SearchRequest("zzzzqqqq"))).value == ()
    ledger = [(call.vendor, call.op, call.authorized, call.fault, call.status) for call in zoo.calls]
    assert ledger == [("exa", op, True, "ok", 200) for op in ("search", "fetch", "fetch", "search")]


async def test_a_wrong_key_is_refused_and_stands_in_no_ledger(zoo: Zoo) -> None:
    outcome = await client_of(zoo, key="another-key").search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.AUTH
    assert not zoo.calls[0].authorized
    assert "another-key" not in repr(zoo.calls)


async def test_faults_come_as_planned(zoo: Zoo) -> None:
    zoo.plan({"exa": ["429:ms=5", "503-html", "ok", "402*"]})
    client = client_of(zoo)
    assert (await client.search(SearchRequest(PAGE["title"]))).tries == 3
    for _ in range(2):
        outcome = await client.search(SearchRequest("x"))
        assert outcome.error is not None
        assert outcome.error.kind is ErrorKind.QUOTA
    assert [call.fault for call in zoo.calls] == ["429:ms=5", "503-html", "ok", "402", "402"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("401", ErrorKind.AUTH),
        ("429:Wed, 21 Oct 2020 07:28:00 GMT", ErrorKind.RATE_LIMIT),
        ("429:" + "9" * 5000, ErrorKind.RATE_LIMIT),
        ("500", ErrorKind.SERVER),
        ("504", ErrorKind.TIMEOUT),
        ("cut", ErrorKind.CONNECT),
        ("cut-json", ErrorKind.UNREADABLE),
        ("empty", ErrorKind.UNREADABLE),
        ("bomb", ErrorKind.UNREADABLE),
        ("html", ErrorKind.UNREADABLE),
    ],
)
async def test_each_fault_means_its_kind(zoo: Zoo, fault: str, kind: ErrorKind) -> None:
    client = client_of(zoo, tries=2)
    assert (await client.search(SearchRequest("x"))).error is None
    zoo.plan({"exa": [f"{fault}*"]})
    outcome = await client.search(SearchRequest("x"))
    assert outcome.error is not None
    assert outcome.error.kind is kind


async def test_a_header_asks_for_one_fault(zoo: Zoo) -> None:
    async with httpx.AsyncClient(headers={"x-api-key": KEY}, trust_env=False) as http:
        url = f"{zoo.base_url('exa')}/search"
        assert (await http.post(url, json={"query": "x"}, headers={"x-zoo-fault": "503"})).status_code == 503
        assert (await http.post(url, json={"query": "x"})).status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "tag"),
    [
        ("search", [], "INVALID_REQUEST_BODY"),
        ("search", {"query": " "}, "INVALID_REQUEST_BODY"),
        ("search", {"query": "x", "type": "quick"}, "INVALID_REQUEST_BODY"),
        ("search", {"query": "x", "numResults": 101}, "INVALID_NUM_RESULTS"),
        ("search", {"query": "x", "numResults": "8"}, "INVALID_NUM_RESULTS"),
        ("search", {"query": "x", "contents": {"words": True}}, "INVALID_REQUEST_BODY"),
        ("search", {"query": "x", "type": "lite", "mode": 1}, "INVALID_REQUEST"),
        ("search", {"query": "x", "includeDomains": ["a"], "excludeDomains": ["b"]}, "INVALID_REQUEST"),
        ("contents", {"text": True}, "INVALID_URLS"),
        ("contents", {"urls": [PAGE["url"]], "highlight": True}, "INVALID_REQUEST_BODY"),
    ],
)
async def test_exa_refuses_what_exa_refuses(zoo: Zoo, path: str, body: Any, tag: str) -> None:
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, trust_env=False) as http:
        reply = await http.post(f"{zoo.base_url('exa')}/{path}", json=body)
    assert (reply.status_code, reply.json()["tag"]) == (400, tag)


async def test_exa_gives_texts_only_where_they_are_asked_for(zoo: Zoo) -> None:
    async with httpx.AsyncClient(headers={"x-api-key": KEY}, trust_env=False) as http:
        body = {"query": PAGE["title"], "text": True, "numResults": 20}
        bare = (await http.post(f"{zoo.base_url('exa')}/search", json=body)).json()
    assert all(row.keys() == {"id", "url", "title"} for row in bare["results"])
    assert bare["warnings"] == [{"code": "IGNORED_FIELD", "path": "/text"}]
    assert bare["costDollars"]["total"] == pytest.approx(0.017)


async def test_plans_and_ledger_over_http(zoo: Zoo) -> None:
    admin = f"{zoo.server.url}/_zoo"
    async with httpx.AsyncClient(headers={"x-api-key": KEY}, trust_env=False) as http:
        assert (await http.post(f"{admin}/plan", json={"exa": ["500"]})).status_code == 200
        await http.post(f"{zoo.base_url('exa')}/search", json={"query": "x"})
        [call] = (await http.get(f"{admin}/calls")).json()
        assert (call["vendor"], call["fault"], call["body"]) == ("exa", "500", {"query": "x"})
        await http.delete(f"{admin}/calls")
        assert (await http.get(f"{admin}/calls")).json() == []
        assert (await http.post(f"{admin}/plan", json={"exa": ["no-such"]})).status_code == 400
        assert (await http.post(f"{admin}/plan", json={"nobody": []})).status_code == 400
        assert (await http.get(f"{admin}/other")).status_code == 404
        assert (await http.post(f"{zoo.server.url}/nobody/search")).status_code == 404
        at_the_root = await http.post(f"{zoo.server.url}/search")
        assert (at_the_root.status_code, zoo.base_url("exa") in at_the_root.json()["error"]) == (404, True)


def test_in_a_thread() -> None:
    zoo = Zoo()
    with in_thread(zoo.server):
        reply = httpx.post(
            f"{zoo.base_url('exa')}/search", json={"query": "x"}, headers={"x-api-key": KEY}, trust_env=False
        )
    assert reply.status_code == 200


def test_as_a_program() -> None:
    program = [
        sys.executable,
        "-m",
        "agentcompass_websearch.tools.testing.zoo",
        "--port",
        "0",
        "--plan",
        '{"exa": ["402"]}',
    ]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            assert told["vendors"] == {family: f"{told['base_url']}/{family}" for family in all_faces()}
            headers = {"x-api-key": told["key"]}
            url = f"{told['vendors']['exa']}/search"
            statuses = [
                httpx.post(url, json={"query": "x"}, headers=headers, trust_env=False).status_code for _ in range(2)
            ]
        finally:
            process.kill()
    assert statuses == [402, 200]


@pytest.mark.parametrize("fault", ["nonsense", "200", "999", "429x"])
def test_an_unknown_fault_is_refused_when_it_is_planned(fault: str) -> None:
    with pytest.raises(ValueError, match="unknown fault"):
        Plan([fault])


def test_every_shape_can_be_planned() -> None:
    plan = Plan([*SHAPES, "slow:0.1", "ok"])
    assert [plan.next() for _ in SHAPES] == list(SHAPES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pages", "/no/such/folder"), "/no/such/folder does not exist"),
        (("--plan", '{"exa": ["nonsense"]}'), "unknown fault 'nonsense'; known: ok, nothing"),
        (("--plan", '{"exa": "429"}'), "the plan of exa must be a list of faults"),
        (("--plan", '{"nobody": []}'), "unknown vendor 'nobody'"),
        (("--plan", "[1]"), "plans are an object"),
        (("--plan", "{"), "argument --plan: not JSON"),
        (("--port", "99999"), "port must be 0-65535"),
    ],
)
def test_a_wrong_argument_is_told(
    arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["zoo", *arguments])
    with pytest.raises(SystemExit) as ended:
        zoo_program.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_help_teaches(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["zoo", "--help"])
    with pytest.raises(SystemExit) as ended:
        zoo_program.main()
    assert ended.value.code == 0
    told = capsys.readouterr().out
    for word in (*all_faces(), *SHAPES, "agentcompass run", "/_zoo/calls", "x-zoo-fault", "synthetic:", KEY, '"cx"'):
        assert word in told


PARALLEL = {"search_queries": ["orders"]}


@pytest.mark.parametrize(
    "part",
    [
        {"max_results": 5},
        {"advanced_settings": {"count": 5}},
        {"advanced_settings": {"source_policy": {"domains": []}}},
        {"advanced_settings": {"fetch_policy": {"max_age_hours": 1}}},
        {"advanced_settings": {"excerpt_settings": {"max_chars": 1}}},
    ],
)
async def test_parallel_refuses_unknown_fields_at_any_depth(zoo: Zoo, part: dict[str, Any]) -> None:
    async with httpx.AsyncClient(headers={"x-api-key": KEY}, trust_env=False) as http:
        url = f"{zoo.base_url('parallel')}/v1/search"
        assert (await http.post(url, json=PARALLEL)).status_code == 200
        reply = await http.post(url, json=PARALLEL | part)
    assert reply.status_code == 422
    *_, name = reply.json()["error"]["detail"]["errors"][0]["loc"]
    assert name in json.dumps(part)


async def test_keenable_without_a_key_has_an_endpoint_of_its_own(zoo: Zoo) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        base, body = zoo.base_url("keenable"), {"query": PAGE["title"]}
        assert (await http.post(f"{base}/v1/search/public", json=body)).json()["results"]
        assert (await http.post(f"{base}/v1/search", json=body)).status_code == 401


def test_the_page_tells_all_faults_and_its_example_holds() -> None:
    text = (Path(__file__).parents[3] / "docs" / "zoo.md").read_text(encoding="utf-8")
    table = text.split("## Failures")[1].split("## Over HTTP")[0]
    told = {
        fault for row in table.splitlines() if row.startswith("| `") for fault in re.findall(r"`([^`]+)`", row[:60])
    }
    assert {fault.partition(":")[0] for fault in told} >= {*SHAPES, "ok", "nothing", "slow", "401", "402", "429"}
    Plan(sorted(told - {"Retry-After"}))

    def run_my_agent(base_url: str, api_key: str) -> None:
        options = {"base_url": base_url}
        transport = Transport(patience=impatient())
        client = open_client(VENDOR, VENDOR.modes["auto"], api_key=api_key, options=options, transport=transport)
        assert asyncio.run(client.search(SearchRequest(PAGE["title"]))).value

    [example] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {"run_my_agent": run_my_agent}
    exec(compile(example, "docs/zoo.md", "exec"), names)
    names["test_my_agent_survives_a_vendor_that_is_too_busy"]()
