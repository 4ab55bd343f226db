"""The model under test as an attempt calls it: address, key and parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.harnesses.coding_agent.protocols.params import LIMITS, request_params
from agentcompass_websearch.text import fits_header
from agentcompass_websearch.tools.keys import checked_key

_NO_KEY: Final = "not-set"


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a protocol comes from, and the variables in which its users keep address and key.

    `tails` are what a user's address may have after the base URL that the protocol's clients take.
    """

    url: str
    url_var: str
    key_vars: tuple[str, ...]
    tails: tuple[str, ...]


_OPENAI: Final = _Home(
    "https://api.openai.com/v1", "OPENAI_BASE_URL", ("OPENAI_API_KEY",), ("/chat/completions", "/responses")
)
_ANTHROPIC: Final = _Home(
    "https://api.anthropic.com",
    "ANTHROPIC_BASE_URL",
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    ("/messages", "/v1"),
)

# What the harness itself decides in each request.
_RESERVED: Final = (
    "model",
    "messages",
    "input",
    "system",
    "instructions",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "stream",
    "stream_options",
    "n",
    "background",
    "conversation",
    "previous_response_id",
)


def _home(protocol: str) -> _Home:
    return _ANTHROPIC if protocol == "anthropic" else _OPENAI


def server_url(base_url: str, protocol: str) -> str:
    """Return the base URL of a model server, however a user wrote it; the protocol's own where there is none.

    Raises:
        UsageError: it is no http(s) URL, or has a query, after which no path of a request can stand.
    """
    home = _home(protocol)
    url = (base_url or os.environ.get(home.url_var, "") or home.url).strip().rstrip("/")
    for tail in home.tails:
        url = url.removesuffix(tail).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(char.isspace() for char in url):
        raise UsageError("--model-base-url is no http(s) URL; write it like http://127.0.0.1:8000/v1")
    if "?" in url or "#" in url:
        raise UsageError(
            "--model-base-url has a query or fragment; leave it out, and give what requests need as model parameter "
            'extra_query, such as --model-params \'{"extra_query": {"api-version": "1"}}\''
        )
    return url


def key_to_send(api_key: str, base_url: str, protocol: str) -> str:
    """Return the key for a server. The environment's own key goes to the server that it belongs to, to no other.

    Raises:
        UsageError: no request could carry it.
    """
    own = "" if base_url else next(filter(None, map(os.environ.get, _home(protocol).key_vars)), "")
    return checked_key((api_key or own).strip() or _NO_KEY, "the model's API key")


def checked_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model parameters that go into requests; null values are left out.

    Raises:
        UsageError: a parameter that the harness itself decides, one that no request can carry, an output limit that is
            no whole number or that is given twice, or a `timeout` that is no number of seconds.
    """
    given = {name: value for name, value in params.items() if value is not None}
    for name in ("extra_body", "extra_headers", "extra_query"):
        if not isinstance(given.get(name, {}), Mapping):
            raise UsageError(f"model parameter {name!r} must be a mapping")
    for name, value in given.get("extra_headers", {}).items():
        if not (isinstance(value, str) and name and fits_header(name) and fits_header(value)):
            raise UsageError(f"model parameter 'extra_headers': {name!r} must be text that a header can carry")
    for name, value in given.items():
        if not _is_json(value):
            raise UsageError(f"model parameter {name!r} holds what JSON cannot say, such as NaN")
    reserved = [name for name in _RESERVED if name in given or name in given.get("extra_body", {})]
    if reserved:
        raise UsageError(f"model parameter {reserved[0]!r} is set by the harness coding_agent itself; leave it out")
    _check_output_limit(request_params(given))
    timeout = given.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise UsageError(f"model parameter 'timeout' is {timeout!r}; allowed: seconds for one request, more than 0")
    return given


def _check_output_limit(params: Mapping[str, Any]) -> None:
    """Check what the cost cap and the names of the protocols rest on: one number, however it is spelled."""
    limits = {name: params[name] for name in LIMITS if params.get(name) is not None}
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"model parameter {name!r} is {value!r}; allowed: a whole number of tokens")
    if len(set(limits.values())) > 1:
        told = " and ".join(f"{name} {value}" for name, value in limits.items())
        raise UsageError(f"model parameter {next(iter(limits))!r} is there twice: {told} mean the same; leave one out")


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True
