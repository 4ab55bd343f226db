from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import Fault, HttpReply


def reply(body: bytes | str, content_type: str = "application/json", **headers: str) -> HttpReply:
    content = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpReply(200, httpx.Headers({"content-type": content_type, **named}), content)


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        ("", "application/json", "empty answer"),
        ("  \n", "application/json", "empty answer"),
        ('{"results": [{"ti', "application/json", 'not (complete) JSON: {"results": [{"ti'),
        ("<h1>bad <b>gateway</b></h1>", "text/html", "a web page: bad gateway"),
        ("<!doctype html><script>x()</script>Sorry", "application/json", "a web page: Sorry"),
        ("[" * 100_000, "application/json", "not (complete) JSON: [[["),
        ('{"n": ' + "9" * 5000 + "}", "application/json", "not (complete) JSON"),
    ],
)
def test_what_is_no_json_is_a_short_typed_error(body: str, content_type: str, said: str) -> None:
    with pytest.raises(Fault) as caught:
        reply(body, content_type).json()
    assert caught.value.kind is ErrorKind.UNREADABLE
    assert said in caught.value.message
    assert caught.value.message.startswith("HTTP 200: ")
    assert len(caught.value.message) < 300


def test_an_object_is_asked_for_by_name() -> None:
    assert reply('{"a": 1}').json_object() == {"a": 1}
    with pytest.raises(Fault, match="expected a JSON object, got list"):
        reply("[1]").json_object()


def test_a_truncated_body_is_no_json_even_if_it_parses() -> None:
    cut = HttpReply(200, httpx.Headers(), b"{}", truncated=True)
    with pytest.raises(Fault, match="longer than 2 bytes"):
        cut.json()
    assert cut.text.startswith("{}\n[truncated")


def test_json_in_another_charset_and_with_a_lone_surrogate() -> None:
    assert reply('{"a": "ü"}'.encode("latin-1"), "application/json; charset=latin-1").json() == {"a": "ü"}
    assert reply(b'\xef\xbb\xbf{"a": "\\ud835"}').json() == {"a": "\ud835"}


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "shift_jis", "klingon"])
def test_json_in_utf8_is_read_as_that_whatever_the_header_says(charset: str) -> None:
    assert reply('{"a": "ü→Ω"}', f"application/json; charset={charset}").json() == {"a": "ü→Ω"}


def test_the_preview_is_one_line_without_tags_and_control_characters() -> None:
    page = reply("<html>\n<style>b{}</style><p>one\x00</p>\n two " + "x" * 500, "text/html")
    assert page.preview.startswith("one two xxx")
    assert len(page.preview) == 200


@pytest.mark.parametrize(
    ("body", "content_type", "is_text"),
    [
        (b"# A", "text/markdown", True),
        (b"{}", "application/vnd.acme+json; charset=utf-8", True),
        (b"plain", "", True),
        (b"%PDF-1.7\0", "application/pdf", False),
        (b"%PDF-1.7\0", "text/html", False),
        (b"\x89PNG\r\n", "image/png", False),
        (b"x", "application/octet-stream", False),
        (b"a\0b", "text/plain", False),
    ],
)
def test_bytes_that_are_no_text(body: bytes, content_type: str, is_text: bool) -> None:
    assert reply(body, content_type).is_text is is_text


@pytest.mark.parametrize(
    ("body", "headers", "request_id"),
    [
        ({"requestId": "b"}, {"x_request_id": "h"}, "h"),
        ({"requestId": "b"}, {"cf_ray": "edge"}, "b"),
        ({"search_id": "s"}, {}, "s"),
        ({"error": {"ref_id": "r"}}, {}, "r"),
        ({"error": {"id": "e"}}, {"cf_ray": "edge"}, "e"),
        ({"id": "i", "metadata": {"search_uuid": "m"}}, {}, "i"),
        ({"metadata": {"search_uuid": "m"}, "error": "text"}, {}, "m"),
        ({}, {"fly_request_id": "f"}, "f"),
        ({"requestId": 5, "request_id": None}, {}, None),
        ([1], {"cf_ray": "edge"}, "edge"),
        ({"requestId": "x" * 900}, {}, "x" * 200),
    ],
)
def test_request_ids(body: Any, headers: dict[str, str], request_id: str | None) -> None:
    assert reply(json.dumps(body), **headers).request_id == request_id
