"""From the `dataset` parameter to tickets: which source it names, and its loader."""

from __future__ import annotations

import re
from difflib import get_close_matches
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
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.needles_file import with_needles
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.problems import Problems
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.rows import drafts_from_rows
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.ticket import Dataset
from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.paths import named_path

DEFAULT_DATASET: Final = "hf:openbenchmarks/OB-Code-Websearch"

FORMS: Final = (
    "sample, file:PATH (JSON, JSONL or Parquet rows, or a folder with catalog.json or catalog.yaml), "
    "hf:owner/name or hf:owner/name@revision, synthetic:seed=7,n=500"
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
        UsageError: it has none of the forms, or it could be a name on the Hub as well as one in the current folder.
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
        if not text.startswith("hf:") and Path(text).exists():
            raise UsageError(f"dataset {text!r} could be here or on the Hub: write file:{text} or hf:{text}")
        return Source("hub", match[1], match[2])
    raise UsageError(f"dataset {text!r} has none of the known forms: {FORMS}.{_meant(text)}")


def _meant(text: str) -> str:
    if Path(text).exists():
        return f" There is a file or folder of that name: write file:{text}"
    return " Did you mean 'sample'?" if get_close_matches(text.lower(), ["sample"]) else ""


def with_revision(source: Source, revision: str | None) -> Source:
    """Return `source` at `revision`, where that is given.

    Raises:
        UsageError: the source is not on the Hub, or names another revision itself.
    """
    if not revision:
        return source
    if source.kind != "hub":
        raise UsageError(f"revision belongs to a Hub dataset (hf:owner/name), not to {source}")
    if source.revision not in (None, revision):
        raise UsageError(f"dataset {source} and revision {revision!r} name two revisions; give one")
    return Source(source.kind, source.name, revision)


def load(source: Source, *, data_file: str | None = None, needles_file: str | Path | None = None) -> Dataset:
    """Return the tickets of `source`, all checked.

    Args:
        source: what to load.
        data_file: path of the data file inside a Hub dataset, where that has several.
        needles_file: needles of tickets that come without.

    Raises:
        UsageError: the source is not there or cannot be read, a ticket is not sound (all faults are listed, with file,
            line and ticket), or there is none.
    """
    dataset, problems = examine(source, data_file=data_file, needles_file=needles_file)
    problems.raise_if_any()
    if not dataset.tickets:
        raise UsageError(f"dataset {source} holds no tickets")
    return dataset


def examine(
    source: Source, *, data_file: str | None = None, needles_file: str | Path | None = None
) -> tuple[Dataset, Problems]:
    """Return the sound tickets of `source`, and what is wrong with the others.

    Raises:
        UsageError: source or needles file is not there or cannot be read as a whole.
    """
    problems = Problems()
    drafts, revision = read_drafts(source, data_file, problems)
    if needles_file is not None:
        drafts = with_needles(drafts, named_path(needles_file, "needles_file"), problems)
    return Dataset(str(source), tuple(complete(drafts)), revision), problems


def read_drafts(source: Source, data_file: str | None, problems: Problems) -> tuple[list[Draft], str | None]:
    """Return the tickets of `source` as it has them, and the commit that they are of, where the source has one."""
    match source.kind:
        case "hub":
            return _from_hub(source, data_file, problems)
        case "path":
            return _from_path(source, problems), None
        case "sample":
            return _from_sample(problems), None
        case "synthetic":
            return _from_synthetic(source, problems), None


def _from_hub(source: Source, data_file: str | None, problems: Problems) -> tuple[list[Draft], str]:
    from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.hub import download

    file = download(source.name, revision=source.revision, data_file=data_file)
    return drafts_from_rows(read_rows(file.path, problems, f"hf:{source.name} {file.name}"), problems), file.commit


def _from_sample(problems: Problems) -> list[Draft]:
    from agentcompass_websearch import sample

    return drafts_from_rows(((f"sample row {n}", row) for n, row in enumerate(sample.rows(), 1)), problems)


def _from_synthetic(source: Source, problems: Problems) -> list[Draft]:
    from agentcompass_websearch import sample

    rows = sample.synthetic_rows(source.name)
    return drafts_from_rows(((f"{source} row {n}", row) for n, row in enumerate(rows, 1)), problems)


def _from_path(source: Source, problems: Problems) -> list[Draft]:
    path = named_path(source.name, "dataset")
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
    return drafts_from_rows(read_rows(path, problems), problems)
