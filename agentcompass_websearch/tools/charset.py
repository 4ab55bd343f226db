"""Decoding of response bodies: charset from header, byte order mark or meta tag, else UTF-8; never raises."""

from __future__ import annotations

import codecs
import re
from email.message import Message
from typing import Final

_META: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.\-]{1,40})""", re.IGNORECASE)
_META_WINDOW_BYTES: Final = 4096
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# Codecs of Python that no web page means, some of which raise even with errors="replace".
_NOT_FOR_PAGES: Final = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})
# What browsers read under names that promise less (WHATWG Encoding Standard, section 4.2).
_READ_AS: Final = {"iso8859-1": "cp1252", "ascii": "utf-8", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}


def decode(body: bytes, content_type: str = "") -> str:
    """Return `body` as text. The charset is that of the header, else of a byte order mark, else of a meta tag, else
    UTF-8; what cannot be decoded becomes U+FFFD, and an unknown charset name counts as none."""
    charset = _known(_of_header(content_type)) or _of_mark(body) or _known(_of_meta(body)) or "utf-8"
    try:
        text = body.decode(charset, "replace")
    except (LookupError, ValueError):
        text = body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff")


def _of_header(content_type: str) -> str:
    message = Message()
    message["content-type"] = content_type[:1000]
    charset = message.get_param("charset", "")
    return charset.strip("'\" ") if isinstance(charset, str) else ""


def _of_mark(body: bytes) -> str | None:
    return next((name for mark, name in _MARKS if body.startswith(mark)), None)


def _of_meta(body: bytes) -> str:
    found = _META.search(body[:_META_WINDOW_BYTES])
    return found.group(1).decode("ascii") if found else ""


def _known(name: str) -> str | None:
    """Return the codec that `name` stands for, None where there is none for text."""
    if not name or len(name) > 40 or not name.isascii():
        return None
    try:
        info = codecs.lookup(name)
        b"".decode(info.name)
    except (LookupError, ValueError):
        return None
    return None if info.name.replace("-", "_") in _NOT_FOR_PAGES else _READ_AS.get(info.name, info.name)
