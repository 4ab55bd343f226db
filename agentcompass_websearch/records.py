"""What passes between the rooms: hits, pages, evidence, and the telemetry of an attempt.

Harness and benchmark write these, judge and boards read them. All are immutable, JSON-clean and versioned by `SCHEMA`.
The host drops empty values from what it stores and masks values by key name (``*_token``, ``*_key``, ``headers``, ...),
so an absent field reads as empty and no field here bears such a name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

SCHEMA: Final = 1

Operation = Literal["search", "fetch"]
Board = Literal["search-only", "search-fetch", "no-search"]

WEB_SEARCH: Final = "web_search"
WEB_FETCH: Final = "web_fetch"


def board_of(tools: Iterable[str]) -> Board:
    """Return the board that a tool set belongs to: ``[web_search]``, ``[web_search, web_fetch]`` or none."""
    names = set(tools)
    if WEB_FETCH in names:
        return "search-fetch"
    return "search-only" if WEB_SEARCH in names else "no-search"


class Hit(msgspec.Struct, frozen=True):
    """One search result as the model saw it."""

    url: str
    title: str = ""
    snippet: str = ""


class Page(msgspec.Struct, frozen=True):
    """One fetched page. `final_url` is where redirects ended, `status` that of the page itself where known."""

    url: str
    final_url: str = ""
    title: str = ""
    content: str = ""
    status: int | None = None


class Search(msgspec.Struct, frozen=True):
    """Evidence of one search: what came back, or why nothing did. `n` counts the searches of the attempt from 1."""

    query: str
    hits: tuple[Hit, ...] = ()
    error: str | None = None
    call_id: str = ""
    n: int = 0


class Fetch(msgspec.Struct, frozen=True):
    """Evidence of one fetch. It succeeded if there is no error, a 2xx status where known, and a non-blank character."""

    url: str
    final_url: str | None = None
    title: str = ""
    content: str = ""
    error: str | None = None
    status: int | None = None
    call_id: str = ""
    n: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether the page really came back, so that it can ground a citation."""
        ok_status = self.status is None or 200 <= self.status < 300
        return self.error is None and ok_status and bool(self.content.strip())


EvidenceKind = Literal["structured", "text", "none"]


class Evidence(msgspec.Struct, frozen=True):
    """All that the tools returned in one attempt. `kind` says how it was read (a board never mixes the two)."""

    searches: tuple[Search, ...] = ()
    fetches: tuple[Fetch, ...] = ()
    kind: EvidenceKind = "structured"


class CallRecord(msgspec.Struct, frozen=True):
    """One tool call of an attempt, as it was billed and timed. Seconds are wall clock, prices US dollars.

    `service_s` is the time at the vendor in the try that counted, `queue_s` the wait in our own limiter, `backoff_s`
    the wait between tries. A call that never reached the vendor has `billed` false and no times.
    """

    call_id: str
    op: Operation
    vendor_id: str
    turn: int
    n: int
    ok: bool
    error_kind: str | None = None
    status: int | None = None
    service_s: float | None = None
    queue_s: float = 0.0
    backoff_s: float = 0.0
    tries: int = 0
    n_hits: int = 0
    chars: int = 0
    list_usd: float | None = None
    reported_usd: float | None = None
    billed: bool | None = None
    replayed: bool = False
    request_id: str | None = None


class Usage(msgspec.Struct, frozen=True):
    """Model tokens. `input` includes cached and cache-write tokens, `output` includes reasoning tokens."""

    input: int = 0
    cached_input: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """Prompt plus completion tokens."""
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cached_input + other.cached_input,
            self.cache_write + other.cache_write,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )


class ModelCall(msgspec.Struct, frozen=True):
    """One request to the model. Unknown usage and unknown cost are None, never zero."""

    turn: int
    seconds: float
    usage: Usage | None = None
    usd: float | None = None
    stop: str = ""
    tries: int = 1


Stop = Literal["answer", "empty_answer", "max_turns", "deadline", "budget", "model_error", "vendor_error", "cancelled"]


class AttemptTelemetry(msgspec.Struct, frozen=True):
    """``telemetry.websearch`` of a result: everything about an attempt that is neither trajectory nor verdict.

    `usage`, `model_usd` and `tool_usd` are None when any part of them is unknown. `vendor` holds id, options, caps and
    whatever else of the tools decides a result (it enters the fingerprint); `facts` holds what a fair comparison must
    know of the vendor besides (it does not); `protocol` is the wire protocol that the model was asked over; `task_s`
    runs from the first turn to the submission, our own limiter's queue taken out.
    """

    vendor: dict[str, Any]
    limits: dict[str, int | None]
    tools: tuple[str, ...]
    calls: tuple[CallRecord, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    usage: Usage | None = None
    stop: Stop = "cancelled"
    turns: int = 0
    task_s: float = 0.0
    model_s: float = 0.0
    model_usd: float | None = None
    tool_usd: float | None = None
    notes: tuple[str, ...] = ()
    facts: dict[str, str] = {}
    protocol: str = ""
    schema: int = SCHEMA


def submission_sha(text: str) -> str:
    """Return the SHA-256 in hex by which a record names the submission that was judged."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def to_builtins(record: msgspec.Struct) -> dict[str, Any]:
    """Return `record` as JSON-clean builtins, ready for a result file."""
    data: dict[str, Any] = msgspec.to_builtins(record)
    return data


def telemetry_of(telemetry: Mapping[str, Any] | None) -> AttemptTelemetry | None:
    """Read ``telemetry.websearch`` back; None where a result has none (another harness wrote it).

    Raises:
        ValueError: the record is of a newer schema or not of this form.
    """
    raw = (telemetry or {}).get("websearch")
    if not raw:
        return None
    if not isinstance(raw, Mapping):
        raise ValueError(f"attempt record expected, got {type(raw).__name__}")
    schema = raw.get("schema", SCHEMA)
    if isinstance(schema, int) and schema > SCHEMA:
        raise ValueError(f"attempt record of schema {schema}; this version reads up to {SCHEMA}")
    return msgspec.convert({"vendor": {}, "limits": {}, "tools": (), **raw}, AttemptTelemetry)


def search_observation(search: Search, searches_left: int | None, notes: Sequence[str] = ()) -> str:
    """Return the tool reply of a search that succeeded: the JSON that the model sees and the judge reads.

    `notes` say what else the model should know of it, such as that the query was shortened.
    """
    results = [{"url": h.url, "title": h.title, "snippet": h.snippet} for h in search.hits]
    return _json({"query": search.query, "results": results, "searches_left": searches_left, "notes": notes or None})


def fetch_observation(fetch: Fetch, fetches_left: int | None, notes: Sequence[str] = ()) -> str:
    """Return the tool reply of a fetch that succeeded; `notes` as for a search."""
    body = {"url": fetch.url, "final_url": fetch.final_url or fetch.url, "title": fetch.title, "content": fetch.content}
    return _json({**body, "fetches_left": fetches_left, "notes": notes or None})


def error_observation(message: str, *, url: str | None = None) -> str:
    """Return the tool reply of a call that gave nothing."""
    return _json({"error": message} | ({"url": url} if url is not None else {}))


def evidence_from_observations(observations: Iterable[Mapping[str, Any]]) -> Evidence:
    """Read the evidence back from a trajectory's observations ``{"tool_call_id", "name", "content"}`` in order.

    Only what has the form that this module writes counts; anything else in an observation is not evidence. Never
    raises: an observation, a hit or a field of another form is as if it were not there.
    """
    searches: list[Search] = []
    fetches: list[Fetch] = []
    for item in observations:
        reply = _reply(item.get("content") if isinstance(item, Mapping) else None)
        if reply.results is None and not reply.url:
            continue
        call_id, error = _text(item.get("tool_call_id")), reply.error or None
        if reply.results is not None:
            hits = tuple([hit for hit in reply.results if hit.url])
            searches.append(Search(reply.query, hits, error, call_id, len(searches) + 1))
        else:
            fetches.append(
                Fetch(
                    url=reply.url,
                    final_url=reply.final_url or None,
                    title=reply.title,
                    content=reply.content,
                    error=error,
                    call_id=call_id,
                    n=len(fetches) + 1,
                )
            )
    return Evidence(tuple(searches), tuple(fetches))


class _Reply(msgspec.Struct, frozen=True):
    query: str = ""
    results: tuple[Hit, ...] | None = None
    url: str = ""
    final_url: str | None = None
    title: str = ""
    content: str = ""
    error: str | None = None


_decode_reply: Final = msgspec.json.Decoder(_Reply).decode


def _reply(content: object) -> _Reply:
    """Read a reply as this module writes it, or, of another form, what of it has the right form."""
    if not isinstance(content, str | bytes):
        return _Reply()
    try:
        return _decode_reply(content)
    except (ValueError, RecursionError):
        return _reply_of_another_form(content)


def _reply_of_another_form(content: str | bytes) -> _Reply:
    try:
        body = msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return _Reply()
    if not isinstance(body, dict):
        return _Reply()
    results = body.get("results")
    return _Reply(
        query=_text(body.get("query")),
        results=tuple(map(_hit, results)) if isinstance(results, list) else None,
        url=_text(body.get("url")),
        final_url=_text(body.get("final_url")) or None,
        title=_text(body.get("title")),
        content=_text(body.get("content")),
        error=str(body["error"]) if body.get("error") else None,
    )


def _hit(result: object) -> Hit:
    fields = result if isinstance(result, dict) else {}
    return Hit(_text(fields.get("url")), _text(fields.get("title")), _text(fields.get("snippet")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _json(body: dict[str, Any]) -> str:
    return msgspec.json.encode({k: v for k, v in body.items() if v is not None}).decode()
