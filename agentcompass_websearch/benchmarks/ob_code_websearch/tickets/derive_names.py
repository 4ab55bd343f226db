"""Which names in gold code are nobody's secret: those it binds itself, those of its libraries, those of every API."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.resources import files
from typing import Final

LIBRARY_MODULES: Final = sys.stdlib_module_names | {"httpx", "requests", "urllib3"}
"""The standard library and the HTTP libraries of golds; urllib3 carries the retries of requests."""

MIN_CHARS: Final = 3

_GENERIC_HEADER = re.compile(r"accept(-.+)?|cache-control|content-.+|user-agent", re.IGNORECASE)
_GENERIC_AS_HEADER: Final = frozenset({"authorization", "connection", "cookie", "host"})
_NO_NAMES: Final = frozenset({"true", "false", "null", "all"})
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
_FORMATS: Final = frozenset(
    {
        *("csv", "html", "json", "xml", "text/csv", "text/html", "text/plain", "text/xml"),
        *("application/json", "application/xml", "application/octet-stream", "application/soap+xml"),
        *("application/x-www-form-urlencoded", "multipart/form-data", "utf-8", "iso-8859-1", "us-ascii"),
    }
)
QUERY_WORDS: Final = frozenset(
    {
        *("AND", "ASC", "BETWEEN", "CASE", "DESC", "DISTINCT", "FROM", "GROUP", "HAVING", "JOIN", "LIKE", "LIMIT"),
        *("NOT", "OFFSET", "ORDER", "SELECT", "WHERE"),
    }
)
"""The words of query languages: nobody looks them up, unless one is a whole key or value."""

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_HTTP_VERSION = re.compile(r"HTTP/\d(?:\.\d)?")
_OPAQUE = re.compile(r"[\d_\-/$.:]|(?<=.)[A-Z]")


def is_opaque(word: str) -> bool:
    """Whether a word does not read like one of plain language: a digit, one of ``_ - / $ . :``, an inner capital."""
    return _OPAQUE.search(word) is not None


def is_generic(word: str) -> bool:
    """Whether a word is no name that a documentation would have to tell, wherever it stands."""
    letters = word.replace("{}", "").strip("/.:")
    return (
        len(letters) < MIN_CHARS
        or not any(ch.isalnum() for ch in letters)
        or _NUMBER.fullmatch(word) is not None
        or word.lower() in _NO_NAMES
        or word in _METHODS
        or word.lower() in _FORMATS
        or _HTTP_VERSION.fullmatch(word) is not None
        or _GENERIC_HEADER.fullmatch(word) is not None
        or (word.startswith("__") and word.endswith("__"))
    )


def is_generic_header(word: str) -> bool:
    """Whether a word is a header that every API has."""
    return _GENERIC_HEADER.fullmatch(word) is not None or word.lower() in _GENERIC_AS_HEADER


@cache
def library_names() -> frozenset[str]:
    """Return the opaque names of httpx, requests, the standard library and the built-in types.

    They are written down, not looked up, so that needles do not depend on the versions that happen to be installed.
    """
    text = files(__package__).joinpath("library_names.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
