"""Reading what vendors call results and pages into records: tolerant of holes, strict on URLs, always clean."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import Fault, in_short
from agentcompass_websearch.urls import normalise

type Field = str | Callable[[Mapping[str, Any]], Any]

_MAX_URL_CHARS: Final = 4096
_HTTP: Final = re.compile(r"https?://", re.IGNORECASE)
_JOIN: Final = "\n...\n"
# Only elements that search engines put into snippets; in documentation, <T> and <your-key> are text.
_MARKUP: Final = re.compile(
    r"</?(?:a|abbr|b|bdi|br|cite|code|div|em|font|i|li|mark|ol|p|small|span|strong|sub|sup|u|ul|wbr)\b[^<>]{0,300}/?>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"<(?:br|/?p|/?div|/?li)\b[^<>]{0,300}>", re.IGNORECASE)
_SITE: Final = re.compile(r"-?\(*site:", re.IGNORECASE)
_FEW_ODD: Final = 8
_MANY_ODD: Final = 0.05


def key_of(url: str) -> str | None:
    """Return the normal form of an absolute http(s) URL; None for anything else."""
    return normalise(url) if _HTTP.match(url) else None


def section(body: Mapping[str, Any], name: str) -> list[Any]:
    """Return the list under `name` that every good answer of this vendor has. Null is an empty list.

    Raises:
        Fault: UNREADABLE where the name is missing or not a list, so that no other answer passes for "nothing found".
    """
    required(body, name)
    return optional_section(body, name)


def required(body: Mapping[str, Any], name: str) -> Any:
    """Return what every good answer of this vendor has under `name`, null included.

    Raises:
        Fault: UNREADABLE where the name is missing.
    """
    if name not in body:
        raise Fault(ErrorKind.UNREADABLE, f"the answer has no {name!r}")
    return body[name]


def part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object under `name`, an empty one where something else or nothing stands there."""
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def optional_section(body: Mapping[str, Any], name: str) -> list[Any]:
    """Return the list under `name`, empty where the vendor leaves it out when there is nothing.

    Raises:
        Fault: UNREADABLE where something else than a list stands there.
    """
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise Fault(ErrorKind.UNREADABLE, f"{name!r} of the answer is {type(value).__name__}, not a list")
    return value


def hits(
    rows: Iterable[Any], *, url: Field = "url", title: Field = "title", snippet: Field = "snippet", markup: bool = False
) -> tuple[Hit, ...]:
    """Return one hit for each row that has a usable http(s) URL, in order.

    Args:
        rows: what the vendor sent; anything that is not an object is dropped.
        url, title, snippet: the name of a field, or a function from the row to its value (see `words`).
        markup: whether this vendor's titles and snippets are HTML, whose tags are removed and entities resolved.
    """
    return tuple(hit for row in rows if isinstance(row, dict) and (hit := _hit(row, url, title, snippet, markup)))


def _hit(row: Mapping[str, Any], url: Field, title: Field, snippet: Field, markup: bool) -> Hit | None:
    address = _value(row, url)
    if not isinstance(address, str):
        return None
    address = clean(address).strip()
    if len(address) > _MAX_URL_CHARS or key_of(address) is None:
        return None
    texts = [words(_value(row, title)), words(_value(row, snippet))]
    if markup:
        texts = [without_markup(text) for text in texts]
    return Hit(address, " ".join(texts[0].split()), texts[1])


def _value(row: Mapping[str, Any], field: Field) -> Any:
    return row.get(field) if isinstance(field, str) else field(row)


def words(value: Any) -> str:
    """Return `value` as clean text: a string, a number, or a list of them joined with ``...``; else an empty string."""
    if isinstance(value, str):
        return clean(value).strip()
    if isinstance(value, list):
        return _JOIN.join(text for item in value if not isinstance(item, list) and (text := words(item)))
    return f"{value:.15g}" if _is_number(value) else ""


def without_markup(text: str) -> str:
    """Return `text` without the HTML elements that search engines use, entities resolved."""
    if "<" in text:
        text = _MARKUP.sub("", _BREAK.sub("\n", text))
    return clean(html.unescape(text)).strip() if "&" in text else text.strip()


def distinct(found: Iterable[Hit], limit: int) -> tuple[Hit, ...]:
    """Return the first `limit` hits of `found` that differ in their normalised URL."""
    first: dict[str, Hit] = {}
    for hit in found:
        first.setdefault(key_of(hit.url) or hit.url, hit)
    return tuple(first.values())[:limit]


def page(
    requested_url: str,
    *,
    content: Any,
    final_url: Any = "",
    title: Any = "",
    status: Any = None,
    note: Any = "",
    reported_usd: float | None = None,
) -> Page:
    """Return the page that a vendor read.

    Args:
        requested_url: the URL that was asked for.
        content: its text; anything that is no text counts as none.
        final_url: where redirects ended.
        title: its title.
        status: the HTTP status of the page itself, where the vendor tells one.
        note: what the vendor says of a page that could not be read.
        reported_usd: what the vendor charged for it, read or not.

    Raises:
        Fault: TARGET, for a page of an error status, without text, or of bytes that are no text. `note` says more.
    """
    status = _status(status)
    problem = ""
    text = words(content)
    if status is not None and not 200 <= status < 300:
        problem = f"the page answered with HTTP {status}"
    elif isinstance(content, str) and _is_binary(content):
        problem, note = "binary content, not shown", ""
    elif not text:
        problem = "the page came back without text"
    if problem:
        raise unread(note, status=status, reported_usd=reported_usd, problem=problem)
    final = words(final_url)
    return Page(
        url=requested_url,
        final_url=final if key_of(final) else "",
        title=" ".join(words(title).split()),
        content=text,
        status=status,
    )


def unread(
    note: Any,
    *,
    status: Any = None,
    reported_usd: float | None = None,
    billed: bool | None = None,
    problem: str = "",
) -> Fault:
    """Return the fault of a page that a vendor could not read, where it says so in an answer that is else a good one.

    Args:
        note: what it says.
        status: the HTTP status of the page itself, where the vendor tells one.
        reported_usd: what it charged all the same.
        billed: whether it charged, where it gives no amount.
        problem: what is wrong, in our words, where that is known.
    """
    said = in_short(words(note))
    message = f"{problem}: {said}" if problem and said else problem
    message = message or f"the page could not be read: {said or 'no reason given'}"
    charged = billed if reported_usd is None else reported_usd > 0
    return Fault(ErrorKind.TARGET, message, status=_status(status), billed=charged, reported_usd=reported_usd)


def first(rows: Iterable[Any]) -> Mapping[str, Any]:
    """Return the first object of `rows`, an empty one where there is none."""
    return next((row for row in rows if isinstance(row, dict)), {})


def _status(value: Any) -> int | None:
    """Return an HTTP status that is a number or its digits."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if re.fullmatch("[1-9][0-9]{2}", text) else None


def _is_binary(content: str) -> bool:
    start = content[:4000]
    if start.startswith("%PDF-"):
        return True
    odd = sum(c == "\ufffd" or (c < " " and c not in "\t\n\r\f") for c in start)
    return odd > max(_FEW_ODD, _MANY_ODD * len(start))


def usd(value: Any) -> float | None:
    """Return an amount of US dollars that a vendor reports; None for anything that is no finite amount of 0 or more."""
    return float(value) if _is_number(value) and value >= 0 else None


def _is_number(value: Any) -> bool:
    """Whether `value` is a number that a float can hold; JSON may hold integers of thousands of digits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e300 < value < 1e300


def shorten_query(query: str, max_chars: int | None, max_words: int | None) -> str:
    """Return `query` with as many of its words as the vendor takes; a first word longer than that is cut itself.

    The first words are kept, and before them operators such as ``site:docs.acme.example``, without which the query
    would ask for something else.
    """
    parts = query.split()
    chars_left = len(query) if max_chars is None else max_chars
    words_left = len(parts) if max_words is None else max_words
    if not parts or (len(query) <= chars_left and len(parts) <= words_left):
        return query.strip()
    kept: list[int] = []
    for place in sorted(range(len(parts)), key=lambda place: _SITE.match(parts[place]) is None):
        chars = len(parts[place]) + (1 if kept else 0)
        if words_left > 0 and chars <= chars_left:
            kept.append(place)
            words_left -= 1
            chars_left -= chars
        elif not _SITE.match(parts[place]):
            break
    return " ".join(parts[place] for place in sorted(kept)) or parts[0][:chars_left]
