"""The vendor contract: what a search vendor is, what it is asked, and what it answers.

A vendor is data (`Vendor`, `Mode`) plus one function that opens a `VendorClient`. Vendors over HTTP build that client
from two pure functions per operation (see `agentcompass_websearch.tools.http`); others implement the protocol directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from agentcompass_websearch.errors import WebSearchError
from agentcompass_websearch.records import Board, Hit, Operation, Page

if TYPE_CHECKING:
    from agentcompass_websearch.tools.transport import Transport


SEARCH: Final[frozenset[Operation]] = frozenset({"search"})
SEARCH_AND_FETCH: Final[frozenset[Operation]] = frozenset({"search", "fetch"})
BOTH_BOARDS: Final[tuple[Board, ...]] = ("search-fetch", "search-only")


class ErrorKind(StrEnum):
    """Why a vendor call gave nothing. What follows from each kind stands in `agentcompass_websearch.tools.errors`."""

    AUTH = "auth"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECT = "connect"
    UNREADABLE = "unreadable"
    MISCONFIGURED = "misconfigured"
    BAD_REQUEST = "bad_request"
    TARGET = "target"
    NOT_PUBLIC = "not_public"
    DEADLINE = "deadline"


class VendorError(WebSearchError):
    """A vendor call failed.

    `status` is HTTP's (for a page that could not be read: the page's own, where known), `retry_after_s` what the vendor
    asked for in seconds, `billed` whether it charged (None: unknown). The message holds no secret.
    """

    def __init__(
        self,
        kind: ErrorKind,
        vendor_id: str,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        billed: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.vendor_id = vendor_id
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s
        self.billed = billed


@dataclass(frozen=True, slots=True)
class Price:
    """Pay-as-you-go list price in US dollars a call, ten results or fewer. None is unknown, never free."""

    search_usd: float | None = None
    fetch_usd: float | None = None
    as_of: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way of asking a vendor. Its vendor id is ``family_name``, or the bare family where `name` is empty.

    `home_boards` are the boards it is made for, the default one first. `rate_per_s` is the documented limit of the
    vendor's own address, which holds where the user sets none.
    """

    name: str
    description: str
    operations: frozenset[Operation]
    home_boards: tuple[Board, ...]
    price: Price = Price()
    rate_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a fair comparison must know of a vendor.

    `fetch` says where its pages come from, `site_operator` how ``site:`` is treated, `cache` how old a page may be by
    default, `objective` with which operations it is told what the searcher is after. Longer queries are shortened to
    the limits.
    """

    fetch: str = "native"
    site_operator: str = "passed on"
    cache: str = "unknown"
    objective: frozenset[Operation] = frozenset()
    max_query_chars: int | None = None
    max_query_words: int | None = None


@dataclass(frozen=True, slots=True)
class VendorSettings:
    """What one arm asks of a vendor: mode, key, checked options, and limits of our own (None: the documented ones)."""

    vendor_id: str
    mode: Mode
    api_key: str = field(default="", repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int | None = None
    rate_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search: words, how many results at the most, and what the searcher is after where a vendor takes that."""

    query: str
    max_results: int = 8
    objective: str | None = None


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One page to read, and what the reader is after where a vendor takes that."""

    url: str
    objective: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome[T]:
    """What a call came to: a value or an error, never both, with its times in seconds and what the vendor reported.

    `service_s` is the time at the vendor in the last try, `queue_s` the wait in our own limiter, `backoff_s` the wait
    between tries; `tries` is 0 when nothing was sent. `notes` are for the model (such as a query that was shortened);
    vendor-written hints never stand there.
    """

    value: T | None = None
    error: VendorError | None = None
    service_s: float | None = None
    queue_s: float = 0.0
    backoff_s: float = 0.0
    tries: int = 0
    status: int | None = None
    request_id: str | None = None
    reported_usd: float | None = None
    billed: bool | None = None
    notes: tuple[str, ...] = ()


class VendorClient(Protocol):
    """A vendor ready to be asked. One client serves all attempts of a run; calls may overlap.

    Neither call raises for anything that the vendor or the network does: failures are in the outcome. `deadline` is a
    value of ``time.monotonic()`` after which the answer is of no use; the call ends by then.
    """

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What decides results beside id and options, such as a hash of the pages; empty for a live vendor."""
        ...

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]: ...

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Vendor:
    """A family of vendor ids.

    `key_vars` are environment variables, the first one set wins; with `key_optional` the vendor works without any.
    `options` maps the name of each option to its help; `check_options` raises UsageError for a wrong value. Those of
    `silent_options` never decide a result (addresses, paths) and are left out of its record.
    """

    family: str
    title: str
    homepage: str
    modes: Mapping[str, Mode]
    default_mode: str
    open: Callable[[VendorSettings, Transport], VendorClient]
    key_vars: tuple[str, ...] = ()
    key_optional: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    check_options: Callable[[Mapping[str, Any]], None] | None = None
    silent_options: frozenset[str] = frozenset()
    facts: Facts = Facts()

    def vendor_ids(self) -> tuple[str, ...]:
        """All ids of the family, in the order of its modes."""
        return tuple(self.vendor_id(name) for name in self.modes)

    def vendor_id(self, mode: str) -> str:
        """The id of one mode."""
        return f"{self.family}_{mode}" if mode else self.family
