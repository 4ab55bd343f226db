"""The ways in which a vendor's API goes wrong, by name, for tests that ask for them.

A fault is written as ``name`` or ``name:detail``. An HTTP status is a refusal in the vendor's own form, whatever status
it gives it: ``401`` for a wrong key, ``402`` for credits that are used up, ``429``, ``429:0.5`` with Retry-After,
``429:ms=20`` with retry-after-ms, ``500``. ``nothing`` is the vendor's answer where it finds no result or no such page,
``slow:2`` waits for two seconds, ``ok`` is no fault; the others are `SHAPES`.
"""

from __future__ import annotations

import functools
import gzip
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from agentcompass_websearch.tools.testing.server import Reply, html_reply

_BOMB_BYTES: Final = 64 * 1024 * 1024
_PAGE: Final = "<html><head><title>Error</title></head><body><h1>The gateway has no answer</h1></body></html>"


def _cut(reply: Reply) -> Reply:
    """The right headers, and half of the body."""
    return replace(reply, cut=len(reply.body) // 2)


def _cut_json(reply: Reply) -> Reply:
    """A complete reply whose JSON ends in the middle."""
    return replace(reply, body=reply.body[: len(reply.body) // 2])


@functools.cache
def _bomb_bytes() -> bytes:
    return gzip.compress(b'{"results": "' + b"A" * _BOMB_BYTES + b'"}', compresslevel=6)


def _bomb(reply: Reply) -> Reply:
    """64 MiB of JSON string in some 64 KiB of gzip."""
    return Reply(200, _bomb_bytes(), {"content-type": "application/json", "content-encoding": "gzip"})


def _endless(reply: Reply) -> Reply:
    def chunks() -> Iterator[bytes]:
        return itertools.repeat(b'{"results": [' + b" " * 65536)

    return Reply(200, headers={"content-type": "application/json"}, chunks=chunks)


def _garbled(reply: Reply) -> Reply:
    return replace(reply, headers={**reply.headers, "content-encoding": "gzip"})


SHAPES: Final[Mapping[str, Callable[[Reply], Reply]]] = {
    "html": lambda reply: html_reply(_PAGE, 200),
    "502-html": lambda reply: html_reply(_PAGE, 502),
    "503-html": lambda reply: html_reply(_PAGE, 503),
    "404-html": lambda reply: html_reply(_PAGE, 404),
    "redirect": lambda reply: Reply(302, headers={"location": "https://elsewhere.example/"}),
    "empty": lambda reply: Reply(200, headers={"content-type": "application/json"}),
    "cut": _cut,
    "cut-json": _cut_json,
    "bomb": _bomb,
    "endless": _endless,
    "garbled": _garbled,
    "not-json": lambda reply: Reply(200, b"no results, sorry", {"content-type": "application/json"}),
    "wrong-type": lambda reply: Reply(200, b'["a", 1]', {"content-type": "application/json"}),
    "hang": lambda reply: Reply(hang=True),
}


KNOWN: Final = f"ok, nothing, slow:SECONDS, 4xx, 5xx, 429:RETRY-AFTER, {', '.join(SHAPES)}"


def apply(
    fault: str, good: Callable[[], Reply], error: Callable[[int], Reply], nothing: Callable[[], Reply] = Reply
) -> Reply:
    """Return the reply under `fault`.

    Args:
        fault: its name (see above).
        good: makes the reply that the vendor would give.
        error: makes the vendor's own reply of an error status.
        nothing: makes the reply that the vendor would give if it knew nothing.

    Raises:
        ValueError: there is no such fault.
    """
    name, _, detail = fault.partition(":")
    if name == "ok":
        return good()
    if name == "nothing":
        return nothing()
    if name == "slow":
        return replace(good(), wait_s=float(detail or 0.2))
    if name in SHAPES:
        return SHAPES[name](good())
    if name.isdigit() and 400 <= int(name) < 600:
        return _with_retry_after(error(int(name)), detail)
    raise ValueError(f"unknown fault {fault!r}; known: {KNOWN}")


def _with_retry_after(reply: Reply, detail: str) -> Reply:
    if not detail:
        return reply
    name, value = ("retry-after-ms", detail[3:]) if detail.startswith("ms=") else ("retry-after", detail)
    return replace(reply, headers={**reply.headers, name: value})


class Plan:
    """Which fault comes when: one name a request; a name with ``*`` at its end holds from there on."""

    def __init__(self, faults: list[str] | None = None) -> None:
        self._faults = list(faults or [])
        for fault in self._faults:
            apply(fault.rstrip("*"), Reply, lambda status: Reply(status))

    def next(self) -> str:
        """Return the fault of the next request."""
        if not self._faults:
            return "ok"
        if self._faults[0].endswith("*"):
            return self._faults[0].rstrip("*")
        return self._faults.pop(0)
