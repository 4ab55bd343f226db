from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.wire import HttpReply

NOW = 1_792_566_000.0  # Wed, 21 Oct 2026 07:00:00 GMT


def asked(headers: dict[str, str] | None = None, body: Any = None, status: int = 429) -> float | None:
    content = b"" if body is None else json.dumps(body).encode()
    as_sent = httpx.Headers([(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()])
    return retry_after_s(HttpReply(status, as_sent, content), now=NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2),
        ("0.5", 0.5),
        (" 3. ", 3),
        ("0", 0),
        ("86400", 86400),
        ("9" * 5000, float("inf")),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 28 * 60),
        ("Wed, 21 Oct 2026 07:28:00 -0000", 28 * 60),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0),
        ("-1", None),
        ("soon", None),
        ("", None),
        ("NaN", None),
        ("inf", None),
        ("1e3", None),
        ("٣", None),
        ("Wed, 99 Oct 99999999 07:28:00 GMT", None),
        ("21 Oct", None),
    ],
)
def test_the_header(value: str, seconds: float | None) -> None:
    assert asked({"retry-after": value.encode().decode("latin-1")}) == seconds


def test_other_places() -> None:
    assert asked({"retry-after-ms": "250"}) == 0.25
    assert asked(body={"retry_after": 7}) == 7
    assert asked(body={"retryAfter": "8"}) == 8
    assert asked(body={"error": {"code": "x", "retry_after_seconds": 9.5}}) == 9.5
    assert asked(body={"error": {"retry_after_ms": 1500}}) == 1.5
    assert asked({"x-ratelimit-reset": "1, 1419704"}) == 1
    assert asked({"x-ratelimit-reset": str(int(NOW) + 30)}) == 30


def test_when_a_window_begins_anew_says_nothing_of_a_server_that_is_down() -> None:
    headers = {"x-ratelimit-reset": "30"}
    assert asked(headers, status=503) is None
    assert asked(headers | {"retry-after": "2"}, status=503) == 2


def test_the_longest_wait_that_is_asked_for_counts() -> None:
    assert asked({"retry-after": "2", "retry-after-ms": "2500"}, {"retry_after": 1}) == 2.5


@pytest.mark.parametrize("value", [True, None, [], {}, -3, float("nan"), float("inf"), "x"])
def test_junk_in_a_body_counts_as_absent(value: Any) -> None:
    assert asked(body={"retry_after": value, "error": {"retryAfter": value}}) is None


def test_a_body_that_is_no_object_counts_as_absent() -> None:
    assert asked(body=["retry_after", 3]) is None


@given(st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80))
def test_it_never_raises(value: str) -> None:
    seconds = asked({"retry-after": value, "retry-after-ms": value, "x-ratelimit-reset": value}, {"retryAfter": value})
    assert seconds is None or seconds >= 0
