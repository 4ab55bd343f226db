"""What the zoo needs of one vendor: how it checks keys, what it answers at each path, how its errors look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentcompass_websearch.records import Operation
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request

Answer = Callable[[Request, Library], Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint: what it is for, and its answer to a well-signed request."""

    op: Operation
    answer: Answer


@dataclass(frozen=True, slots=True)
class Face:
    """One vendor's API.

    Args:
        family: the vendor family, and the first part of its paths in the zoo.
        key: returns the key that a request bears, None if it bears none.
        routes: ``(method, path)`` to endpoint.
        error: returns the vendor's reply of an error status, in its own form.
    """

    family: str
    key: Callable[[Request], str | None]
    routes: Mapping[tuple[str, str], Route]
    error: Callable[[int], Reply]
