"""Reads token usage in the dialects of model servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.records import Usage

# More than any request has: what counts higher does not count tokens.
_MOST_TOKENS: Final = 10**9
_CACHE_READ: Final = "cache_read_input_tokens"
_CACHE_WRITTEN: Final = "cache_creation_input_tokens"


def read_usage(raw: object) -> Usage | None:
    """Return the usage in a response's ``usage`` object; None where it is missing or makes no sense. Never raises.

    Read are the names of Chat Completions and of Responses, numbers as strings, cache hits as OpenAI, DeepSeek and
    LiteLLM give them. Cached tokens are part of the input and never more, reasoning tokens are part of the output: also
    where a server counts either apart, or does not name its reasoning at all, as its total shows.
    """
    if not isinstance(raw, Mapping):
        return None
    total = _count(raw.get("total_tokens"))
    prompt = _first(raw, "prompt_tokens", "input_tokens")
    completion = _first(raw, "completion_tokens", "output_tokens")
    if total is not None:
        if prompt is None and completion is not None:
            prompt = total - completion
        elif completion is None and prompt is not None:
            completion = total - prompt
    # No request has an empty prompt: a server that counts none does not count.
    if prompt is None or completion is None or prompt <= 0 or completion < 0:
        return None
    details_in = _details(raw, "prompt_tokens_details", "input_tokens_details")
    details_out = _details(raw, "completion_tokens_details", "output_tokens_details")
    cached = _first(details_in, "cached_tokens", "cache_read_tokens")
    if cached is None:
        cached = _first(raw, "prompt_cache_hit_tokens", "cached_tokens", _CACHE_READ) or 0
    written = _first(details_in, "cache_write_tokens", "cache_creation_tokens")
    if written is None:
        written = _first(raw, _CACHE_WRITTEN) or 0
    reasoning = _first(details_out, "reasoning_tokens")
    apart = max(0, (total or 0) - prompt - completion)
    if apart and apart == cached + written:
        prompt += apart
    elif apart and reasoning in (None, apart):
        completion += apart
        reasoning = apart
    cached = min(cached, prompt)
    return Usage(
        input=prompt,
        cached_input=cached,
        cache_write=min(written, prompt - cached),
        output=completion,
        reasoning=min(reasoning or 0, completion),
    )


def read_messages_usage(raw: object) -> Usage | None:
    """Return the usage in a response of the Messages protocol; None where it is missing or makes no sense.

    Never raises. There, tokens that were read from the prompt cache or written to it are counted apart from the input.
    """
    if not isinstance(raw, Mapping):
        return None
    fresh = _count(raw.get("input_tokens"))
    output = _count(raw.get("output_tokens"))
    cached = _count(raw.get(_CACHE_READ)) or 0
    written = _count(raw.get(_CACHE_WRITTEN)) or 0
    if fresh is None or output is None or fresh + cached + written <= 0:
        return None
    reasoning = _count(_details(raw, "output_tokens_details").get("thinking_tokens")) or 0
    return Usage(
        input=fresh + cached + written,
        cached_input=cached,
        cache_write=written,
        output=output,
        reasoning=min(reasoning, output),
    )


def _details(raw: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return next((raw[name] for name in names if isinstance(raw.get(name), Mapping)), {})


def _first(raw: Mapping[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := _count(raw.get(name))) is not None), None)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        count = int(value)
    except (ValueError, OverflowError):
        return None
    return count if 0 <= count <= _MOST_TOKENS else None
