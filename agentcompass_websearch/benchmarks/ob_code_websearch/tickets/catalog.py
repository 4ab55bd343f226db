"""Tickets from a catalog tree: ``catalog.json|yaml``, and for each task a folder with prompt, starter and gold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft, limits, needles_of
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.files import read_text
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.names import name_fault, outfile_fault
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.record import Record
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.rows import DEFAULT_OUTFILE, UNKNOWN_CATEGORY
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.text import clean

CATALOG_NAMES: Final = ("catalog.json", "catalog.yaml", "catalog.yml")


def find_catalog(folder: Path) -> Path | None:
    """Return the catalog file in `folder`, if there is one."""
    return next((path for name in CATALOG_NAMES if (path := folder / name).is_file()), None)


def drafts_from_catalog(path: Path, problems: Problems) -> list[Draft]:
    """Return a draft of each item of the catalog file `path`; what is wrong with the others goes on `problems`.

    The catalog has ``items`` and may have ``defaults`` for their fields. An item is ``id`` with ``outfile``,
    ``required``, ``query_forbidden``, ``kinds``, ``docs_vendor``, ``docs``, ``repo``, ``cite_urls``, ``max_turns``,
    ``max_searches``, ``max_fetches``, and ``prompt`` where there is no ``prompt.txt``. The task's files are
    ``<id>/prompt.txt``, ``<id>/starter/<outfile>`` and ``<id>/gold/<outfile>`` beside the catalog.

    Raises:
        UsageError: the catalog itself cannot be read.
    """
    items, defaults = _load(path)
    typed = path.suffix.lower() != ".json"
    drafts = []
    for number, item in enumerate(items, 1):
        data = {**defaults, **item} if isinstance(item, Mapping) else item
        record = Record(data, f"{path} item {number}", problems, id_fields=("id",), yaml=typed)
        draft = _draft(record, path.parent)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _load(path: Path) -> tuple[list[Any], Mapping[str, Any]]:
    text = read_text(path)
    try:
        catalog = json.loads(text) if path.suffix.lower() == ".json" else yaml.load(text, Loader=_LOADER)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path} line {error.lineno}: not valid JSON: {error.msg}") from error
    except yaml.MarkedYAMLError as error:
        line = f" line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UsageError(f"{path}{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from error
    if not isinstance(catalog, Mapping) or not isinstance(catalog.get("items"), list):
        raise UsageError(f"{path}: a catalog needs a list named items")
    defaults = catalog.get("defaults") or {}
    if not isinstance(defaults, Mapping):
        raise UsageError(f"{path}: defaults must be named fields")
    return catalog["items"], defaults


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _draft(record: Record, root: Path) -> Draft | None:
    outfile = record.text("outfile").strip() or DEFAULT_OUTFILE
    if record.id is None:
        return None
    for fault in (_named("id", name_fault(record.id)), _named(f"outfile {outfile!r}", outfile_fault(outfile))):
        if fault:
            record.fault(fault)
    if record.faults:
        return None
    starter = _file(record, root, f"{record.id}/starter/{outfile}")
    faults = record.faults
    text = _file(record, root, f"{record.id}/prompt.txt", optional=True) or record.text("prompt")
    if not text.strip() and record.faults == faults:
        record.fault(f"has neither a prompt nor {record.id}/prompt.txt")
    words, kinds = needles_of(record)
    draft = Draft(
        record=record,
        id=record.id,
        category=_category(record),
        text=text,
        starter=starter,
        gold=_file(record, root, f"{record.id}/gold/{outfile}"),
        outfile=outfile,
        words=words,
        origin="catalog",
        cite_urls=record.flag("cite_urls", True),
        limits=limits(record),
        holds_starter=bool(starter.strip()) and starter.strip() in text,
        kinds=kinds,
    )
    return None if record.faults else draft


def _named(what: str, fault: str | None) -> str | None:
    return f"{what} {fault}" if fault else None


def _file(record: Record, root: Path, name: str, *, optional: bool = False) -> str:
    """Return the text of a task's file; it must be there, and inside `root` when all links are followed."""
    path = root / name
    if not path.is_file():
        if not optional:
            record.fault(f"file {name} is missing")
        return ""
    if not path.resolve().is_relative_to(root.resolve()):
        record.fault(f"file {name} is a link that leads out of {root}")
        return ""
    try:
        return clean(read_text(path))
    except UsageError as error:
        record.fault(str(error))
        return ""


def _category(record: Record) -> str:
    named = record.text("docs_vendor").strip()
    return named or _host(record.words("docs")) or record.text("repo").strip() or UNKNOWN_CATEGORY


def _host(urls: tuple[str, ...]) -> str | None:
    try:
        return urlsplit(urls[0]).hostname if urls else None
    except ValueError:
        return None
