"""What passes between a vendor file and the transport: a request, a reply, the answer read from it, or a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import httpx

from agentcompass_websearch.text import clean, one_line
from agentcompass_websearch.tools.charset import decode
from agentcompass_websearch.tools.contract import ErrorKind

_PREVIEW_CHARS: Final = 200
_TAG: Final = re.compile(r"<(?:script|style)\b[^<]{0,2000}</(?:script|style)>|<[^<>]{0,500}>", re.IGNORECASE)
_TEXTUAL: Final = re.compile(r"^(?:text/|application/(?:\S+\+)?(?:json|xml|javascript|xhtml\+xml|x-ndjson|yaml)\b)")
_BODY_IDS: Final = (
    *("requestId", "request_id", "search_id", "extract_id", "search_uuid", "ref_id", "tx_id", "task_id", "id"),
)
_BODY_PARTS: Final = ("error", "metadata", "search_metadata", "meta")
_HEADER_IDS: Final = ("x-request-id", "x-parallel-request-id", "request-id")
_EDGE_IDS: Final = ("cf-ray", "fly-request-id")


def _parsed(source: bytes | str) -> tuple[bool, Any]:
    try:
        return True, json.loads(source)
    except (ValueError, RecursionError):
        return False, None


def in_short(text: str) -> str:
    """Return the first 200 characters of `text` in one line, without tags."""
    return one_line(_TAG.sub(" ", text))[:_PREVIEW_CHARS]


class Fault(Exception):
    """Raised inside a call where it fails, by transport, builder or parser; the client turns it into a VendorError.

    `status` is HTTP's, or the page's own. `reported_usd` is what the vendor says that it charged all the same.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        billed: bool | None = None,
        reported_usd: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s
        self.billed = billed
        self.reported_usd = reported_usd


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request. A vendor file gives `url` as a path under the endpoint's base URL (``/search``).

    At most one of `json`, `form` and `content` is the body. `timeout_s` is for one try as a whole, from connecting to
    the last byte.
    """

    method: str
    url: str
    json: Any = None
    params: Mapping[str, Any] | None = None
    form: Mapping[str, Any] | None = None
    content: str | bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 60.0


@dataclass(frozen=True)
class HttpReply:
    """One HTTP reply. `body` is decompressed and at most as long as the transport allows (`truncated` if cut there)."""

    status: int
    headers: httpx.Headers
    body: bytes
    truncated: bool = False

    @cached_property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return str(self.headers.get("content-type", "")).split(";")[0].strip().lower()

    @cached_property
    def text(self) -> str:
        """The body as text (see `agentcompass_websearch.tools.charset`), with a mark where it was cut off."""
        text = decode(self.body, self.headers.get("content-type", ""))
        return text + "\n[truncated: the answer was too long]" if self.truncated else text

    @property
    def is_text(self) -> bool:
        """Whether the body is text for a reader, not a PDF, an image or other bytes."""
        if self.body.startswith(b"%PDF-") or b"\0" in self.body[:1024]:
            return False
        return not self.content_type or bool(_TEXTUAL.match(self.content_type))

    @cached_property
    def preview(self) -> str:
        """The first 200 characters of the body in one line, without tags."""
        return in_short(decode(self.body[:4000], self.headers.get("content-type", "")))

    @cached_property
    def _decoded(self) -> tuple[bool, Any]:
        """Whether the body is JSON, and its value. JSON is in UTF-8 (RFC 8259, section 8.1), whatever a header says."""
        if self.truncated or not self.body:
            return False, None
        in_utf8 = _parsed(self.body)
        return in_utf8 if in_utf8[0] else _parsed(self.text)

    @property
    def json_or_none(self) -> Any:
        """The body as JSON values, None where it is none."""
        return self._decoded[1]

    def json(self) -> Any:
        """The body as JSON values.

        Raises:
            Fault: UNREADABLE; it says in short what came instead.
        """
        is_json, value = self._decoded
        if not is_json:
            raise Fault(ErrorKind.UNREADABLE, f"HTTP {self.status}: {self._what_instead()}", status=self.status)
        return value

    def json_object(self) -> dict[str, Any]:
        """The body as a JSON object.

        Raises:
            Fault: UNREADABLE.
        """
        value = self.json()
        if not isinstance(value, dict):
            raise Fault(
                ErrorKind.UNREADABLE,
                f"HTTP {self.status}: expected a JSON object, got {type(value).__name__}",
                status=self.status,
            )
        return value

    @property
    def is_html(self) -> bool:
        """Whether a web page came, by its type or its first character."""
        return "html" in self.content_type or self.body[:200].lstrip()[:1] == b"<"

    def _what_instead(self) -> str:
        if self.truncated:
            return f"answer longer than {len(self.body):,} bytes"
        if not self.body.strip():
            return "empty answer"
        what = "a web page" if self.is_html else "text that is not (complete) JSON"
        return f"expected JSON, got {what}: {self.preview}"

    @cached_property
    def request_id(self) -> str | None:
        """The vendor's id of this request, from its headers, its body, or else the edge's headers."""
        body = self.json_or_none if isinstance(self.json_or_none, dict) else {}
        parts = [body, *(part for name in _BODY_PARTS if isinstance(part := body.get(name), dict))]
        candidates = [
            *(self.headers.get(name) for name in _HEADER_IDS),
            *(part.get(name) for part in parts for name in _BODY_IDS),
            *(self.headers.get(name) for name in _EDGE_IDS),
        ]
        return next((clean(c)[:200] for c in candidates if isinstance(c, str) and c.strip()), None)


@dataclass(frozen=True, slots=True)
class Answer[T]:
    """What a parser read from a reply: the value, and what the vendor says of cost where it does (US dollars)."""

    value: T
    reported_usd: float | None = None
    billed: bool | None = None
    notes: tuple[str, ...] = ()
