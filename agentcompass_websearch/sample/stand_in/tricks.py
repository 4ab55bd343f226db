"""The ways in which model servers go wrong, by name, for runs that ask for them.

A trick refuses the request, changes what the model says, or spoils the reply on its way. One that does not apply (an
odd id in a turn without calls, a refusal of a parameter that is not there) leaves everything as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from agentcompass_websearch.sample.stand_in.utterance import Called, Utterance
from agentcompass_websearch.sample.stand_in.wire import BadRequest

HANG_S: Final = 3600.0
MANY_CALLS: Final = 12
_PAGE: Final = b"<!doctype html><html><head><title>Gateway</title></head><body><h1>It works</h1></body></html>"
_GARBAGE: Final = "\x00\x07\x1b\x9f\ud835\u202e"
_THOUGHT: Final = "A scripted program has no thoughts; this sentence stands for one."


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent: after `wait_s`, half of the body with `half`, and not even a status with `silent`."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    wait_s: float = 0.0
    half: bool = False
    silent: bool = False


def _seconds(value: str, default: float) -> float:
    try:
        seconds = float(value) if value else default
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= HANG_S:
        raise ValueError(f"{value} is not a number of seconds from 0 to {HANG_S:.0f}")
    return seconds


type Refuse = Callable[[str, Mapping[str, Any]], BadRequest | None]
type Change = Callable[[Utterance], Utterance]
type Spoil = Callable[[str, Reply], Reply]


def _parameter(name: str, body: Mapping[str, Any]) -> BadRequest | None:
    name = name or "temperature"
    refusal = BadRequest(f"Unsupported parameter: '{name}' is not supported with this model.", param=name)
    return refusal if name in body else None


_KEYS: Final = {"role", "content", "tool_calls", "tool_call_id"}
_ROLES: Final = ("system", "user", "assistant", "tool")


def _too_wide(_: str, body: Mapping[str, Any]) -> BadRequest | None:
    """Return the refusal of a server that takes no message but those of the first days, and parses no unasked call."""
    messages = body.get("messages") or ()
    fits = all(m.get("role") in _ROLES and m.get("content") is not None and _KEYS.issuperset(m) for m in messages)
    if fits and ("tools" in body) == ("tool_choice" in body):
        return None
    return BadRequest("Internal server error: the chat template failed", 500)


REFUSALS: Final[Mapping[str, tuple[str, Refuse]]] = {
    "429": (
        "429 with Retry-After: SECONDS (429:SECONDS, 1)",
        lambda value, _: BadRequest("Rate limit reached, slow down", 429, retry_after_s=_seconds(value, 1.0)),
    ),
    "500": ("500", lambda _, __: BadRequest("The server had an error while processing your request", 500)),
    "503": ("503", lambda _, __: BadRequest("The server is overloaded", 503)),
    "401": ("401, as for a wrong key", lambda _, __: BadRequest("Incorrect API key provided", 401)),
    "refuse": (
        "400 that names a parameter, if the request has it (refuse:NAME, temperature)",
        _parameter,
    ),
    "narrow": (
        "500 to messages with null content, other keys or roles, and to tools without tool_choice",
        _too_wide,
    ),
    "overflow": (
        "400: the conversation is longer than the context",
        lambda _, __: BadRequest("This model's maximum context length is 8 tokens", code="context_length_exceeded"),
    ),
    "no-tools": (
        "400: the model cannot call tools, if some are offered",
        lambda _, body: BadRequest("This model does not support tools") if body.get("tools") else None,
    ),
}


def _each_call(change: Callable[[Called], Called]) -> Change:
    return lambda said: replace(said, calls=tuple(map(change, said.calls)))


def _arguments(change: Callable[[str], Any]) -> Change:
    return _each_call(lambda one: replace(one, arguments=change(one.arguments)))


def _odd_ids(said: Utterance) -> Utterance:
    ids = [(one, call_id) for one in said.calls for call_id in (one.name, one.name, None)]
    return replace(said, calls=tuple(replace(one, call_id=call_id) for one, call_id in ids))


def _many(said: Utterance) -> Utterance:
    ids = [(one, f"{one.call_id}{n}") for one in said.calls for n in range(MANY_CALLS)]
    return replace(said, calls=tuple(replace(one, call_id=call_id) for one, call_id in ids))


def _as_text(said: Utterance) -> Utterance:
    if not said.calls:
        return said
    made = {"name": said.calls[0].name, "arguments": json.loads(said.calls[0].arguments)}
    return Utterance((f"<tool_call>{json.dumps(made)}</tool_call>",))


def _half(text: str) -> str:
    return text[: len(text) // 2]


def _at_the_limit(said: Utterance) -> Utterance:
    calls = tuple(replace(one, arguments=_half(one.arguments)) for one in said.calls)
    return replace(said, texts=tuple(map(_half, said.texts)), calls=calls, end="cut")


def _in_parts(said: Utterance) -> Utterance:
    parts = tuple(part for text in said.texts for part in (_half(text), text[len(text) // 2 :]))
    return replace(said, texts=parts) if all(map(str.strip, parts)) else said


def _from_cache(said: Utterance) -> Utterance:
    return replace(said, cached=0.5)


def _garbled(said: Utterance) -> Utterance:
    calls = tuple(replace(one, call_id=f"{one.call_id}{_GARBAGE}") for one in said.calls)
    return replace(said, texts=tuple(text + _GARBAGE for text in said.texts or ("",)), calls=calls)


CHANGES: Final[Mapping[str, tuple[str, Change]]] = {
    "empty": ("a turn with neither text nor call", lambda _: Utterance()),
    "ids": ("a call three times, twice with one id and once with none", _odd_ids),
    "many-calls": (f"a call {MANY_CALLS} times, beyond any budget", _many),
    "unknown-tool": ("a tool that does not exist", _each_call(lambda one: replace(one, name="browser.open"))),
    "arguments-cut": ("arguments that end in the middle", _arguments(_half)),
    "arguments-list": ("arguments that are a list", _arguments(lambda text: json.dumps([text]))),
    "arguments-none": ("no arguments", _arguments(lambda _: None)),
    "arguments-object": ("arguments as an object in place of text", _arguments(json.loads)),
    "arguments-twice": ("arguments that are encoded twice", _arguments(json.dumps)),
    "legacy-call": (
        "a function_call of another name beside each call (Chat Completions)",
        lambda said: replace(said, legacy=bool(said.calls)),
    ),
    "text-call": ("a call that is written as text", _as_text),
    "length": ("half a turn, cut at the output limit", _at_the_limit),
    "parts": ("an answer in several parts", _in_parts),
    "refusal": ("a refusal", lambda _: Utterance(("I will not do that.",), end="refused")),
    "thinking": ("reasoning, which has to come back unchanged", lambda said: replace(said, thought=_THOUGHT)),
    "garbage": ("control characters and lone surrogates in texts and ids", _garbled),
    "usage-cached": (
        "half of the prompt out of the cache, as the protocol counts it",
        _from_cache,
    ),
    "usage-text": ("token counts that are text", lambda said: replace(said, usage="text")),
    "usage-none": ("no token counts", lambda said: replace(said, usage="none")),
}


def _error_in_answer(reply: Reply) -> bytes:
    error = {"error": {"code": 502, "type": "api_error", "message": "the upstream server is unavailable"}}
    return json.dumps(error | {"choices": None, "output": None, "content": None}).encode()


SPOILS: Final[Mapping[str, tuple[str, Spoil]]] = {
    "hang": (
        "nothing for SECONDS, then the end of the connection (hang:SECONDS, 3600)",
        lambda value, reply: replace(reply, wait_s=_seconds(value, HANG_S), silent=True),
    ),
    "slow": (
        "the answer after SECONDS (slow:SECONDS, 1)",
        lambda value, reply: replace(reply, wait_s=_seconds(value, 1.0)),
    ),
    "drop": ("the end of the connection", lambda _, reply: replace(reply, silent=True)),
    "cut": ("half of the body, then the end of the connection", lambda _, reply: replace(reply, half=True)),
    "cut-json": (
        "a complete reply whose JSON ends in the middle",
        lambda _, reply: replace(reply, body=reply.body[: len(reply.body) // 2]),
    ),
    "html": (
        "a web page in place of JSON, as at a wrong address",
        lambda _, reply: replace(reply, body=_PAGE, headers={"Content-Type": "text/html"}),
    ),
    "error-200": ("an error inside a 200", lambda _, reply: replace(reply, body=_error_in_answer(reply))),
}

NAMES: Final = (*REFUSALS, *CHANGES, *SPOILS)


def about(name: str) -> str:
    """Return what a trick does, in words."""
    for table in (REFUSALS, CHANGES, SPOILS):
        if name in table:
            return str(table[name][0])
    raise KeyError(name)
