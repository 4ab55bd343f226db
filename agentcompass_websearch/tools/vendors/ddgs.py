"""ddgs: pages of search engines read without a key, by the library of that name (extra ``ddgs``), in threads."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools import option_checks, results
from agentcompass_websearch.tools.combined import CombinedClient
from agentcompass_websearch.tools.contract import (
    SEARCH_AND_FETCH,
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    Outcome,
    Price,
    SearchRequest,
    Vendor,
    VendorClient,
    VendorError,
    VendorSettings,
)
from agentcompass_websearch.tools.retry import persist
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.tries import one_try
from agentcompass_websearch.tools.wire import Fault, in_short

_TIMEOUT_S: Final = 10
_NOTHING: Final = "No results found"
_threads: Final = ThreadPoolExecutor(max_workers=16, thread_name_prefix="websearch-ddgs")

_BACKEND: Final = "backend"
_REGION: Final = "region"
_OPTIONS: Final = {
    _BACKEND: "the one engine to ask, such as duckduckgo (default), brave or mojeek",
    _REGION: "region of the results, such as us-en (default) or de-de",
}


class DdgsClient:
    """Searches one engine with the library."""

    fingerprint: Mapping[str, str] = {}

    def __init__(self, settings: VendorSettings, transport: Transport) -> None:
        self._vendor_id = settings.vendor_id
        self._backend = settings.options.get(_BACKEND, "duckduckgo")
        self._region = settings.options.get(_REGION, "us-en")
        self._gate = transport.gates.of(("ddgs",), settings.concurrency, settings.rate_per_s)
        self._patience = transport.patience

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Search one engine. The library has one answer for "nothing found" and for an engine that turned it away."""
        query = clean(request.query).strip()
        if not query or request.max_results < 1:
            return self._failed(Fault(ErrorKind.BAD_REQUEST, "the query is empty"))

        async def ask(left_s: float | None) -> Outcome[tuple[Hit, ...]]:
            return await self._ask(query, request.max_results, left_s)

        return await persist(
            lambda: one_try(self._gate, deadline, ask, self._failed), self._patience, deadline=deadline
        )

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Refuse: the library reads pages at any address, those of this network included."""
        return self._failed(Fault(ErrorKind.BAD_REQUEST, "this vendor has no fetch"))

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _ask(self, query: str, most: int, left_s: float | None) -> Outcome[tuple[Hit, ...]]:
        limit_s = _TIMEOUT_S if left_s is None else min(_TIMEOUT_S, left_s)
        started = time.monotonic()
        outcome: Outcome[tuple[Hit, ...]]
        try:
            async with asyncio.timeout(left_s):
                loop = asyncio.get_running_loop()
                rows = await loop.run_in_executor(_threads, self._text, query, most, math.ceil(limit_s))
            outcome = Outcome(results.distinct(results.hits(rows, url="href", snippet="body"), most), billed=False)
        except TimeoutError:
            outcome = self._failed(Fault(ErrorKind.DEADLINE, "no answer in the time that was left"))
        except Fault as fault:
            outcome = self._failed(fault)
        return replace(outcome, service_s=time.monotonic() - started, tries=1)

    def _text(self, query: str, most: int, timeout_s: int) -> list[Any]:
        """Ask the library, which blocks. A new object each time: it keeps state that is not safe between threads."""
        library = _library()
        try:
            found: list[Any] = library.DDGS(timeout=timeout_s).text(
                query, region=self._region, max_results=most, backend=self._backend
            )
        except library.exceptions.RatelimitException as error:
            raise Fault(ErrorKind.RATE_LIMIT, _said(error)) from error
        except library.exceptions.TimeoutException as error:
            raise Fault(ErrorKind.TIMEOUT, _said(error)) from error
        except Exception as error:
            if isinstance(error, library.exceptions.DDGSException) and str(error).startswith(_NOTHING):
                return []
            raise Fault(ErrorKind.SERVER, _said(error)) from error
        return found

    def _failed(self, fault: Fault) -> Outcome[Any]:
        error = VendorError(fault.kind, self._vendor_id, clean(fault.message), billed=False)
        return Outcome(error=error, billed=False)


def _said(error: Exception) -> str:
    return in_short(f"{type(error).__name__}: {error}")


def _library() -> Any:
    """Return the library.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import ddgs
        import ddgs.engines
        import ddgs.exceptions
    except ImportError as error:
        raise UsageError("vendor ddgs needs a library: pip install 'agentcompass-websearch[ddgs]'") from error
    return ddgs


def _check_options(options: Mapping[str, Any]) -> None:
    """An engine that the library does not know would silently become all of them, in an order that changes."""
    engines = sorted(_library().engines.ENGINES["text"])
    option_checks.one_of(options, _BACKEND, "ddgs", engines)
    option_checks.text(options, _REGION, "ddgs")


def _open(settings: VendorSettings, transport: Transport) -> VendorClient:
    from agentcompass_websearch.tools.direct.client import DirectClient

    return CombinedClient(DdgsClient(settings, transport), DirectClient(settings.vendor_id))


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``ddgs``, with the one id ``ddgs``."""
    price = Price(0.0, 0.0, as_of="2026-11", source="runs on this machine")
    return Vendor(
        family="ddgs",
        title="DDGS",
        homepage="https://github.com/deedy5/ddgs",
        modes={"": Mode("", "one search engine, asked without a key", SEARCH_AND_FETCH, ("search-only",), price)},
        default_mode="",
        open=_open,
        options=_OPTIONS,
        check_options=_check_options,
        facts=Facts(fetch="generic", site_operator="native", cache="none"),
    )
