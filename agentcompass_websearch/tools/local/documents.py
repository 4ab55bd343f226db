"""Reading pages from files: JSONL rows ``{url, title, text}``, and Markdown, text and HTML documents.

A document's URL is, in this order: ``url:`` in its front matter (a YAML block between two ``---`` lines at its top);
for HTML, its canonical link; else the given base URL and its path without suffix (``guides/auth.md`` under
``https://docs.acme.example`` is ``https://docs.acme.example/guides/auth``; ``index`` stands for its folder).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import yaml

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.charset import decode
from agentcompass_websearch.tools.local.passages import headings
from agentcompass_websearch.tools.results import key_of

_ROWS: Final = (".jsonl", ".ndjson")
_MARKDOWN: Final = (".md", ".markdown", ".txt")
_HTML: Final = (".html", ".htm")
_HOW: Final = "a page set is 'sample', a JSONL file of {url, title, text}, or a folder of .md, .txt, .html or .jsonl"


def files_of(path: Path) -> list[Path]:
    """Return the files that hold the pages of `path`, sorted by path; hidden files and folders are left out.

    Raises:
        UsageError: there is nothing there, or nothing of a known kind, or a link that leads out of the folder.
    """
    if path.is_file() and path.suffix.lower() in _ROWS:
        return [path]
    if not path.is_dir():
        problem = "is no JSONL file" if path.exists() else "does not exist"
        raise UsageError(f"vendor_options.pages: {path} {problem}; {_HOW}")
    known = (*_ROWS, *_MARKDOWN, *_HTML)
    files = [
        file
        for file in path.rglob("*")
        if file.suffix.lower() in known
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
    ]
    if not files:
        raise UsageError(f"vendor_options.pages: no pages in {path}; {_HOW}")
    root = path.resolve()
    for file in files:
        if not file.resolve().is_relative_to(root):
            raise UsageError(
                f"vendor_options.pages: {file} is a link that leads out of {path}; put a copy in its place"
            )
    return sorted(files, key=lambda file: file.relative_to(path).as_posix())


def read(files: Iterable[Path], root: Path, base_url: str | None) -> Iterator[Mapping[str, Any]]:
    """Yield the pages ``{url, title, text}`` of `files`.

    Raises:
        UsageError: a malformed row or document, with file and line.
    """
    for file in files:
        suffix = file.suffix.lower()
        if suffix in _ROWS:
            yield from _rows(file)
        else:
            yield (_html if suffix in _HTML else _markdown)(file, root, base_url)


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{file}:{number}"
            try:
                row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{where}: not a JSON line ({error})") from error
            if not isinstance(row, dict):
                raise UsageError(f"{where}: expected an object {{url, title, text}}, got {type(row).__name__}")
            for name, optional in (("url", False), ("text", False), ("title", True)):
                value = row.get(name)
                if not isinstance(value, str) and not (optional and value is None):
                    raise UsageError(f"{where}: {name!r} must be text, not {type(value).__name__}")
            _check_url(row["url"], where)
            yield row


def _markdown(file: Path, root: Path, base_url: str | None) -> Mapping[str, Any]:
    front, text = _front_matter(decode(file.read_bytes()), file)
    titles = headings(text)
    title = front.get("title") or (titles[0] if titles else file.stem)
    return {"url": _url(front.get("url"), file, root, base_url), "title": str(title), "text": text}


def _html(file: Path, root: Path, base_url: str | None) -> Mapping[str, Any]:
    from agentcompass_websearch.tools.local.html import read_html

    front, source = _front_matter(decode(file.read_bytes()), file)
    found = read_html(source)
    return {
        "url": _url(front.get("url") or found.canonical_url, file, root, base_url),
        "title": str(front.get("title") or found.title or file.stem),
        "text": found.text,
    }


def _front_matter(text: str, file: Path) -> tuple[dict[str, Any], str]:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return {}, text
    try:
        front = yaml.safe_load("".join(lines[1:end]))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise UsageError(f"{file}:{mark.line + 2 if mark else 1}: the front matter is no YAML") from error
    if front is not None and not isinstance(front, dict):
        raise UsageError(f"{file}:2: the front matter must be a mapping with url and title")
    return front or {}, "".join(lines[end + 1 :]).lstrip("\r\n")


def _url(named: Any, file: Path, root: Path, base_url: str | None) -> str:
    if named:
        _check_url(named, f"{file}:1")
        return str(named).strip()
    if not base_url:
        raise UsageError(
            f"{file}:1: this page names no URL; begin it with a block '---', 'url: https://...', '---', "
            "or set vendor_options.pages_base_url"
        )
    path = file.relative_to(root).with_suffix("").as_posix()
    path = path.removesuffix("index").rstrip("/") if path == "index" or path.endswith("/index") else path
    return f"{base_url.rstrip('/')}/{quote(path)}"


def _check_url(url: Any, where: str) -> None:
    if not isinstance(url, str) or key_of(url.strip()) is None:
        raise UsageError(f"{where}: not an http(s) URL: {str(url)[:200]!r}")
