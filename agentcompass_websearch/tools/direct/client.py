"""The client of ``direct``: reads pages from this machine; whatever a page does is a matter of that page, not of us."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.text import clean
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, Outcome, SearchRequest, VendorError
from agentcompass_websearch.tools.direct import pdf
from agentcompass_websearch.tools.direct.download import download
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.direct.reading import read
from agentcompass_websearch.tools.safety import why_not_public
from agentcompass_websearch.tools.wire import Fault

MAX_BYTES: Final = 16 * 1024 * 1024
TIMEOUT_S: Final = 60.0


class DirectClient:
    """Fetches pages over HTTP. Searches are refused.

    Args:
        vendor_id: the id that errors bear.
        network: which addresses may be connected to; another one than the default is for tests.
        max_bytes: how much of a page is read, counted after decompression.
        timeout_s: how long a page may take in all, redirects and reading included.
    """

    def __init__(
        self,
        vendor_id: str = "direct",
        *,
        network: Network | None = None,
        max_bytes: int = MAX_BYTES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._vendor_id = vendor_id
        self._network = network or Network()
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Whether PDFs are read, which hangs on what is installed."""
        return {"pdf": "read" if pdf.is_readable() else "not read"}

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Refuse."""
        return self._failed(Fault(ErrorKind.BAD_REQUEST, "this vendor has no search"))

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Fetch a page, once; an address that is not public is refused before anything is sent to it."""
        url = clean(request.url).strip()
        reason = why_not_public(url)
        if reason:
            return self._failed(Fault(ErrorKind.NOT_PUBLIC, reason))
        started = time.monotonic()
        left_s = self._timeout_s if deadline is None else min(self._timeout_s, deadline - started)
        if left_s <= 0:
            return self._failed(Fault(ErrorKind.DEADLINE, "no time was left for this page"))
        try:
            async with asyncio.timeout(left_s):
                reply, final_url = await download(url, self._network, max_bytes=self._max_bytes, timeout_s=left_s)
                service_s = time.monotonic() - started
                title, text = await read(reply) if 200 <= reply.status < 300 else ("", "")
            page = results.page(url, content=text, final_url=final_url, title=title, status=reply.status)
        except TimeoutError:
            kind = ErrorKind.TARGET if left_s == self._timeout_s else ErrorKind.DEADLINE
            fault = Fault(kind, f"the page did not come within {left_s:.3g} s")
        except Fault as raised:
            fault = raised
        except Exception as error:  # noqa: BLE001 - whatever a stranger's server does is no failure of this client
            fault = Fault(ErrorKind.TARGET, f"the page could not be read ({type(error).__name__})")
        else:
            return Outcome(page, service_s=service_s, tries=1, status=reply.status, billed=False)
        if fault.kind is ErrorKind.NOT_PUBLIC:
            return self._failed(fault)
        return self._failed(fault, service_s=time.monotonic() - started, tries=1)

    async def aclose(self) -> None:
        """Nothing to close: no connection outlives its page."""

    def _failed(self, fault: Fault, **fields: Any) -> Outcome[Any]:
        # A body that cannot be decompressed is the page's fault here, not a vendor's.
        kind = ErrorKind.TARGET if fault.kind is ErrorKind.UNREADABLE else fault.kind
        error = VendorError(kind, self._vendor_id, clean(fault.message), status=fault.status, billed=False)
        return Outcome(error=error, status=fault.status, billed=False, **fields)
