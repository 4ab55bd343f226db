"""Types of parameters that several commands have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter, Token


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """Read a whole number. Cyclopts by itself rounds others: ``--k 1.5`` would be two repeats."""
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"{word[:60]!r} is no whole number") from None


Whole = Annotated[int, Parameter(converter=_whole)]
