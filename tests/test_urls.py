"""When two spellings are the same page."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentcompass_websearch.urls import normalise, split_query

SAME = [
    ("http://d.example/a", "https://d.example/a"),
    ("HTTPS://D.Example/a", "https://d.example/a"),
    ("https://www.d.example/a", "https://d.example/a"),
    ("https://WWW.d.example./a", "https://d.example/a"),
    ("https://d.example./a", "https://d.example/a"),
    ("https://d.example:443/a", "https://d.example/a"),
    ("http://d.example:80/a", "https://d.example/a"),
    ("https://d.example:/a", "https://d.example/a"),
    ("https://d.example:08443/a", "https://d.example:8443/a"),
    ("https://me:secret@d.example/a", "https://d.example/a"),
    ("https://a@b@d.example/a", "https://d.example/a"),
    ("https://b\u00fccher.example/", "https://xn--bcher-kva.example"),
    ("https://B\u00dcCHER.example/", "https://xn--bcher-kva.example"),
    ("https://stra\u00dfe.example/", "https://xn--strae-oqa.example"),
    ("https://d\uff0eexample/", "https://d.example"),
    ("https://[::1]/a", "https://[0:0:0:0:0:0:0:1]/a"),
    ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
    ("https://d.example", "https://d.example/"),
    ("https://d.example/a", "https://d.example/a/"),
    ("https://d.example/a", "https://d.example/a//"),
    ("https://d.example/caf\u00e9", "https://d.example/caf%c3%a9"),
    ("https://d.example/caf\u00e9", "https://d.example/caf%C3%A9"),
    ("https://d.example/%7Euser/%41", "https://d.example/~user/A"),
    ("https://d.example/a%2fb", "https://d.example/a%2Fb"),
    ("https://d.example/a b", "https://d.example/a%20b"),
    ("https://d.example/{id}", "https://d.example/%7Bid%7D"),
    ("https://d.example/100%", "https://d.example/100%25"),
    ("https://d.example/a/./b/../c", "https://d.example/a/c"),
    ("https://d.example/a/..", "https://d.example"),
    ("https://d.example/../../a", "https://d.example/a"),
    ("https://d.example/%2e%2E/a", "https://d.example/a"),
    ("https://d.example/a/.", "https://d.example/a"),
    ("https://d.example/a?b=2&a=1", "https://d.example/a?a=1&b=2"),
    ("https://d.example/a?a", "https://d.example/a?a="),
    ("https://d.example/a?&a=1&&", "https://d.example/a?a=1"),
    ("https://d.example/a?", "https://d.example/a"),
    ("https://d.example/a?=", "https://d.example/a"),
    ("https://d.example/a/?a=1", "https://d.example/a?a=1"),
    ("https://d.example?a=1", "https://d.example/?a=1"),
    ("https://d.example/a?utm_source=x&utm_&gclid=1&fbclid=2&msclkid=3&srsltid=4", "https://d.example/a"),
    ("https://d.example/a?x=1&utm_medium=y", "https://d.example/a?x=1"),
    ("https://d.example/a#part", "https://d.example/a"),
    ("https://d.example/a#", "https://d.example/a"),
    ("https://d.example/a#part/#/x", "https://d.example/a"),
    ("https://d.example/#/r#part", "https://d.example/#/r"),
    ("https://d.example/#!r#part", "https://d.example#!r"),
    (" https://d.example/a\n", "https://d.example/a"),
    ("https://d.example/a?b=c d#/r s", "https://d.example/a?b=c%20d#/r%20s"),
]

DIFFERENT = [
    ("https://d.example/a", "https://e.example/a"),
    ("https://d.example/a", "https://docs.d.example/a"),
    ("https://d.example/a", "https://d.example:8443/a"),
    ("https://d.example:80/a", "https://d.example/a"),
    ("http://d.example:443/a", "http://d.example/a"),
    ("https://d.example/A", "https://d.example/a"),
    ("https://d.example/a%2Fb", "https://d.example/a/b"),
    ("https://d.example/a%3Fb", "https://d.example/a?b"),
    ("https://d.example/a//b", "https://d.example/a/b"),
    ("https://d.example/a;b", "https://d.example/a"),
    ("https://d.example/caf\u00e9", "https://d.example/cafe\u0301"),
    ("https://d.example/a?a=1", "https://d.example/a?a=2"),
    ("https://d.example/a?a=1", "https://d.example/a"),
    ("https://d.example/a?a=1", "https://d.example/a?a=1&a=1"),
    ("https://d.example/a?a=b=c", "https://d.example/a?a=b"),
    ("https://d.example/a?A=1", "https://d.example/a?a=1"),
    ("https://d.example/a?a=%41", "https://d.example/a?a=A"),
    ("https://d.example/a?autm_x=1", "https://d.example/a"),
    ("https://d.example/a?utm=1", "https://d.example/a"),
    ("https://d.example/#/r", "https://d.example/#/s"),
    ("https://d.example/#/r", "https://d.example/#/r/"),
    ("https://d.example/#/r", "https://d.example/"),
    ("https://d.example/#!r", "https://d.example/#/r"),
    ("https://d.example/#/", "https://d.example/"),
]

MALFORMED = [
    "",
    "a",
    "d.example/a",
    "/a",
    "ftp://d.example/a",
    "mailto:a@d.example",
    "javascript:alert(1)",
    "https:d.example",
    "https:/d.example",
    "https://",
    "https:///a",
    "https://?a",
    "https://@/a",
    "https://:80/a",
    "https://.",
    "https://d.example:x/a",
    "https://d.example:-1/a",
    "https://d.example:65536/a",
    "https://d.example:\u0664/a",
    "https://d.example:" + "9" * 5_000,
    "https://[d.example/a",
    "https://[::1/a",
    "https://[::1]x/a",
    "https://[1.2.3.4]/a",
    "https://d.example]/a",
    "https://d example/a",
    "https://d<b>.example/a",
    "https://d\\e.example/a",
    "https://d\x00.example/a",
    "https://\ud800.example/a",
    "https://" + "\u00fc" * 70 + ".example",
    "https://" + "a." * 200 + "example",
    "http\u017f://d.example",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_page(one: str, other: str) -> None:
    assert normalise(one) is not None
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_pages(one: str, other: str) -> None:
    assert normalise(one) is not None
    assert normalise(other) is not None
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("url", MALFORMED)
def test_malformed(url: str) -> None:
    assert normalise(url) is None


def test_the_form() -> None:
    assert normalise("http://Me@WWW.D.example:8080/a/../%7eb/?z&y=1#/r") == "//d.example:8080/~b?y=1&z=#/r"
    assert normalise("https://d.example") == "//d.example"


def test_a_query_can_be_taken_out() -> None:
    assert split_query("//d.example/a?b=1#/r?c") == ("//d.example/a#/r?c", True)
    assert split_query("//d.example/a#/r?c") == ("//d.example/a#/r?c", False)
    assert split_query("//d.example") == ("//d.example", False)


PIECES = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [
            *".?#&=/:@[]%\u00fc\ud800",
            "http://",
            "https://",
            "//",
            "www.",
            "d.example",
            "..",
            "/../",
            "%2e",
            "%2F",
            "%41",
        ]
    ),
    st.sampled_from(["%%", "utm_x=1", "#/", "#!", ":443", "[::1]"]),
)


@given(st.lists(PIECES, max_size=12).map("".join))
@example("https://d.example/%%34%31")
@example("https://www.www.d.example./..//..")
@example("https://d.example/?&=&#!#")
@example("https://d.example/?a=x\x1c&a=x #/\r#")
def test_never_raises_and_is_its_own_normal_form(text: str) -> None:
    for url in (text, "https://" + text, "https://d.example" + text, "https://d.example/" + text):
        once = normalise(url)
        if once is not None:
            assert normalise(once) == once
            assert once.startswith("//")
            base, asked = split_query(once)
            assert asked is (base != once)
            assert split_query(base) == (base, False)
            assert normalise(base) == base


@pytest.mark.parametrize(
    "piece", ["a/", "../", "%", "%41", "\u00fc", "?", "&", "a&", "#", "@", ":", "[", ".", "/", " "]
)
@pytest.mark.parametrize("head", ["", "https://", "https://d.example/", "https://d.example/?", "https://d.example/#/"])
def test_time_is_linear(head: str, piece: str) -> None:
    url = head + piece * ((1 << 20) // len(piece))
    start = time.process_time()
    normalise(url)
    assert time.process_time() - start < 2
