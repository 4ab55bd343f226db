"""The model under test as an attempt calls it: address, key and parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.errors import UsageError

_OPENAI_URL: Final = "https://api.openai.com/v1"
_OPERATION_PATHS: Final = ("/chat/completions", "/responses", "/messages")
_NO_KEY: Final = "not-set"
# What the harness itself decides in each request.
_RESERVED: Final = (
    "model",
    "messages",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "stream",
    "stream_options",
    "n",
)


def server_url(base_url: str) -> str:
    """Return the base URL of a model server, however a user wrote it; OpenAI's own where there is none.

    Raises:
        UsageError: it is no http(s) URL.
    """
    url = (base_url or os.environ.get("OPENAI_BASE_URL", "") or _OPENAI_URL).strip().rstrip("/")
    for path in _OPERATION_PATHS:
        url = url.removesuffix(path)
    try:
        usable = urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).hostname)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("--model-base-url is no http(s) URL; write it like http://127.0.0.1:8000/v1")
    return url.rstrip("/")


def key_to_send(api_key: str, base_url: str) -> str:
    """Return the key for a server. The environment's own key goes to the server that it belongs to, to no other."""
    return api_key or ("" if base_url else os.environ.get("OPENAI_API_KEY", "")) or _NO_KEY


def checked_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model parameters that go into requests; null values are left out.

    Raises:
        UsageError: a parameter that the harness itself decides, or a `timeout` that is no number of seconds.
    """
    given = {name: value for name, value in params.items() if value is not None}
    reserved = [name for name in _RESERVED if name in given]
    if reserved:
        raise UsageError(f"model parameter {reserved[0]!r} is set by the harness coding_agent itself; leave it out")
    timeout = given.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise UsageError(f"model parameter 'timeout' is {timeout!r}; allowed: seconds for one request, more than 0")
    for name in ("extra_body", "extra_headers", "extra_query"):
        if not isinstance(given.get(name, {}), Mapping):
            raise UsageError(f"model parameter {name!r} must be a mapping")
    return given
