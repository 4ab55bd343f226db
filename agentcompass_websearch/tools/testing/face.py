"""What the zoo needs of one vendor: how it checks keys, what it answers at each path, how its errors look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from agentcompass_websearch.records import Operation
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import Reply, Request

Answer = Callable[[Request, Library], Reply]


def bearer(request: Request) -> str | None:
    """Return the key of a request that bears it in ``Authorization: Bearer``."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key if scheme == "Bearer" and key else None


def in_header(name: str) -> Callable[[Request], str | None]:
    """Return what reads the key of a request from the header `name`, in lower case."""
    return lambda request: request.headers.get(name) or None


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether a parameter is a whole number in a range."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_texts(value: object, least: int, most: int) -> TypeGuard[list[str]]:
    """Whether a parameter is a list of that many texts, none of them blank."""
    return (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(isinstance(item, str) and item.strip() for item in value)
    )


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint: what it is for, and its answer to a well-signed request, or to any if it is `keyless`."""

    op: Operation
    answer: Answer
    keyless: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    """One vendor's API.

    Args:
        family: the vendor family, and the first part of its paths in the zoo.
        key: returns the key that a request bears, None if it bears none; None for an API that asks for no key.
        routes: ``(method, path)`` to endpoint.
        error: returns the vendor's reply of an error status, in its own form.
        options: options without which a client of the vendor cannot be opened, beside the address.
    """

    family: str
    key: Callable[[Request], str | None] | None
    routes: Mapping[tuple[str, str], Route]
    error: Callable[[int], Reply]
    options: Mapping[str, Any] = field(default_factory=dict)
