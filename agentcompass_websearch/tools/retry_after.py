"""How long a vendor asks us to wait before the next try; reads anything, never raises."""

from __future__ import annotations

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final

from agentcompass_websearch.tools.wire import HttpReply

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_BODY_NAMES: Final = {"retry_after": 1.0, "retryAfter": 1.0, "retry_after_seconds": 1.0, "retry_after_ms": 0.001}
# X-RateLimit-Reset holds seconds from now with some vendors, a Unix time with others.
_UNIX_TIME_FROM: Final = 1e9


def retry_after_s(reply: HttpReply, *, now: float | None = None) -> float | None:
    """Return the seconds that the vendor asks us to wait, 0 or more, not capped; None where it asks for nothing usable.

    Read are ``retry-after-ms``, ``Retry-After`` (seconds, fractions, HTTP date), the body's ``retry_after``,
    ``retryAfter``, ``retry_after_seconds`` and ``retry_after_ms`` (top level or under ``error``), of which the longest
    counts; else, of a 429, the first window of ``X-RateLimit-Reset``, which others have without a meaning for them.
    Negative numbers, NaN and words count as absent.
    """
    now = time.time() if now is None else now
    asked = [
        _number(reply.headers.get("retry-after-ms"), 0.001),
        _number(reply.headers.get("retry-after")),
        _date(reply.headers.get("retry-after"), now),
        *_in_body(reply.json_or_none),
    ]
    usable = [seconds for seconds in asked if seconds is not None]
    if usable:
        return max(usable)
    return _reset(reply.headers.get("x-ratelimit-reset"), now) if reply.status == 429 else None


def _number(value: Any, unit_s: float = 1.0) -> float | None:
    """Return a plain decimal number as seconds. ``float`` of thousands of digits is infinite; ``int`` would raise."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        text = str(value).strip()
    except ValueError:
        return None
    return float(text) * unit_s if _NUMBER.fullmatch(text) else None


def _date(value: str | None, now: float) -> float | None:
    if not value or len(value) > 64 or _NUMBER.fullmatch(value.strip()):
        return None
    try:
        moment = parsedate_to_datetime(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _in_body(body: Any) -> list[float | None]:
    if not isinstance(body, dict):
        return []
    places = [body, body["error"]] if isinstance(body.get("error"), dict) else [body]
    return [_number(place.get(name), unit_s) for place in places for name, unit_s in _BODY_NAMES.items()]


def _reset(value: str | None, now: float) -> float | None:
    first = _number((value or "").split(",")[0])
    if first is None:
        return None
    return max(0.0, first - now) if first >= _UNIX_TIME_FROM else first
