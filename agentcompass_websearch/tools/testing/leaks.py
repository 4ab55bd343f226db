"""Where a key must be, and where it must never be: checks of the contract for vendors over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from agentcompass_websearch.tools.contract import Outcome
from agentcompass_websearch.tools.testing.server import Request

CANARY: Final = "canary-0123456789-canary"
"""The key that clients under the contract have."""


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(f"{record.name}: {self.format(record)}")


@contextmanager
def logged() -> Iterator[list[str]]:
    """Collect all that is logged, whatever its level."""
    lines: list[str] = []
    root, handler = logging.getLogger(), _Lines(lines)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


def assert_no_key(outcome: Outcome[Any], client: object, lines: list[str]) -> None:
    """Check that the key stands in nothing that is shown or stored."""
    places = {
        "the error message": str(outcome.error),
        "the outcome": f"{outcome!r} {outcome.error!r}",
        "the repr of the client": repr(client),
        "a log line": "\n".join(lines),
    }
    for place, text in places.items():
        assert CANARY not in text, (
            f"the key stands in {place}: remove it by its value (agentcompass_websearch.text.Redactor) from all that "
            "the vendor says"
        )


def assert_signed(request: Request, signed: Mapping[str, str], op: str) -> None:
    """Check that the key is where the API's documentation wants it, and nowhere else in a request."""
    fields = {name.lower(): value for name, value in [*request.query.items(), *request.headers.items()]}
    parts = {**fields, "the path": request.path, "the body": request.body.decode("utf-8", "replace")}
    found = [name for name, sent in parts.items() if CANARY in sent]
    for name, value in signed.items():
        assert fields.get(name.lower()) == value.replace("{key}", CANARY), (
            f"a {op} must carry {name}: {value} (see `signed`), but the key stands in "
            f"{', '.join(found) or 'no header or parameter'}; HttpApi(auth=Auth(...)) says where"
        )
    others = sorted(set(found) - {name.lower() for name in signed})
    assert not others, (
        f"a {op} has the key in {', '.join(others)} too: HttpApi(auth=...) alone puts it where it belongs"
    )
