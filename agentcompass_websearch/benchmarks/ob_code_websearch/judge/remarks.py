"""Notes for a person: what an answer or a file looks like where it is not the complete file that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

DIFF: Final = "looks like a diff"
ELIDED: Final = "elided: parts of the file are left out"
DIFF_BLOCK: Final = "a diff block is left aside: it looks like a diff, not like the file"
TOOL_CALL: Final = "unparsed tool call in the text: check the tool parser of the model's server"
EMPTY: Final = "empty submission"

_CALL: Final = re.compile(
    r"<\|?(?:tool_call|tool_calls|function_calls?|tool_code|python_tag)\b|<(?:function|invoke)[= ]|\[TOOL_CALLS?\]",
    re.IGNORECASE,
)
_HUNK: Final = re.compile(r"^@@ -\d", re.MULTILINE)
_OLD_AND_NEW_FILE: Final = re.compile(r"^--- \S.*\n\+\+\+ \S", re.MULTILINE)
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>")
_DOTS: Final = re.compile(r"\.\.\.|…")
_OMISSION: Final = re.compile(
    r"\b(?:rest|remaind\w*|remaining|unchanged|existing|same as|previous|omitted|elided|as before)\b",
    re.IGNORECASE,
)
_MAX_LINE: Final = 200


def remarks_on_answer(answer: str) -> Iterator[str]:
    """Yield what to tell about an answer as a whole."""
    if _CALL.search(answer):
        yield TOOL_CALL


def remarks_on_file(text: str) -> Iterator[str]:
    """Yield what to tell about a submitted file."""
    if not text.strip():
        yield EMPTY
    elif looks_like_diff(text):
        yield DIFF
    elif any(_is_omission(line) for line in text.split("\n")):
        yield ELIDED


def looks_like_diff(text: str) -> bool:
    """Whether `text` is a unified diff, or has blocks of SEARCH/REPLACE."""
    if _HUNK.search(text) or _OLD_AND_NEW_FILE.search(text):
        return True
    lines = iter(text.split("\n"))
    return all(any(line.startswith(mark) for line in lines) for mark in _CONFLICT)


def _is_omission(line: str) -> bool:
    """Whether a line stands for others: ``# ... rest of the file unchanged ...``."""
    line = line.strip()
    return (
        len(line) <= _MAX_LINE
        and line.startswith(("#", "...", "…"))
        and bool(_DOTS.search(line))
        and bool(_OMISSION.search(line))
    )
