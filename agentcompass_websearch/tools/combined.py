"""A client that searches with one vendor and reads pages with another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import FetchRequest, Outcome, SearchRequest, VendorClient

OF_THE_READER: Final = "fetch_"
"""What the names in a fingerprint begin with that are those of the reader."""


class CombinedClient:
    """Two clients as one."""

    def __init__(self, searcher: VendorClient, reader: VendorClient) -> None:
        self._searcher = searcher
        self._reader = reader

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Those of both; of the searcher, only what concerns its searches."""
        of_searcher = {k: v for k, v in self._searcher.fingerprint.items() if not k.startswith(OF_THE_READER)}
        return of_searcher | {f"{OF_THE_READER}{k}": v for k, v in self._reader.fingerprint.items()}

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Search with the one."""
        return await self._searcher.search(request, deadline=deadline)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Fetch with the other."""
        return await self._reader.fetch(request, deadline=deadline)

    async def aclose(self) -> None:
        """Close both."""
        await self._searcher.aclose()
        await self._reader.aclose()
