"""Requests to a model server by its SDK, one at a time: no retries, and no exception of an SDK gets out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failure_reading import (
    failure_of_exception,
    failure_of_status,
)
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.http_client import shared_http_client
from agentcompass_websearch.harnesses.coding_agent.session import Opening
from agentcompass_websearch.tools.retry_after import retry_after_s
from agentcompass_websearch.tools.wire import HttpReply

_CONNECT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Wire:
    """The way to one server with one key. `client` is an SDK's, `timeout` its class of that name."""

    client: Any
    timeout: Callable[..., Any]
    headers: Mapping[str, str]
    query: Mapping[str, object]
    tidy: Callable[[str], str]

    async def post(self, path: str, body: Mapping[str, Any], timeout_s: float) -> bytes:
        """Send one request and return the body of its 2xx response.

        Raises:
            ModelFailure: anything else happened. Nothing is chained to it: an exception of the SDK may quote what the
                server said, and with it a key.
        """
        options = {
            "timeout": self.timeout(timeout_s, connect=min(timeout_s, _CONNECT_S), pool=None),
            "headers": self.headers,
            "params": self.query,
        }
        try:
            return bytes(await self.client.post(path, cast_to=bytes, body=body, options=options))
        except (ValueError, TypeError) as error:
            # A key that no header can carry, a parameter that JSON cannot.
            failure = ModelFailure(Fault.UNSENDABLE, self.tidy(f"the request cannot be sent: {error}"))
        except Exception as error:  # noqa: BLE001 - whatever an SDK or its copy of httpx raises
            response = getattr(error, "response", None)
            failure = failure_of_exception(error, self.tidy) if response is None else self._failure_of(response)
        raise failure

    def _failure_of(self, response: Any) -> ModelFailure:
        asked = HttpReply(response.status_code, response.headers, response.content)
        return failure_of_status(response.status_code, response.text, self.tidy, retry_after_s(asked))


async def open_openai(base_url: str, opening: Opening) -> Wire:
    """Open the way to a server that speaks a protocol of OpenAI, in the running event loop; nothing is sent yet."""
    import openai  # late: it takes half a second

    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key=opening.api_key,
        max_retries=0,
        http_client=await shared_http_client(openai.DefaultAsyncHttpxClient, base_url),
    )
    return _wire(client, openai.Timeout, opening, {})


async def open_anthropic(base_url: str, opening: Opening, headers: Mapping[str, str]) -> Wire:
    """Open the way to a server that speaks Anthropic's protocol, in the running event loop; nothing is sent yet.

    The user's own ``extra_headers`` come before `headers`.
    """
    import anthropic  # late: it takes most of a second

    client = anthropic.AsyncAnthropic(
        base_url=base_url,
        api_key=opening.api_key,
        max_retries=0,
        http_client=await shared_http_client(anthropic.DefaultAsyncHttpxClient, base_url),
    )
    return _wire(client, anthropic.Timeout, opening, headers)


def _wire(client: Any, timeout: Callable[..., Any], opening: Opening, headers: Mapping[str, str]) -> Wire:
    own = opening.params.get("extra_headers") or {}
    return Wire(client, timeout, {**headers, **own}, opening.params.get("extra_query") or {}, opening.tidy)
