"""Cuts the value of a string expression into the words that could be documented names.

A part of the value that the source leaves open (an f-string's ``{x}``, an unknown operand) is `OPEN`, one character
that no literal holds. A segment of a path that is open, or open in part, is written ``{}`` and stays in the word;
elsewhere a word with an open part is left out, since what really stands there is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

OPEN: Final = "\ufdd0"
PLACEHOLDER: Final = "{}"
OUTER: Final = "/.:"
"""What does not belong to a word at its ends."""

_RUN = re.compile(r"[^\s\"'`()\[\]<>;,|?&=^]+")
_SCHEME_AND_HOST = re.compile(rf"(?<![\w+.-])(?:[A-Za-z][A-Za-z0-9+.-]*+|{OPEN})://[^\s\"'`()\[\]<>;,|?&=/]*")
_STANDARD_NAMESPACE = re.compile(r"https?://(?:www\.w3\.org|schemas\.xmlsoap\.org)/[^\s\"'<>]*")
_NAMED_PART = re.compile(r"%\(\w+\)[sdr]")
_TEMPLATE_PART = re.compile(r"\{[\w.!:]*\}|\$\{\w+\}|%[sdr]")
_OPEN_BASE = re.compile(rf"{OPEN}+|(?:{_TEMPLATE_PART.pattern}|{_NAMED_PART.pattern})(?=/)")
_UNBRACED = re.compile(r"[^{}]+")
_BRACED = re.compile(r"\{([^{}\s]*+)\}")
_DECLARED_PREFIX = re.compile(rf"\bxmlns:([\w.-]+|{OPEN})\s*=")
_TAG_PREFIX = re.compile(r"</?([A-Za-z_][\w.-]*):(?=[A-Za-z_])")
_OPEN_PREFIX = re.compile(rf"(?<=[<\s/])[\w.-]*{OPEN}[\w.-]*:(?=[A-Za-z_])")


class Word(NamedTuple):
    """A word, and where in the value it stands."""

    text: str
    start: int
    end: int


def xml_prefixes(values: Iterable[str]) -> frozenset[str]:
    """Return the namespace prefixes that XML in `values` declares or puts before its tags."""
    found: set[str] = set()
    for value in values:
        if "<" in value or "xmlns:" in value:
            found.update(_DECLARED_PREFIX.findall(value), _TAG_PREFIX.findall(value))
    return frozenset(found - {OPEN})


def words_of(value: str, prefixes: frozenset[str] = frozenset()) -> Iterator[Word]:
    """Yield the words of a string value in order, repeated ones too.

    Args:
        value: the string, open parts as `OPEN`.
        prefixes: XML namespace prefixes, which are dropped from words: they are the writer's choice.
    """
    text = _NAMED_PART.sub(lambda part: OPEN * len(part[0]), value)
    text = _blanked(_DECLARED_PREFIX, text)
    text = _blanked(_OPEN_PREFIX, text)
    if prefixes:
        known = "|".join(map(re.escape, sorted(prefixes, key=len, reverse=True)))
        text = _blanked(re.compile(rf"(?<![\w.-])(?:{known}):(?=[A-Za-z_])"), text)
    text = _BRACED.sub(_clark_name, text)
    text = _blanked(_STANDARD_NAMESPACE, text)
    text = _blanked(_SCHEME_AND_HOST, text)
    for run in _RUN.finditer(text):
        start, end = run.span()
        if "/" not in run[0]:
            yield from _plain_words(text, start, end)
            continue
        if start == 0 and (base := _OPEN_BASE.match(value)):
            # What a path is put behind is the base URL: scheme and host, only not spelled out.
            start = base.end()
        yield from _path_words(text, start, end)


def whole_query_words(value: str) -> Iterator[str]:
    """Yield the keys and values of the query in a URL, whole ones only."""
    _, mark, query = value.partition("?")
    if mark:
        for pair in query.partition("#")[0].split("&"):
            key, _, text = pair.partition("=")
            yield from (part for part in (key, text) if part and OPEN not in part)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _clark_name(braced: re.Match[str]) -> str:
    """Part ``{namespace}name``, as XML libraries write it, from its braces."""
    return f" {braced[1]} " if ":" in braced[1] or "/" in braced[1] else braced[0]


def _path_words(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield the word of a path, with its open segments as placeholders; braces that are no placeholder part words."""
    start, end = _trimmed(text, start, end)
    segments = [_segment(segment) for segment in text[start:end].split("/")]
    if any("{" in s or "}" in s for s in segments if s != PLACEHOLDER):
        for part in _UNBRACED.finditer(text, start, end):
            yield from _plain_words(text, *part.span())
    elif any(segment not in ("", PLACEHOLDER) for segment in segments):
        yield Word("/".join(segments), start, end)


def _segment(segment: str) -> str:
    """Return a segment of a path, as a placeholder if any part of it is open."""
    return PLACEHOLDER if OPEN in segment or _TEMPLATE_PART.search(segment) else segment


def _plain_words(text: str, start: int, end: int) -> Iterator[Word]:
    for part in _UNBRACED.finditer(text, start, end):
        first, last = _trimmed(text, *part.span())
        if first < last and OPEN not in text[first:last]:
            yield Word(text[first:last], first, last)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without the marks that belong to no word at its ends."""
    while start < end and text[start] in OUTER:
        start += 1
    while start < end and text[end - 1] in OUTER:
        end -= 1
    return start, end
