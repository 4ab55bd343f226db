"""The client of the local vendor: asks the index in a thread, builds it at the first call, sends nothing."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
    Outcome,
    SearchRequest,
    VendorError,
    VendorSettings,
)
from agentcompass_websearch.tools.local import Scope
from agentcompass_websearch.tools.local.index import Index, build
from agentcompass_websearch.tools.local.pages import PageSet
from agentcompass_websearch.tools.results import page as readable_page
from agentcompass_websearch.tools.wire import Fault

# Threads of its own: while an index is built, the event loop's executor stays free for others.
_threads: Final = ThreadPoolExecutor(max_workers=2, thread_name_prefix="websearch-local")
_building: Final = threading.Lock()


class LocalClient:
    """Searches and looks up the pages of one set."""

    def __init__(self, settings: VendorSettings, pages: PageSet, scope: Scope, index_dir: Path | None) -> None:
        self._vendor_id = settings.vendor_id
        self._pages = pages
        self._scope: Scope = scope
        self._index_dir = index_dir

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The hash of the pages, since they decide what is found."""
        return {"pages": self._pages.sha256}

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Search the pages. Words alone count; operators such as ``site:`` are read as words."""
        query = clean(request.query).strip()
        if not query or request.max_results < 1:
            return self._failed(ErrorKind.BAD_REQUEST, "the query is empty")
        return await self._ask(lambda index: index.search(query, request.max_results, self._scope), deadline)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Look a page up by its normalised URL; nothing is sent, so no address is refused."""
        url = clean(request.url).strip()

        def look_up(index: Index) -> Page:
            found = index.page(url)
            if found is None:
                raise Fault(ErrorKind.TARGET, "this page is not in the index")
            return readable_page(url, content=found.text, final_url=found.url, title=found.title)

        return await self._ask(look_up, deadline)

    async def aclose(self) -> None:
        """Nothing to close: the index goes with the process."""

    async def _ask[Value](self, question: Callable[[Index], Value], deadline: float | None) -> Outcome[Value]:
        if deadline is not None and deadline <= time.monotonic():
            return self._failed(ErrorKind.DEADLINE, "no time was left for this call")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None if deadline is None else deadline - time.monotonic()):
                index = await loop.run_in_executor(_threads, _index_of, self._pages, self._index_dir)
                started = time.monotonic()
                value = await loop.run_in_executor(_threads, question, index)
        except TimeoutError:
            return self._failed(ErrorKind.DEADLINE, "no answer in the time that was left")
        except Fault as fault:
            return self._failed(fault.kind, fault.message, service_s=time.monotonic() - started, tries=1)
        except (OSError, ValueError) as error:
            where = f"vendor_options.index_dir ({self._index_dir})" if self._index_dir else "the index"
            return self._failed(ErrorKind.MISCONFIGURED, f"{where} cannot be used: {error}")
        return Outcome(value, service_s=time.monotonic() - started, tries=1, billed=False)

    def _failed(self, kind: ErrorKind, message: str, **fields: Any) -> Outcome[Any]:
        return Outcome(error=VendorError(kind, self._vendor_id, clean(message)), **fields)


def _index_of(pages: PageSet, folder: Path | None) -> Index:
    with _building:
        return _built(pages, folder)


@functools.lru_cache(maxsize=2)
def _built(pages: PageSet, folder: Path | None) -> Index:
    return build(pages, folder)
