"""The toolbox: every call gets one reply in order, budgets hold, and vendor failures lead where the table says."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.arguments import cut_off, read_arguments
from agentcompass_websearch.harnesses.coding_agent.arm import Caps
from agentcompass_websearch.harnesses.coding_agent.breaker import Breaker
from agentcompass_websearch.harnesses.coding_agent.budget import CostCap, CostCapReached
from agentcompass_websearch.harnesses.coding_agent.limits import Limits
from agentcompass_websearch.harnesses.coding_agent.observations import REPLY_CHARS
from agentcompass_websearch.harnesses.coding_agent.session import ToolCall
from agentcompass_websearch.harnesses.coding_agent.toolbox import Round, Toolbox, VendorUnavailable
from agentcompass_websearch.records import CallRecord, Hit, Page
from agentcompass_websearch.text import Redactor, clean
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest
from agentcompass_websearch.tools.errors import POLICY
from tests.support.fake_vendor import Asked, FakeClient, acme_arm, failing, found

DEFAULT_LIMITS = Limits()
URL = "https://docs.acme.example/a"


class Box:
    """A toolbox on a fake vendor, with all that stands around it."""

    def __init__(self, client: FakeClient | None = None, limits: Limits = DEFAULT_LIMITS, **arm: Any) -> None:
        self.client = client or FakeClient()
        self.breaker = Breaker()
        self.model_breaker = Breaker()
        self.cap = CostCap(arm.pop("max_cost_usd", None))
        self.told: list[CallRecord] = []
        redactor = Redactor(["canary-key"])
        self.toolbox = Toolbox(
            acme_arm(self.client, **arm),
            self.client,
            limits,
            tidy=lambda text: redactor.scrub(clean(text)),
            breaker=self.breaker,
            cap=self.cap,
            on_call=self.told.append,
            model_breaker=self.model_breaker,
        )
        self._turn = 0

    async def run(self, *calls: ToolCall, seconds: float = 60.0) -> Round:
        self._turn += 1
        return await self.toolbox.run(calls, turn=self._turn, deadline=time.monotonic() + seconds)

    async def contents(self, *calls: ToolCall) -> list[dict[str, Any]]:
        return [json.loads(reply.content) for reply in (await self.run(*calls)).replies]


def search(query: object = "acme", call_id: str = "c1", name: str = "web_search") -> ToolCall:
    return ToolCall(call_id, name, read_arguments({"query": query}))


def fetch(url: object = URL, call_id: str = "c2", **more: object) -> ToolCall:
    return ToolCall(call_id, "web_fetch", read_arguments({"url": url, **more}))


async def test_search_and_fetch_are_answered_in_call_order_with_what_is_left() -> None:
    box = Box()
    result = await box.run(fetch(call_id="a", objective="the path"), search(call_id="b"))
    assert result.end is None
    assert [(r.call_id, r.name) for r in result.replies] == [("a", "web_fetch"), ("b", "web_search")]
    page, hits = (json.loads(r.content) for r in result.replies)
    assert page == {
        "url": URL,
        "final_url": URL,
        "title": "A page",
        "content": f"text of {URL}",
        "fetches_left": 4,
    }
    assert hits == {
        "query": "acme",
        "results": [{"url": "https://docs.acme.example/acme", "title": "Acme", "snippet": "all about acme"}],
        "searches_left": 4,
    }
    assert box.client.asked == [FetchRequest(URL, "the path"), SearchRequest("acme", 8)]


async def test_calls_of_a_turn_run_at_the_same_time() -> None:
    box = Box()
    await box.run(search("a", "1"), search("b", "2"), fetch(call_id="3"))
    assert box.client.most_at_once == 3


async def test_the_deadline_reaches_the_vendor() -> None:
    box = Box()
    before = time.monotonic()
    await box.run(search(), seconds=7)
    assert box.client.deadlines[0] == pytest.approx(before + 7, abs=1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"query": "acme worker ba', "not valid JSON"),
        ('["acme"]', "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("", "query is required"),
        (None, "query is required"),
        ('{"query": "  "}', "query is required"),
        ('{"query": null}', "query is required"),
        ('{"query": 5}', "query must be a string"),
        ('{"query": ["a"]}', "query must be a string"),
    ],
)
async def test_bad_arguments_are_told_and_use_nothing(arguments: object, told: str) -> None:
    box = Box(limits=Limits(max_searches=1))
    bad = ToolCall("c1", "web_search", read_arguments(arguments))
    first, second = await box.contents(bad, search(call_id="c2"))
    assert told in first["error"]
    assert second["searches_left"] == 0
    assert box.client.asked == [SearchRequest("acme", 8)]
    record = box.toolbox.records[0]
    assert (record.error_kind, record.n, record.tries) == ("bad_arguments", 0, 0)
    assert (record.billed, record.list_usd) == (False, 0.0)


async def test_a_call_cut_by_the_output_limit_is_not_run() -> None:
    box = Box()
    (told,) = await box.contents(ToolCall("c1", "web_fetch", cut_off()))
    assert "output limit" in told["error"]
    assert box.client.asked == []


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://x/", "http://127.0.0.1/", "http://localhost:8000/", "docs.acme.example", "x"]
)
async def test_a_url_that_is_not_public_http_is_told_and_uses_nothing(url: str) -> None:
    box = Box(limits=Limits(max_fetches=1))
    first, second = await box.contents(fetch(url), fetch())
    assert first["error"]
    assert first["url"] == url
    assert second["fetches_left"] == 0
    assert box.client.asked == [FetchRequest(URL)]


async def test_an_unknown_tool_is_told_what_there_is() -> None:
    box = Box(tool_names={"web_search": "look_up"})
    (told,) = await box.contents(search(name="web_search"))
    assert told["error"] == "there is no tool 'web_search'; tools: look_up, web_fetch"
    (answered,) = await box.contents(search(name="look_up"))
    assert answered["results"]
    assert len(box.toolbox.records) == 1


async def test_calls_beyond_the_budget_are_told_and_not_sent() -> None:
    box = Box(limits=Limits(max_searches=2))
    told = await box.contents(*(search(f"q{n}", f"c{n}") for n in range(4)))
    assert [item.get("searches_left") for item in told] == [1, 0, None, None]
    assert "no web_search is left (2 of 2 used)" in told[3]["error"]
    assert len(box.client.asked) == 2
    assert [r.error_kind for r in box.toolbox.records] == [None, None, "over_budget", "over_budget"]
    (fetched,) = await box.contents(fetch())
    assert fetched["content"]


async def test_a_budget_of_nothing_is_nothing_and_an_unlimited_one_has_no_count() -> None:
    box = Box(limits=Limits(max_searches=0, max_fetches=None))
    none, page = await box.contents(search(), fetch())
    assert "0 of 0 used" in none["error"]
    assert "fetches_left" not in page


async def test_a_call_that_failed_at_the_vendor_used_a_unit() -> None:
    box = Box(FakeClient(failing(ErrorKind.TARGET)), Limits(max_fetches=2))
    told = await box.contents(fetch(), fetch(), fetch())
    assert ["2 of 2 used" in item["error"] for item in told] == [False, False, True]


async def test_a_call_that_was_not_sent_gives_its_unit_back() -> None:
    box = Box(FakeClient(failing(ErrorKind.DEADLINE, tries=0)), Limits(max_searches=1))
    await box.run(search())
    box.client.behaviour = found
    (answered,) = await box.contents(search())
    assert answered["searches_left"] == 0
    assert [(r.n, r.billed, r.list_usd) for r in box.toolbox.records] == [(0, False, 0.0), (1, None, 0.005)]


AT_ONCE = [kind for kind, policy in POLICY.items() if policy.fatal == "at_once"]
AFTER_RETRIES = [kind for kind, policy in POLICY.items() if policy.fatal == "after_retries"]
NEVER = [kind for kind, policy in POLICY.items() if policy.fatal == "never"]


@pytest.mark.parametrize("on_failure", ["fatal", "observe"])
@pytest.mark.parametrize("kind", AT_ONCE)
async def test_a_vendor_that_refuses_us_ends_the_attempt_and_the_calls_of_the_run(
    kind: ErrorKind, on_failure: str
) -> None:
    box = Box(FakeClient(failing(kind, "no credits for canary-key")), on_failure=on_failure)
    result = await box.run(search())
    assert isinstance(result.end, VendorUnavailable)
    assert str(result.end) == "vendor acme_basic: no credits for ********"
    again = await box.run(search(), fetch())
    assert isinstance(again.end, VendorUnavailable)
    assert "not asked again in this run, after: vendor acme_basic: no credits" in str(again.end)
    assert len(again.replies) == 2
    assert len(box.client.asked) == 1


async def test_no_vendor_is_paid_for_replies_that_no_model_will_read() -> None:
    box = Box()
    box.model_breaker.open("HTTP 401")
    result = await box.run(search(), fetch())
    assert result.end is None
    assert [reply.call_id for reply in result.replies] == ["c1", "c2"]
    assert not box.client.asked
    assert not box.toolbox.records


@pytest.mark.parametrize("kind", AFTER_RETRIES)
async def test_a_vendor_that_still_fails_ends_the_attempt_but_not_the_run(kind: ErrorKind) -> None:
    box = Box(FakeClient(failing(kind)))
    result = await box.run(search())
    assert isinstance(result.end, VendorUnavailable)
    assert not box.breaker.is_open
    assert [r.error_kind for r in box.toolbox.records] == [kind.value]


@pytest.mark.parametrize("kind", AFTER_RETRIES)
async def test_under_observe_the_model_is_told_and_the_failure_kept(kind: ErrorKind) -> None:
    box = Box(FakeClient(failing(kind, "vendor internals")), on_failure="observe")
    result = await box.run(search())
    assert result.end is None
    assert json.loads(result.replies[0].content) == {"error": POLICY[kind].for_model}
    assert [error.kind for error in box.toolbox.failures] == [kind]


@pytest.mark.parametrize("kind", NEVER)
async def test_what_is_no_fault_of_the_vendor_is_an_ordinary_reply(kind: ErrorKind) -> None:
    box = Box(FakeClient(failing(kind)))
    result = await box.run(fetch())
    assert result.end is None
    assert POLICY[kind].for_model in json.loads(result.replies[0].content)["error"]
    assert json.loads(result.replies[0].content)["url"] == URL
    assert box.toolbox.failures == []


async def test_calls_beside_a_fatal_one_are_still_answered_and_recorded() -> None:
    def mixed(asked: Asked) -> Outcome[Any]:
        return found(asked) if isinstance(asked, FetchRequest) else failing(ErrorKind.AUTH)(asked)

    box = Box(FakeClient(mixed))
    result = await box.run(search(call_id="a"), fetch(call_id="b"))
    assert result.end is not None
    assert "content" in json.loads(result.replies[1].content)
    assert [(r.call_id, r.ok) for r in box.toolbox.records] == [("a", False), ("b", True)]


async def test_a_bug_of_a_vendor_client_is_that_vendors_failure() -> None:
    def broken(asked: Asked) -> Outcome[Any]:
        raise KeyError("results")

    result = await Box(FakeClient(broken)).run(search())
    assert "vendor acme_basic: its client failed: KeyError" in str(result.end)


async def test_a_client_that_ignores_the_deadline_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentcompass_websearch.harnesses.coding_agent.toolbox._GRACE_S", 0.01)

    class Deaf(FakeClient):
        async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Any:
            await asyncio.Event().wait()

    box = Box(Deaf())
    result = await box.run(search(), seconds=0)
    assert result.end is None
    assert box.toolbox.records[0].error_kind == "deadline"


async def test_a_page_of_an_error_status_is_no_page() -> None:
    def missing(asked: Asked) -> Outcome[Any]:
        return Outcome(Page(URL, content="not here", status=404), tries=1, billed=True)

    box = Box(FakeClient(missing))
    (told,) = await box.contents(fetch())
    assert "HTTP 404" in told["error"]
    assert "content" not in told
    assert [(r.ok, r.error_kind, r.billed, r.list_usd) for r in box.toolbox.records] == [(False, "target", True, 0.001)]


async def test_results_are_capped_and_cleaned_the_same_way_for_every_vendor() -> None:
    def long(asked: Asked) -> Outcome[Any]:
        if isinstance(asked, FetchRequest):
            return Outcome(Page(URL, URL, "t" * 500, "p\x00\ud835canary-key" + "x" * 50), tries=1)
        hits = [Hit(f"https://docs.acme.example/{n}", "t\x07", "s" * 30 + "\udfff") for n in range(5)]
        return Outcome((hits[0], *hits), tries=1, notes=("The query was shortened.",))

    box = Box(FakeClient(long), caps=Caps(max_results=3, snippet_chars=10, fetch_chars=20))
    hits, page = await box.contents(search(), fetch())
    assert [hit["url"][-1] for hit in hits["results"]] == ["0", "1", "2"]
    assert hits["results"][0] == {
        "url": "https://docs.acme.example/0",
        "title": "t",
        "snippet": "s" * 10 + "\n[truncated 21 chars]",
    }
    assert hits["notes"] == ["The query was shortened."]
    assert page["content"] == "p\ufffd********" + "x" * 10 + "\n[truncated 40 chars]"
    assert page["title"].startswith("t" * 300 + "\n[truncated")


async def test_one_reply_has_a_cap_of_its_own() -> None:
    def long(asked: Asked) -> Outcome[Any]:
        return Outcome(tuple(Hit(f"https://docs.acme.example/{n}", "t", "s" * 30_000) for n in range(50)), tries=1)

    box = Box(FakeClient(long), caps=Caps(max_results=50, snippet_chars=1_000_000))
    (hits,) = await box.contents(search())
    assert len(hits["results"]) == 50
    assert sum(hit["snippet"].count("s") for hit in hits["results"]) < REPLY_CHARS + 500


@pytest.mark.parametrize("usd", [float("nan"), float("inf"), -1.0, 10**400, "0.004"])
async def test_an_amount_that_is_none_is_not_recorded(usd: Any) -> None:
    box = Box(FakeClient(lambda asked: Outcome((), tries=1, reported_usd=usd, request_id="r\x00\ud800")))
    await box.run(search())
    (record,) = box.toolbox.records
    assert (record.reported_usd, record.request_id) == (None, "r\ufffd")


async def test_calls_are_priced_timed_and_told_to_observers() -> None:
    def timed(asked: Asked) -> Outcome[Any]:
        facts: dict[str, Any] = {"billed": False} if asked == SearchRequest("free", 8) else {"reported_usd": 0.004}
        return Outcome((), service_s=1.0, queue_s=0.5, backoff_s=2.0, tries=3, status=200, request_id="r1", **facts)

    box = Box(FakeClient(timed))
    await box.run(search(call_id="a"), search("free", "b"))
    first, second = box.toolbox.records
    assert (first.list_usd, first.reported_usd, first.billed) == (0.005, 0.004, None)
    assert (second.list_usd, second.billed) == (0.0, False)
    assert (first.service_s, first.queue_s, first.backoff_s, first.tries, first.request_id) == (1.0, 0.5, 2.0, 3, "r1")
    assert (first.turn, first.n, second.n, first.vendor_id) == (1, 1, 2, "acme_basic")
    assert first.chars == len('{"query":"acme","results":[],"searches_left":4}')
    assert box.told == [first, second]
    # Both waited at the same time: the round took half a second longer, not a whole one.
    assert box.toolbox.queue_s == pytest.approx(0.5)


async def test_a_call_of_unknown_price_costs_an_unknown_amount() -> None:
    box = Box(prices={"search": None, "fetch": 0.0})
    await box.run(search(), fetch())
    assert [r.list_usd for r in box.toolbox.records] == [None, 0.0]


async def test_the_cost_cap_ends_the_attempt_before_the_call_that_would_pass_it() -> None:
    box = Box(max_cost_usd=0.011)
    result = await box.run(*(search(f"q{n}", f"c{n}") for n in range(3)))
    assert isinstance(result.end, CostCapReached)
    assert len(result.replies) == 3
    assert len(box.client.asked) == 2
    assert box.cap.spent_usd == pytest.approx(0.01)


async def test_an_empty_turn_needs_nothing() -> None:
    assert await Box().run() == Round(())


calls = st.lists(
    st.sampled_from([search(), search(""), search(5), fetch(), fetch("file:///x"), search(name="nonsense")]), max_size=8
)


@settings(max_examples=60, deadline=None)
@given(st.lists(calls, max_size=4), st.integers(0, 4) | st.none(), st.integers(0, 4) | st.none())
async def test_budgets_are_never_exceeded_and_every_call_has_one_reply(
    turns: list[list[ToolCall]], max_searches: int | None, max_fetches: int | None
) -> None:
    box = Box(limits=Limits(max_searches=max_searches, max_fetches=max_fetches))
    for turn in turns:
        result = await box.run(*turn)
        assert [r.call_id for r in result.replies] == [c.call_id for c in turn]
    searches = sum(isinstance(asked, SearchRequest) for asked in box.client.asked)
    fetches = len(box.client.asked) - searches
    assert max_searches is None or searches <= max_searches
    assert max_fetches is None or fetches <= max_fetches
