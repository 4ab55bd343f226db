"""What every text from a model, a vendor or a page goes through once, at the boundary."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MIN_SECRET_CHARS = 6
_URL_SAFE = str.maketrans("+/", "-_")


def clean(text: str) -> str:
    """Return `text` that can be sent, compiled and stored: valid Unicode without control characters.

    Surrogate pairs become the character they mean, lone surrogates U+FFFD; control characters other than tab, line
    feed and carriage return are removed.
    """
    return _CONTROL.sub("", join_surrogates(text))


def one_line(text: str) -> str:
    """Return `text` as one line for a terminal or a table: clean, white space as single blanks."""
    return " ".join(clean(text).split())


def join_surrogates(text: str) -> str:
    """Return `text` as valid Unicode: surrogate pairs as the character they mean, lone surrogates as U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def fits_header(text: str) -> bool:
    """Whether an HTTP header can carry `text`: printable ASCII."""
    return text.isascii() and text.isprintable()


def cut(text: str, limit: int, *, mark: bool = True) -> str:
    """Return at most `limit` characters of `text`; what is left out is counted in a visible mark after them."""
    if len(text) <= limit:
        return text
    left_out = len(text) - limit
    return text[:limit] + (f"\n[truncated {left_out} chars]" if mark else "")


class Redactor:
    """Removes known secrets from text by their value, wherever they stand.

    Their value is also found as a URL, JSON, HTML or base64 (of a Basic header, say) spells it.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted(set(_all_spellings(secrets)), key=len, reverse=True)
        pattern = "|".join(map(re.escape, known))
        self._spellings = tuple(known)
        self._pattern = re.compile(pattern)
        self._byte_spellings = tuple(spelling.encode("utf-8", "surrogatepass") for spelling in known)
        self._byte_pattern = re.compile(pattern.encode("utf-8", "surrogatepass"))

    # Looking for one spelling after the other is many times quicker than for all at once, and almost never finds any.

    def scrub(self, text: str) -> str:
        """Return `text` with each secret replaced by asterisks."""
        holds = any(spelling in text for spelling in self._spellings)
        return self._pattern.sub("********", text) if holds else text

    def scrub_bytes(self, data: bytes) -> bytes:
        """Return `data`, text in an encoding like UTF-8, with each secret replaced by asterisks."""
        holds = any(spelling in data for spelling in self._byte_spellings)
        return self._byte_pattern.sub(b"********", data) if holds else data


def _all_spellings(secrets: Iterable[str]) -> Iterator[str]:
    for secret in secrets:
        if len(secret) >= _MIN_SECRET_CHARS:
            yield secret
            in_json = json.dumps(secret)[1:-1]
            yield in_json
            yield in_json.replace("/", "\\/")
            yield html.escape(secret)
            for quoted in (quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace")):
                yield quoted
                yield re.sub("%..", lambda code: code[0].lower(), quoted)
            yield from _in_base64(secret.encode("utf-8", "replace"))


def _in_base64(secret: bytes) -> Iterator[str]:
    """Yield what is the same in every base64 text that holds `secret`, at each of the three places where it can begin.

    The characters at its ends hang on what stands beside it, such as the user's name in a Basic header.
    """
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + secret).decode()
        shared = encoded[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
        yield shared
        yield shared.translate(_URL_SAFE)
