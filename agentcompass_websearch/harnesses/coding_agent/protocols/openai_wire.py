"""Requests to OpenAI-compatible servers by the SDK, one at a time: no retries, and no exception of its own gets out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, cast

import httpx
import openai

from agentcompass_websearch.harnesses.coding_agent.protocols.failures import (
    Fault,
    ModelFailure,
    failure_of_exception,
    failure_of_status,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.http_client import shared_http_client
from agentcompass_websearch.harnesses.coding_agent.session import Opening
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.wire import HttpReply

_CONNECT_S: Final = 30.0
_RAW: Final = cast(Any, httpx.Response)
# Model parameters that do not go into the request body under their own name.
_OWN_PARAMS: Final = frozenset({"extra_headers", "extra_query", "extra_body", "max_output_tokens", "timeout"})


def body_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model parameters that go into a request's body as they are."""
    return {k: v for k, v in params.items() if k not in _OWN_PARAMS} | dict(params.get("extra_body") or {})


@dataclass(frozen=True, slots=True)
class OpenAIWire:
    """The way to one server with one key."""

    client: openai.AsyncOpenAI
    headers: Mapping[str, str]
    query: Mapping[str, object]
    tidy: Callable[[str], str]

    @classmethod
    async def open(cls, base_url: str, opening: Opening) -> Self:
        """Open the way for a conversation in the running event loop; nothing is sent yet."""
        client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=opening.api_key,
            max_retries=0,
            http_client=cast(Any, await shared_http_client()),
        )
        headers = opening.params.get("extra_headers") or {}
        return cls(client, headers, opening.params.get("extra_query") or {}, opening.tidy)

    async def post(self, path: str, body: Mapping[str, Any], timeout_s: float) -> bytes:
        """Send one request and return the body of its 2xx response.

        Raises:
            ModelFailure: anything else happened. Nothing is chained to it: an exception of the SDK may quote what the
                server said, and with it a key.
        """
        options: dict[str, Any] = {
            "timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S), pool=None),
            "headers": self.headers,
            "params": self.query,
        }
        try:
            response: Any = await self.client.post(path, cast_to=_RAW, body=body, options=cast(Any, options))
        except openai.APIStatusError as error:
            failure = self._failure_of(error.response)
        except (openai.OpenAIError, httpx.HTTPError) as error:
            failure = failure_of_exception(error, self.tidy)
        except (ValueError, TypeError) as error:
            # A key that no header can carry, a parameter that JSON cannot.
            failure = ModelFailure(Fault.UNSENDABLE, self.tidy(f"the request cannot be sent: {error}"))
        else:
            return bytes(response.content)
        raise failure

    def _failure_of(self, response: Any) -> ModelFailure:
        asked = HttpReply(response.status_code, response.headers, response.content)
        return failure_of_status(response.status_code, response.text, self.tidy, retry_after_s(asked))
