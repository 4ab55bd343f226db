"""From the `dataset` parameter to tickets: which source it names, and its loader."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.catalog import (
    CATALOG_NAMES,
    drafts_from_catalog,
    find_catalog,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.complete import complete
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.draft import Draft
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.files import ROW_SUFFIXES, read_rows
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.rows import drafts_from_rows
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Dataset
from agentcompass_websearch.errors import UsageError

DEFAULT_DATASET: Final = "hf:openbenchmarks/OB-Code-Websearch"

FORMS: Final = (
    "sample, file:PATH (JSON, JSONL or Parquet rows, or a folder with catalog.json or catalog.yaml), "
    "hf:owner/name[@revision]"
)

SourceKind = Literal["hub", "path", "sample", "synthetic"]

_HUB_NAME = re.compile(r"(?:hf:)?([\w.-]+/[\w.-]+)(?:@([\w./-]+))?\Z", re.ASCII)
_DATA_SUFFIXES: Final = (*ROW_SUFFIXES, ".yaml", ".yml")


class Source(msgspec.Struct, frozen=True):
    """A parsed `dataset`: `name` is the Hub's ``owner/name``, a path, or the parameters of a synthetic set."""

    kind: SourceKind
    name: str
    revision: str | None = None

    def __str__(self) -> str:
        prefix = {"hub": "hf:", "path": "file:", "sample": "", "synthetic": "synthetic:"}[self.kind]
        return prefix + self.name + (f"@{self.revision}" if self.revision else "")


def parse(dataset: object) -> Source:
    """Return what the `dataset` parameter names, without looking whether it is there.

    Raises:
        UsageError: it has none of the forms.
    """
    if not isinstance(dataset, str) or not dataset.strip():
        raise UsageError(f"dataset is {dataset!r}, but must be one of: {FORMS}")
    text = dataset.strip()
    if text == "sample":
        return Source("sample", "sample")
    if text.startswith("synthetic:"):
        return Source("synthetic", text.removeprefix("synthetic:"))
    if text.startswith("file:") and text != "file:":
        return Source("path", text.removeprefix("file:"))
    if text.startswith((".", "/", "~")) or text.lower().endswith(_DATA_SUFFIXES):
        return Source("path", text)
    if match := _HUB_NAME.match(text):
        return Source("hub", match[1], match[2])
    raise UsageError(f"dataset {text!r} has none of the known forms: {FORMS}")


def load(source: Source, *, data_file: str | None = None) -> Dataset:
    """Return the tickets of `source`, all checked.

    Args:
        source: what to load.
        data_file: path of the data file inside a Hub dataset, where that has several.

    Raises:
        UsageError: the source is not there or cannot be read, a ticket is not sound (all faults are listed, with file,
            line and ticket), or there is none.
    """
    problems = Problems()
    revision = None
    if source.kind == "hub":
        drafts, revision = _from_hub(source, data_file, problems)
    elif source.kind == "path":
        drafts = _from_path(source, problems)
    elif source.kind == "sample":
        drafts = _from_sample(problems)
    else:
        raise UsageError(f"dataset {source}: this version cannot make synthetic tickets. The forms are: {FORMS}")
    tickets = complete(drafts)
    problems.raise_if_any()
    if not tickets:
        raise UsageError(f"dataset {source} holds no tickets")
    return Dataset(str(source), tuple(tickets), revision)


def _from_hub(source: Source, data_file: str | None, problems: Problems) -> tuple[list[Draft], str]:
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.hub import download

    file = download(source.name, revision=source.revision, data_file=data_file)
    return drafts_from_rows(read_rows(file.path, f"hf:{source.name} {file.name}"), problems), file.commit


def _from_sample(problems: Problems) -> list[Draft]:
    from agentcompass_websearch import sample

    return drafts_from_rows(((f"sample row {n}", row) for n, row in enumerate(sample.rows(), 1)), problems)


def _from_path(source: Source, problems: Problems) -> list[Draft]:
    path = Path(source.name).expanduser()
    if not path.exists():
        raise UsageError(f"dataset {path} does not exist (looked from {Path.cwd()})")
    if path.is_dir():
        catalog = find_catalog(path)
        if catalog is None:
            raise UsageError(f"dataset folder {path} has none of {', '.join(CATALOG_NAMES)}; for rows, name their file")
        return drafts_from_catalog(catalog, problems)
    if path.name in CATALOG_NAMES:
        return drafts_from_catalog(path, problems)
    if path.suffix.lower() not in ROW_SUFFIXES:
        raise UsageError(f"dataset {path}: rows are read from {', '.join(ROW_SUFFIXES)}")
    return drafts_from_rows(read_rows(path), problems)
