"""Markup: text stays text, links lead only to the web, and pages allow nothing but their own style and script."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.boards.names import slug
from agentcompass_websearch.boards.page.markup import Html, document, el, join, link, text


def test_text_is_escaped_and_markup_is_not() -> None:
    assert el("b", "<i>&", el("i", '"')) == "<b>&lt;i&gt;&amp;<i>&quot;</i></b>"
    assert join("a<", Html("<br>")) == "a&lt;<br>"


def test_no_text_turns_the_direction_of_what_follows_it() -> None:
    assert text("a\u202eb\u2066c") == "a[U+202E]b[U+2066]c"
    assert el("p", "\u202e", title="\u2069") == '<p title="[U+2069]">[U+202E]</p>'


def test_attributes_are_quoted_or_dropped() -> None:
    assert el("p", class_='x" onclick="y', hidden=True, id=None, data_n=0) == (
        '<p class="x&quot; onclick=&quot;y" hidden data-n="0"></p>'
    )


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JAVASCRIPT:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "",
        "//x",
        "http://[x",
    ],
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert "href" not in link(url, "label")


def test_web_addresses_do() -> None:
    assert link("https://a.example/?q=1&r=<") == (
        '<a href="https://a.example/?q=1&amp;r=&lt;" rel="noopener noreferrer nofollow">https://a.example/?q=1&amp;r=&lt;</a>'
    )


@given(st.text())
def test_no_text_can_open_a_tag_or_leave_an_attribute(text: str) -> None:
    assert not re.search(r"[<>\"]", el("b", text)[3:-4])
    assert el("p", id=text).count('"') == 2


def test_a_page_allows_its_own_style_and_script_by_their_hash_and_nothing_else() -> None:
    page = document("T", el("p", "x"), style="p{}", script="f()")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    hashes = [base64.b64encode(hashlib.sha256(code).digest()).decode() for code in (b"p{}", b"f()")]
    told = policy[1].replace("&#x27;", "'")
    assert told.startswith("default-src 'none';")
    assert f"style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'" in told
    assert "unsafe" not in told


@given(st.text(), st.text())
def test_file_names_are_safe_and_unique(one: str, other: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]{1,80}", slug(one))
    assert (slug(one) == slug(other)) == (one.encode("utf-8", "replace") == other.encode("utf-8", "replace"))
