"""Builds HTML in which text is always escaped, addresses are only http(s), and nothing comes from outside."""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

_VOID: Final = frozenset({"br", "hr", "meta", "link", "input", "wbr"})
_SPECIAL: Final = re.compile("[&<>\"']").search
_TURNS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]").sub
"""Characters that turn the direction of what follows them: shown by name, or a text could disguise its neighbours."""


class Html(str):
    """Markup that may be inserted as it is."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return `value` as escaped text, markup as it is."""
    return value if isinstance(value, Html) else Html(_escaped(str(value)))


def join(*parts: object) -> Html:
    """Return the parts one after the other, texts escaped."""
    return Html("".join([part if isinstance(part, Html) else _escaped(str(part)) for part in parts]))


def el(tag: str, *children: object, **attributes: object) -> Html:
    """Return an element. Of an attribute's name a trailing ``_`` is dropped and others become ``-``; None drops it."""
    given = ""
    for name, value in attributes.items():
        if value is not None and value is not False:
            shown = "" if value is True else f'="{_escaped(str(value))}"'
            given += f" {name.rstrip('_').replace('_', '-')}{shown}"
    if tag in _VOID:
        return Html(f"<{tag}{given}>")
    return Html(f"<{tag}{given}>{join(*children)}</{tag}>")


def link(url: str, label: object = None) -> Html:
    """Return a link to an http(s) address; any other address is only shown, never followed."""
    try:
        followed = urlsplit(url).scheme in ("http", "https")
    except ValueError:
        followed = False
    shown = url if label is None else label
    return el("a", shown, href=url, rel="noopener noreferrer nofollow") if followed else el("span", shown)


def asset(name: str) -> str:
    """Return a text of the folder ``assets``."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def document(title: str, body: Html, *, style: str, script: str = "") -> str:
    """Return a whole page whose policy allows its own style and script, and nothing else.

    The policy names both by their hash, so text that slipped in as markup could neither load nor run anything. A script
    may ask where the page came from, which is nowhere for one from disk: that is how a served page sees a newer one.
    """
    allowed = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + _hash(style)
    if script:
        allowed += f"; script-src {_hash(script)}; connect-src 'self'"
    head = join(
        el("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{escape(allowed)}">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        Html(f"<style>{style}</style>"),
    )
    end = Html(f"<script>{script}</script>") if script else Html("")
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n{end}</body>\n</html>\n'


def _escaped(value: str) -> str:
    safe = escape(value) if _SPECIAL(value) else value
    return safe if safe.isascii() else _TURNS(lambda found: f"[U+{ord(found[0]):04X}]", safe)


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
