"""What every text goes through at the boundary: cleaning, and removal of secrets in all their spellings."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.text import Redactor, clean

SECRET = 'sk-Ab/9+z=="q&\\x~K'
HIDDEN = "********"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\x00b\x07c\x7fd", "abcd"),
        ("a\x80b\x85c\x9fd", "abcd"),
        ("tab\tline\nreturn\r", "tab\tline\nreturn\r"),
        ("\ud835\udc00 \ud835 \udc00", "\U0001d400 \ufffd \ufffd"),
        ("\u202eright to left\u2066 \u200b\ufeff", "\u202eright to left\u2066 \u200b\ufeff"),
        ("ä\u00a0→ 東京", "ä\u00a0→ 東京"),
    ],
)
def test_text_is_cleaned(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.text(st.characters(blacklist_categories=()), max_size=40))
def test_clean_text_can_be_stored_and_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = clean(text)
    assert json.loads(json.dumps(cleaned, ensure_ascii=False).encode()) == cleaned
    assert clean(cleaned) == cleaned
    assert not any(ord(char) < 32 and char not in "\t\n\r" for char in cleaned)


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
    ],
)
def test_a_secret_is_removed_however_it_is_spelled(spelled: str) -> None:
    redactor = Redactor([SECRET])
    assert redactor.scrub(f"https://x.example/?key={spelled}&n=1") == f"https://x.example/?key={HIDDEN}&n=1"
    assert redactor.scrub_bytes(f"({spelled})".encode()) == f"({HIDDEN})".encode()


def test_percent_signs_may_be_in_lower_case() -> None:
    spelled = quote("key+with/signs", safe="").replace("%2B", "%2b").replace("%2F", "%2f")
    assert Redactor(["key+with/signs"]).scrub(spelled) == HIDDEN


@given(
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40),
    before=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=9),
    after=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=9),
    url_safe=st.booleans(),
)
def test_no_base64_text_gives_a_secret_away(secret: str, before: str, after: str, url_safe: bool) -> None:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    encoded = encode(f"{before}{secret}{after}".encode()).decode()
    scrubbed = Redactor([secret]).scrub(f"Basic {encoded}")
    assert HIDDEN in scrubbed
    kept = scrubbed.removeprefix("Basic ").split(HIDDEN)
    # What is left are the ends, which hold no more of it than the two characters that share a byte with its neighbours.
    assert sum(map(len, kept)) <= 4 * (len(before) + len(after) + 3) / 3 + 4


def test_words_too_short_to_be_secrets_stay() -> None:
    assert Redactor(["none", ""]).scrub("none of it") == "none of it"
