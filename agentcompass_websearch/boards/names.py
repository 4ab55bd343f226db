"""Names: safe as files and as anchors, told apart where people read them, short where a chart has little room."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from agentcompass_websearch.boards.schema import ArmRow

_WIDE = frozenset("mwMW@%&")
_UNSAFE = re.compile(r"[^a-z0-9-]+")


def slug(name: str) -> str:
    """Return a file name for `name`: readable, unique, and nothing but a-z, 0-9 and hyphens."""
    readable = _UNSAFE.sub("-", name.lower()).strip("-")[:60]
    return f"{readable or 'x'}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def audit_folder(arm_id: str) -> str:
    """Return where an arm's audit pages are, beside ``board.html``."""
    return f"audit/{slug(arm_id)}"


def names_of(arms: Sequence[ArmRow]) -> dict[str, str]:
    """Return what people call each arm of a board, by its id: the vendor id, with the model where there are several."""
    several = len({arm.model for arm in arms}) > 1
    return {arm.id: f"{arm.vendor_id} ({arm.model})" if several else arm.vendor_id for arm in arms}


def shortened(names: Sequence[str], columns: int) -> list[str]:
    """Return the names in at most `columns` columns each, still told apart; of a longer one the middle is left out."""
    short: list[str] = []
    for name in names:
        cut, number = _cut(name, columns), 1
        while cut in short:
            number += 1
            cut = _cut(name, columns - len(mark := f" #{number}")) + mark
        short.append(cut)
    return short


def columns_in(text: str) -> int:
    """Return about how many columns `text` is wide: the widest letters, and characters of East Asia, take two."""
    return sum(1 + (char in _WIDE or unicodedata.east_asian_width(char) in "WF") for char in text)


def _cut(name: str, columns: int) -> str:
    if columns_in(name) <= columns:
        return name
    end = _start(name[::-1], columns // 3)[::-1]
    return f"{_start(name, columns - columns_in(end) - 1)}…{end}"


def _start(text: str, columns: int) -> str:
    while columns_in(text) > columns:
        text = text[:-1]
    return text
