"""Page sets for the local vendor: the embedded sample, synthetic ones, JSONL files, folders of documents."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.paths import named_path
from agentcompass_websearch.text import clean, one_line
from agentcompass_websearch.tools.local import documents
from agentcompass_websearch.tools.results import key_of

SAMPLE: Final = "sample"
SYNTHETIC: Final = "synthetic:"
_log: Final = logging.getLogger("agentcompass.plugins.websearch.local")


@dataclass(frozen=True, slots=True)
class StoredPage:
    """One page of a set. `key` is its normalised URL, by which it is found."""

    key: str
    url: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class PageSet:
    """Pages in a fixed order, read anew at each iteration. `sha256` is over their URLs, titles and texts.

    Of several pages with one normalised URL only the first belongs to the set. Sets of equal pages are equal.
    """

    sha256: str
    count: int
    read: Callable[[], Iterable[Mapping[str, Any]]] = field(compare=False, repr=False)

    def __iter__(self) -> Iterator[StoredPage]:
        return _distinct(self.read())


def load(spec: str, base_url: str | None = None) -> PageSet:
    """Return the page set that ``vendor_options.pages`` names, after reading all of it once.

    Args:
        spec: ``sample``, ``synthetic:...``, or the path of a JSONL file or of a folder.
        base_url: the URL under which pages of a folder stand that name none themselves.

    Raises:
        UsageError: nothing there or unreadable, no pages, or a malformed one (with file and line).
    """
    if spec == SAMPLE or spec.startswith(SYNTHETIC):
        return _hashed(spec, base_url, ())
    path = named_path(spec, "vendor_options.pages")
    try:
        files = documents.files_of(path)
        return _hashed(spec, base_url, tuple((str(file), *_state(file)) for file in files))
    except OSError as error:
        what = error.filename or path
        raise UsageError(f"vendor_options.pages: {what} cannot be read: {error.strerror or error}") from error


@functools.lru_cache(maxsize=8)
def _hashed(spec: str, base_url: str | None, files: tuple[tuple[str, int, int], ...]) -> PageSet:
    """Read and hash a page set once for each state of its files."""
    read = _reader(spec, base_url, [Path(name) for name, _, _ in files])
    digest = hashlib.sha256()
    count = 0
    for page in _distinct(read(), warn_about=spec):
        for text in (page.url, page.title, page.text):
            data = text.encode()
            digest.update(b"%d:" % len(data))
            digest.update(data)
        count += 1
    if count == 0:
        raise UsageError(f"vendor_options.pages: {spec} holds no pages")
    return PageSet(digest.hexdigest(), count, read)


def _reader(spec: str, base_url: str | None, files: list[Path]) -> Callable[[], Iterable[Mapping[str, Any]]]:
    from agentcompass_websearch import sample

    if spec == SAMPLE:
        return sample.pages
    if spec.startswith(SYNTHETIC):
        return functools.partial(sample.synthetic_pages, spec)
    root = named_path(spec, "vendor_options.pages")
    return functools.partial(documents.read, files, root, base_url)


def _distinct(rows: Iterable[Mapping[str, Any]], *, warn_about: str | None = None) -> Iterator[StoredPage]:
    seen: set[str] = set()
    dropped = 0
    for row in rows:
        url = clean(str(row["url"])).strip()
        key = key_of(url)
        if key is None:
            raise UsageError(f"vendor_options.pages: not an http(s) URL: {url[:200]!r}")
        if key in seen:
            dropped += 1
            continue
        seen.add(key)
        yield StoredPage(key, url, one_line(str(row.get("title") or "")), clean(str(row["text"])))
    if dropped and warn_about:
        _log.warning("%s: %d pages repeat the URL of an earlier one and are left out", warn_about, dropped)


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size
