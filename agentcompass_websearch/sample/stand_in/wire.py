"""What all protocols of the stand-in share: its name, its token estimate, its error, and names of calls."""

from __future__ import annotations

import re
from typing import Any, Final

from agentcompass_websearch.sample.stand_in.mood import Mood

MODEL: Final = "scripted-stand-in"
OWNER: Final = "agentcompass-websearch (a scripted program, not a language model)"
FINGERPRINT: Final = "scripted-stand-in (not a language model)"
CHARS_PER_TOKEN: Final = 4

_CALL = re.compile(r"call_([0-9a-f]{10})_\d+\Z")


class BadRequest(Exception):
    """A request that gets an error in place of an answer; the message says why, `status` is HTTP's.

    `param` names the part of the request that is refused, `code` is a word for programs, `retry_after_s` a header.
    """

    def __init__(
        self,
        message: str,
        status: int = 400,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code
        self.retry_after_s = retry_after_s


def openai_error(error: BadRequest) -> dict[str, Any]:
    """Return the body of a refusal in the form of OpenAI's protocols."""
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(error.status)
    kind = kind or ("invalid_request_error" if error.status < 500 else "server_error")
    return {"error": {"message": str(error), "type": kind, "param": error.param, "code": error.code}}


def tokens(text: str) -> int:
    """Return the estimated tokens of `text`: four characters each, rounded up. There is no tokenizer behind it."""
    return -(-len(text) // CHARS_PER_TOKEN)


def call_id(mood: Mood, number: int) -> str:
    """Return the id of a conversation's tool call. It carries the conversation's name to its later turns."""
    return f"call_{mood.name}_{number + 1}"


def mood_of_call(identity: Any) -> Mood | None:
    """Return the mood of the conversation in which `identity` was given to a call, None if another program gave it."""
    match = _CALL.match(identity) if isinstance(identity, str) else None
    return Mood(match[1]) if match else None
