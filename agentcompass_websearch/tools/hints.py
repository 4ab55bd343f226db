"""What vendors write to developers beside their answers: kept for the log, never shown to the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_FIELDS: Final = ("agent_hints", "notices", "warnings", "warning", "next_actions", "upgrade_url")
_PARTS: Final = ("data", "error")
_MAX_CHARS: Final = 500


def hints(body: Any) -> Iterator[str]:
    """Yield one line of text for each such field of a reply, at its top level or under ``data`` or ``error``."""
    if not isinstance(body, dict):
        return
    for part in (body, *(body.get(name) for name in _PARTS)):
        if isinstance(part, dict):
            for name in _FIELDS:
                if part.get(name):
                    yield f"{name}: {json.dumps(part[name])[:_MAX_CHARS]}"
