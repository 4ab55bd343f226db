"""The no-search arm: a vendor without operations, so that the baseline is an arm like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    Facts,
    FetchRequest,
    Mode,
    Outcome,
    SearchRequest,
    Vendor,
    VendorError,
    VendorSettings,
)


class NoClient:
    """Answers every call with an error; a harness offers no tools here, so none is expected."""

    fingerprint: Mapping[str, str] = {}

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Refuse."""
        return _refused()

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Refuse."""
        return _refused()

    async def aclose(self) -> None:
        """Nothing to close."""


def _refused() -> Outcome[Any]:
    return Outcome(error=VendorError(ErrorKind.BAD_REQUEST, "none", "there is no web access in this arm"))


def _open(settings: VendorSettings, transport: object) -> NoClient:
    return NoClient()


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``none``, with the one id ``none``."""
    return Vendor(
        family="none",
        title="No search",
        homepage="",
        modes={"": Mode("", "no web access: the baseline arm", frozenset(), ("no-search",))},
        default_mode="",
        open=_open,
        facts=Facts(fetch="none", site_operator="none", cache="none"),
    )
