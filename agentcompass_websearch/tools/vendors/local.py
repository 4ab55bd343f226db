"""The local vendor: full-text search and look-up over stored pages, no network, no key, no cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.paths import named_path
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.records import Board, Operation
from agentcompass_websearch.tools.contract import Facts, Mode, Price, Vendor, VendorClient, VendorSettings
from agentcompass_websearch.tools.local import Scope
from agentcompass_websearch.tools.local.pages import SAMPLE, PageSet, load
from agentcompass_websearch.tools.results import key_of
from agentcompass_websearch.tools.transport import Transport

_FREE: Final = Price(search_usd=0.0, fetch_usd=0.0, as_of="2026-11", source="runs on this machine")
_BOTH: Final[frozenset[Operation]] = frozenset({"search", "fetch"})
_BOARDS: Final[tuple[Board, ...]] = ("search-fetch", "search-only")

_OPTIONS: Final = {
    "pages": "what to search: sample (default), synthetic:..., a JSONL file of {url, title, text}, or a folder of "
    ".md, .txt, .html or .jsonl",
    "pages_base_url": "URL under which the documents of a folder stand that name none themselves",
    "index_dir": "folder that keeps the index between runs (unset: built in memory, about 3 s for 10,000 pages)",
}


def _open(settings: VendorSettings, transport: Transport) -> VendorClient:
    from agentcompass_websearch.tools.local.client import LocalClient

    index_dir = settings.options.get("index_dir")
    scope: Scope = "title" if settings.mode.name == "title" else "page"
    folder = named_path(index_dir, "vendor_options.index_dir") if index_dir else None
    return LocalClient(settings, _pages(settings.options), scope, folder)


def _pages(options: Mapping[str, Any]) -> PageSet:
    return load(options.get("pages", SAMPLE), options.get("pages_base_url"))


def _check_options(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"vendor_options.{name} of local must be text, not {value!r}")
    if "pages_base_url" in options and key_of(options["pages_base_url"]) is None:
        raise UsageError("vendor_options.pages_base_url of local must be an http(s) URL")
    if "index_dir" in options:
        _check_folder(named_path(options["index_dir"], "vendor_options.index_dir"))
    _pages(options)


def _check_folder(folder: Path) -> None:
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise UsageError(f"vendor_options.index_dir: {folder} is no folder that can be written to")


@hookimpl
def websearch_vendor() -> Vendor:
    """The family ``local``."""
    return Vendor(
        family="local",
        title="Local full-text index",
        homepage="",
        modes={
            "page": Mode("page", "whole pages are searched; the best passage is the snippet", _BOTH, _BOARDS, _FREE),
            "title": Mode("title", "titles and headings only are searched and shown", _BOTH, _BOARDS, _FREE),
        },
        default_mode="page",
        open=_open,
        options=_OPTIONS,
        check_options=_check_options,
        silent_options=frozenset({"pages_base_url", "index_dir"}),
        facts=Facts(fetch="the same pages", site_operator="read as words", cache="the stored pages"),
    )
