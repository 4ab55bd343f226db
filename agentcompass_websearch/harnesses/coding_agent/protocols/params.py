"""The user's model parameters as a protocol spells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

LIMITS: Final = ("max_output_tokens", "max_completion_tokens", "max_tokens")
"""The names that the protocols have for the output limit."""

# These say how a request is sent; they are no part of it.
_OF_THE_WIRE: Final = frozenset({"extra_headers", "extra_query", "extra_body", "timeout"})


def request_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model parameters that go into a request's body, those of ``extra_body`` among them."""
    return {k: v for k, v in params.items() if k not in _OF_THE_WIRE} | dict(params.get("extra_body") or {})


def apart_from_limit(params: Mapping[str, Any], default: int | None) -> tuple[dict[str, Any], Any]:
    """Return `params` without the output limit, and the limit: the user's, however spelled, else `default`.

    None leaves it to the server.
    """
    limit = next((params[name] for name in LIMITS if name in params), default)
    return {name: value for name, value in params.items() if name not in LIMITS}, limit


def with_effort(params: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return `params` with ``reasoning_effort`` as ``effort`` in the object `name`, unless the user gave it there."""
    others = dict(params)
    effort = others.pop("reasoning_effort", None)
    own = others.get(name)
    if effort is None or not isinstance(own, Mapping | None):
        return others
    return others | {name: {"effort": effort, **(own or {})}}
