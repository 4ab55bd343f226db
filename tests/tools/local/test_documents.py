from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.tools.local.pages import StoredPage, load

BASE = "https://docs.acme.example"


def make(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def pages(spec: Path, base_url: str | None = None) -> list[tuple[str, str, str]]:
    return [(page.url, page.title, page.text) for page in load(str(spec), base_url)]


def test_front_matter_names_url_and_title(tmp_path: Path) -> None:
    text = f"---\nurl: {BASE}/a\ntitle: Named\nother: 1\n---\n\n# Heading\n\nText.\n"
    make(tmp_path, {"x.md": text, "y.txt": f"---\r\nurl: {BASE}/b\r\n---\r\nPlain.\r\n"})
    assert pages(tmp_path) == [(f"{BASE}/a", "Named", "# Heading\n\nText.\n"), (f"{BASE}/b", "y", "Plain.\r\n")]


def test_else_the_base_url_and_the_path(tmp_path: Path) -> None:
    make(
        tmp_path, {"guides/auth.md": "# Keys\n\nText.", "index.md": "Home.", "guides/index.md": "All.", "a b.txt": "x"}
    )
    assert [(url, title) for url, title, _ in pages(tmp_path, f"{BASE}/v2/")] == [
        (f"{BASE}/v2/a%20b", "a b"),
        (f"{BASE}/v2/guides/auth", "Keys"),
        (f"{BASE}/v2/guides", "index"),
        (f"{BASE}/v2/", "index"),
    ]


def test_html_is_read_as_text(tmp_path: Path) -> None:
    source = f"""<html><head><title>Batch
    | Acme</title><link rel="canonical" href="{BASE}/batch"></head><body><nav><a href="/">Home</a></nav><main>
    <h1>Batch</h1><p>Send <code>X-Acme-Key</code> and <code>page_size</code> with every call to the batch endpoint of
    this service, and never twice in one minute.</p></main></body></html>"""
    make(tmp_path, {"b.html": source})
    [(url, title, text)] = pages(tmp_path)
    assert (url, title) == (f"{BASE}/batch", "Batch | Acme")
    assert "X-Acme-Key" in text
    assert "page_size" in text, "identifiers are not escaped"
    assert "<" not in text


def test_html_without_text(tmp_path: Path) -> None:
    make(tmp_path, {"empty.html": "", "bare.htm": "<html></html>"})
    assert [text for _, _, text in pages(tmp_path, BASE)] == ["", ""]


def test_rows(tmp_path: Path) -> None:
    first = f'{{"url": "{BASE}/a", "title": null, "text": "A", "more": 1}}'
    second = f'{{"url": "{BASE}/b", "text": "\\ud835"}}'
    path = make(tmp_path, {"pages.jsonl": f"\ufeff{first}\n\n{second}"}) / "pages.jsonl"
    assert pages(path) == [(f"{BASE}/a", "", "A"), (f"{BASE}/b", "", "\ufffd")]
    assert pages(tmp_path) == pages(path)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.jsonl", '{"url": "https://a.example", "text": "x"}\n{"url": ', r"p\.jsonl:2: not a JSON line"),
        ("p.jsonl", "\n[1]\n", r"p\.jsonl:2: expected an object \{url, title, text\}, got list"),
        ("p.jsonl", '{"url": "https://a.example"}', r"p\.jsonl:1: 'text' must be text, not NoneType"),
        ("p.jsonl", '{"url": 5, "text": ""}', r"p\.jsonl:1: 'url' must be text, not int"),
        ("p.jsonl", '{"url": "https://a.example", "text": "", "title": 7}', r"'title' must be text, not int"),
        ("p.jsonl", '{"url": "ftp://a.example", "text": ""}', r"p\.jsonl:1: not an http\(s\) URL: 'ftp://a.example'"),
        ("p.jsonl", "[" * 100_000, r"p\.jsonl:1: not a JSON line"),
        ("p.md", "# No URL", r"p\.md:1: this page names no URL; .*pages_base_url"),
        ("p.md", "---\nurl: nowhere\n---\n", r"p\.md:1: not an http\(s\) URL"),
        ("p.md", "---\nurl: 'open\n---\n", r"p\.md:\d: the front matter is no YAML"),
        ("p.md", "---\n- a\n---\n", r"p\.md:2: the front matter must be a mapping"),
        ("p.md", "---\nurl: https://a.example", r"p\.md:1: this page names no URL"),
    ],
)
def test_a_malformed_page_is_named_with_its_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    make(tmp_path, {name: text})
    with pytest.raises(UsageError, match=said):
        load(str(tmp_path))


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(b'{"url": "https://a.example", "text": "\xff"}')
    with pytest.raises(UsageError, match=r"p\.jsonl:1: not a JSON line"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    ("make_at", "said"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "no pages in"),
        (lambda path: path.write_text("x"), "is no JSONL file"),
    ],
)
def test_nothing_to_search(tmp_path: Path, make_at: object, said: str) -> None:
    make_at(tmp_path / "pages")  # type: ignore[operator]
    with pytest.raises(UsageError, match=said):
        load(str(tmp_path / "pages"))


def test_what_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, pattern: str) -> object:
        raise PermissionError(13, "Permission denied", str(path / "locked"))

    monkeypatch.setattr(Path, "rglob", refused)
    with pytest.raises(UsageError, match=r"vendor_options\.pages: .*/locked cannot be read: Permission denied"):
        load(str(tmp_path))


def test_an_empty_file(tmp_path: Path) -> None:
    make(tmp_path, {"p.jsonl": "\n"})
    with pytest.raises(UsageError, match="holds no pages"):
        load(str(tmp_path))


def test_hidden_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, {"a.md": "A", ".git/b.md": "B", ".c.md": "C", "d.png": "D"})
    assert [url for url, _, _ in pages(tmp_path, BASE)] == [f"{BASE}/a"]


def test_of_equal_urls_the_first_page_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = "".join(
        f'{{"url": "{url}", "text": "{n}"}}\n' for n, url in enumerate([f"{BASE}/a", f"{BASE}/b", f"{BASE}/a/"])
    )
    path = make(tmp_path, {"p.jsonl": rows}) / "p.jsonl"
    found = load(str(path))
    assert [page.text for page in found] == ["0", "1"]
    assert found.count == 2
    assert "1 pages repeat the URL of an earlier one" in caplog.text


def test_a_set_is_read_again_when_its_files_change(tmp_path: Path) -> None:
    path = make(tmp_path, {"p.jsonl": f'{{"url": "{BASE}/a", "text": "one"}}'}) / "p.jsonl"
    first = load(str(path))
    assert load(str(path)) == first
    path.write_text(f'{{"url": "{BASE}/a", "text": "two"}}')
    os.utime(path, ns=(1, 1))
    second = load(str(path))
    assert second != first
    assert list(second) == [StoredPage(next(iter(second)).key, f"{BASE}/a", "", "two")]


def test_the_embedded_pages() -> None:
    embedded = load("sample")
    assert embedded.count == len(list(embedded)) > 10
    assert load("sample") is embedded


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("canary")
    folder = make(tmp_path / "pages", {"a.md": "Text."})
    (folder / "b.md").symlink_to(folder / "a.md")
    assert len(pages(folder, BASE)) == 2
    (folder / "c.md").symlink_to(outside)
    with pytest.raises(UsageError, match=r"c\.md is a link that leads out of"):
        pages(folder, BASE)
