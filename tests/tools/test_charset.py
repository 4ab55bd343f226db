from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.charset import decode

SHIFT_JIS = bytes.fromhex("83658369839383672041504920776f726b65724261746368")


def test_the_header_decides() -> None:
    assert decode(SHIFT_JIS, "text/html; charset=shift_jis") == "テナント API workerBatch"
    assert decode("ü".encode(), 'application/json; charset="UTF-8"') == "ü"
    assert decode(b"\x80", "text/plain; charset=ISO-8859-1") == "€"


def test_a_meta_tag_decides_where_the_header_is_silent() -> None:
    for meta in (b'<meta charset="shift_jis">', b"<meta http-equiv=x content='text/html; charset=Shift_JIS'>"):
        assert decode(meta + SHIFT_JIS, "text/html").endswith("テナント API workerBatch")


def test_a_byte_order_mark_decides_and_is_dropped() -> None:
    assert decode(b"\xef\xbb\xbf{}") == "{}"
    assert decode("ä".encode("utf-16")) == "ä"


@pytest.mark.parametrize(
    "charset",
    ["no-such-charset", "hex", "zip", "rot13", "idna", "punycode", "undefined", "unicode_escape", "", "x" * 5000, "ü"],
)
def test_a_charset_that_no_page_means_counts_as_none(charset: str) -> None:
    assert decode("grün \\u0041".encode(), f"text/html; charset={charset}") == "grün \\u0041"


def test_what_is_not_of_the_charset_is_replaced() -> None:
    assert decode(b"a\xffb") == "a\ufffdb"


@given(st.binary(max_size=200), st.text(max_size=60))
def test_it_never_raises(body: bytes, content_type: str) -> None:
    decode(body, content_type)
    decode(b"<meta charset=" + body, f"text/html; charset={content_type}")
