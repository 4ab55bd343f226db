"""Whatever model and vendor send, what is recorded is clean JSON without a key, and the conversation goes on."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentcompass_websearch.harnesses.coding_agent.attempt import Attempt, Issue
from agentcompass_websearch.harnesses.coding_agent.harness import _trajectory
from agentcompass_websearch.harnesses.coding_agent.protocols import SERVERS
from agentcompass_websearch.records import Hit, Page, to_builtins
from agentcompass_websearch.tools.contract import ErrorKind, Outcome, SearchRequest, VendorError
from tests.harnesses.coding_agent.conftest import KEY, MakeRun, attempt_of
from tests.support.fake_model import USAGE, FakeModel, Reply, call, calls, fails, says, sends
from tests.support.fake_vendor import Asked, FakeClient

VENDOR_KEY = "vendor/key+0123456789=="
DIRT = "\x00\x07\x1b\x7f\x85\x9f\ud835 \udc00\ufffe\u202e\u2066\ufeff"
BASIC = base64.b64encode(f"user:{VENDOR_KEY}".encode()).decode()
SECRETS = f"{KEY} {quote(KEY)} {VENDOR_KEY} {quote(VENDOR_KEY, safe='')} Basic {BASIC}"
HUGE = 10**400


@pytest.fixture(params=sorted(SERVERS))
def protocol(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def record_of(attempt: Attempt, issues: tuple[Issue, ...]) -> Any:
    """All that the host stores of an attempt."""
    trajectory = asdict(_trajectory(attempt.transcript, attempt.system))
    return [trajectory, to_builtins(attempt.telemetry()), attempt.answer, [asdict(issue) for issue in issues]]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for text in strings(list(pair)))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in strings(item))


def check(attempt: Attempt, issues: tuple[Issue, ...]) -> None:
    """Check that a record can be stored as strict JSON in UTF-8, has no control character, and gives no key away."""
    record = record_of(attempt, issues)
    stored = json.dumps(record, allow_nan=False, ensure_ascii=False, default=str).encode()
    for text in strings(json.loads(stored)):
        assert not [c for c in text if (ord(c) < 32 and c not in "\t\n\r") or 0x7F <= ord(c) < 0xA0], text
        nested = json.loads(text) if text.startswith("{") else None
        for inner in strings(nested):
            assert "\x00" not in inner
    for secret in (KEY, VENDOR_KEY, quote(VENDOR_KEY, safe=""), BASIC[9:-6]):
        assert secret not in stored.decode()


def dirty(request: Asked) -> Outcome[Any]:
    facts: dict[str, Any] = {"tries": 1, "status": 200, "request_id": DIRT + SECRETS, "notes": (DIRT + SECRETS,)}
    if isinstance(request, SearchRequest):
        hit = Hit(f"https://docs.acme.example/{DIRT}?key={quote(VENDOR_KEY, safe='')}", DIRT + SECRETS, DIRT + SECRETS)
        return Outcome((hit,), reported_usd=float("nan"), **facts)
    page = Page(request.url, f"https://x.example/?k={quote(KEY)}", DIRT + SECRETS, DIRT + SECRETS, 200)
    return Outcome(page, reported_usd=float("inf"), **facts)


def broken(request: Asked) -> Outcome[Any]:
    return Outcome(error=VendorError(ErrorKind.TARGET, "acme_basic", DIRT + SECRETS), tries=1, request_id=DIRT)


@pytest.mark.parametrize("behaviour", [dirty, broken])
async def test_dirt_and_keys_of_model_and_vendor(make_run: MakeRun, protocol: str, behaviour: Any) -> None:
    script = [
        calls(
            call("web_search", {"query": DIRT + SECRETS, DIRT: HUGE, KEY: [None, 1e308]}, f"c1{DIRT}{KEY}"),
            call("web_fetch", {"url": f"https://x.example/?k={KEY}"}, "c" * 9999),
            call(DIRT + KEY, '{"query": "cut ' + KEY, ""),
            content=DIRT + SECRETS,
            reasoning_content=DIRT + SECRETS,
            finish_reason=f"tool_calls{DIRT}{KEY}",
            usage=dict.fromkeys(USAGE, HUGE),
        ),
        says(DIRT + SECRETS, f"stop{DIRT}{KEY}"),
    ]
    with FakeModel(*script, strict=protocol != "openai-responses") as model:
        run = make_run(model, FakeClient(behaviour), protocol=protocol, api_key=VENDOR_KEY)
        attempt = attempt_of(run)
        issues = await attempt.execute()
    check(attempt, issues)
    assert (attempt.stop, issues, len(model.requests)) == ("answer", (), 2)
    assert attempt.telemetry().usage is None
    ids = [one.call_id for one in attempt.transcript.steps[0].turn.calls]
    assert len(set(ids)) == 3
    assert max(map(len, ids)) < 20


@pytest.mark.parametrize("status", [400, 401, 422, 500])
async def test_dirt_and_keys_in_a_refusal(make_run: MakeRun, protocol: str, status: int) -> None:
    refusals: list[Reply] = [
        fails(status, DIRT + SECRETS, code=DIRT + KEY, param=f"temperature{DIRT}{KEY}{'x' * 999}"),
        sends("<html>" + "<b>" * 990 + " " + f"{SECRETS} " * 9, status),
        sends(DIRT.encode("utf-8", "surrogatepass") + SECRETS.encode(), status),
    ]
    for refusal in refusals:
        with FakeModel(then=refusal) as model:
            attempt = attempt_of(make_run(model, protocol=protocol, params={"temperature": 1}, api_key=VENDOR_KEY))
            issues = await attempt.execute()
        check(attempt, issues)
        assert len(issues[0].message) < 700


NOT_JSON = (
    b'{"choices": [{"message": {"content": "", "reasoning_details": [{"n": NaN}], "tool_calls": [{"id": "q1",'
    b' "function": {"name": "web_search", "arguments": "{\\"query\\": \\"a\\", \\"n\\": NaN}"}, "extra_content":'
    b' {"n": Infinity}}]}}], "output": [{"type": "reasoning", "id": "r", "summary": [], "n": NaN}, {"type":'
    b' "function_call", "call_id": "q1", "name": "web_search", "arguments": "{\\"query\\": \\"a\\"}", "n": -Infinity}],'
    b' "content": [{"type": "thinking", "thinking": "t", "signature": "s", "n": NaN}, {"type": "tool_use", "id": "q1",'
    b' "name": "web_search", "input": {"query": "a", "n": Infinity}, "n": NaN}], "stop_reason": "tool_use",'
    b' "usage": {"prompt_tokens": NaN, "completion_tokens": 3, "input_tokens": Infinity, "output_tokens": 3}}'
)


async def test_numbers_that_are_no_json_can_be_answered(make_run: MakeRun, protocol: str) -> None:
    with FakeModel(sends(NOT_JSON), says("done")) as model:
        run = make_run(model, protocol=protocol)
        attempt = attempt_of(run)
        assert await attempt.execute() == ()
        assert not run.endpoint.breaker.is_open
    check(attempt, ())
    assert attempt.answer == "done"
    json.dumps(model.bodies[1], allow_nan=False)


text = st.text(st.characters(blacklist_categories=()), max_size=12)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text | st.just(SECRETS) | st.just(HUGE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
made_call = st.fixed_dictionaries(
    {},
    optional={
        "id": anything,
        "call_id": anything,
        "type": st.sampled_from(["function", "function_call", "tool_use"]),
        "name": st.just("web_search") | anything,
        "arguments": anything | st.builds(lambda query: json.dumps({"query": query}), text),
        "input": anything | st.builds(lambda query: {"query": query}, text),
        "function": st.fixed_dictionaries({"name": st.just("web_search"), "arguments": anything}) | anything,
        "extra": anything,
    },
)
said = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(
            st.fixed_dictionaries(
                {
                    "message": st.fixed_dictionaries(
                        {}, optional={"content": anything, "tool_calls": st.lists(made_call)}
                    )
                },
                optional={"finish_reason": anything},
            )
            | anything,
            max_size=2,
        ),
        "output": st.lists(made_call | anything, max_size=3),
        "content": st.lists(made_call | anything, max_size=3),
        "usage": st.dictionaries(st.sampled_from([*USAGE, "input_tokens", "output_tokens"]), anything),
        "status": anything,
        "stop_reason": anything,
        "error": anything,
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=said)
async def test_any_response_at_all(make_run: MakeRun, protocol: str, first: dict[str, Any]) -> None:
    with FakeModel(sends(json.dumps(first)), then=says("done")) as model:
        attempt = attempt_of(make_run(model, protocol=protocol, api_key=VENDOR_KEY))
        issues = await attempt.execute()
    check(attempt, issues)
    assert attempt.stop in ("answer", "empty_answer", "model_error")
