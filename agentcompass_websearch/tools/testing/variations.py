"""Variations of a good reply that any vendor may send one day, made from the reply that a test gives.

They need no knowledge of the API: a result is an object in a list that holds an http(s) URL, and the text of a page is
the value that the client showed as such.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.tools.testing.server import Reply

MARK: Final = "東京"
ODD: Final = f"naïve {MARK} 😀 \ud835 \x00\x07\x1b \ufffd"
"""Text that goes behind each text: accents, other scripts, a lone surrogate, control characters."""

type Row = dict[str, Any]


def with_rows(reply: Reply, change: Callable[[list[Row]], list[Row]]) -> Reply | None:
    """Return `reply` with each of its lists of results changed; None where none is found."""
    try:
        body = json.loads(reply.body)
    except ValueError:
        return None
    lists = list(_lists_of_results(body))
    for rows in lists:
        rows[:] = change(rows)
    return replace(reply, body=json.dumps(body).encode()) if lists else None


def many(rows: list[Row]) -> list[Row]:
    """Each result thirty times, at thirty addresses."""
    return [_with_urls(row, functools.partial(_below, n)) for n in range(30) for row in rows]


def repeated(rows: list[Row]) -> list[Row]:
    """Each result four times: as it is, under the other scheme, with a slash and with a fragment behind."""
    spellings = (str, _other_scheme, _with_slash, _with_fragment)
    return [_with_urls(row, spelling) for spelling in spellings for row in rows]


def with_odd_texts(rows: list[Row], more: str = ODD) -> list[Row]:
    """Each text of each result with `more` behind it."""
    return [_mapped(row, lambda text: text if _is_url(text) else f"{text} {more}") for row in rows]


def without_texts(rows: list[Row]) -> list[Row]:
    """Null in the place of each text that is no URL."""
    return [_mapped(row, lambda text: text if _is_url(text) else None) for row in rows]


def with_odd_content(reply: Reply, content: str) -> Reply | None:
    """Return `reply` with `ODD` behind the text `content` of a page; None where that is not found in it."""
    try:
        before = json.loads(reply.body)
    except ValueError:
        # In a body that is the page itself, a zero byte is the mark of binary data.
        text = reply.body.decode("utf-8", "replace")
        more = ODD.replace("\x00", "").encode("utf-8", "replace")
        return replace(reply, body=reply.body + more) if text.strip() == content else None
    after = _mapped(before, lambda text: f"{text} {ODD}" if text.strip() == content else text)
    return replace(reply, body=json.dumps(after).encode()) if after != before else None


def without_content(reply: Reply) -> Reply:
    """Return `reply` with white space in the place of each text that is no URL."""
    try:
        body = json.loads(reply.body)
    except ValueError:
        return replace(reply, body=b" \n")
    return replace(reply, body=json.dumps(_mapped(body, lambda text: text if _is_url(text) else " \n")).encode())


def _lists_of_results(value: Any) -> Iterator[list[Row]]:
    """Yield the outermost lists of objects with a URL of their own."""
    if isinstance(value, list) and any(_is_result(item) for item in value):
        value[:] = [item for item in value if isinstance(item, dict)]
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _lists_of_results(item)


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(item, str) and _is_url(item) for item in value.values())


def _is_url(text: str) -> bool:
    return text.startswith(("https://", "http://"))


def _below(n: int, url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=f"{parts.path.rstrip('/')}/{n}").geturl()


def _other_scheme(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(scheme="http" if parts.scheme == "https" else "https").geturl()


def _with_slash(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=f"{parts.path.rstrip('/')}/").geturl()


def _with_fragment(url: str) -> str:
    return urlsplit(url)._replace(fragment="top").geturl()


def _with_urls(row: Mapping[str, Any], spell: Callable[[str], str]) -> Row:
    """Change the URLs of a result itself, not those in its parts."""
    return {name: spell(v) if isinstance(v, str) and _is_url(v) else v for name, v in row.items()}


def _mapped(value: Any, change: Callable[[str], Any]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {name: _mapped(item, change) for name, item in value.items()}
    return value
