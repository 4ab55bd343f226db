"""Signs what the stand-in thinks, as servers do that want it back unchanged."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from agentcompass_websearch.sample.stand_in.wire import BadRequest


def signature(thought: str) -> str:
    """Return the signature of a thought."""
    digest = blake2b(thought.encode("utf-8", "replace"), digest_size=12, person=b"stand-in").digest()
    return base64.b64encode(digest).decode()


def check_signed(thoughts: Iterable[tuple[Any, Any]]) -> None:
    """Check thoughts that came back, each with its signature; those of others have none.

    Raises:
        BadRequest: one is not as it was.
    """
    for thought, signed in thoughts:
        if signed and signed != signature(str(thought)):
            raise BadRequest("reasoning has to come back as it was: its signature does not fit")
