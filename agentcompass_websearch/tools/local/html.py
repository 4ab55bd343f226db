"""Reading an HTML document: its text as Markdown, title and canonical URL."""

from __future__ import annotations

import html
import re
from typing import Final, NamedTuple

import trafilatura
from trafilatura.utils import load_html

_TAG: Final = re.compile(r"<[a-z!?/]", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>|~])")

# Without the word in so many first characters, trafilatura takes a document of one element for none.
_BEGINNING_CHARS: Final = 50


class HtmlPage(NamedTuple):
    """What a reader sees of a document, and what it says of itself."""

    text: str
    title: str
    canonical_url: str


def read_html(source: str) -> HtmlPage:
    """Return the main text of an HTML document; empty text where it has none.

    A part of a document counts as one, and so does text without any markup, which servers send under that type too.
    """
    if not _TAG.search(source):
        return HtmlPage(html.unescape(source).strip(), "", "")
    if "html" not in source[:_BEGINNING_CHARS].lower():
        source = f"<html>{source}"
    tree = load_html(source)
    if tree is None:
        return HtmlPage("", "", "")
    links = tree.xpath('//link[@rel="canonical"]/@href')
    title = tree.findtext(".//title") or ""
    text = trafilatura.extract(source, output_format="markdown", favor_recall=True, include_tables=True)
    # Identifiers must read as they are called: page_size, not page\_size.
    text = _ESCAPED.sub(r"\1", text) if text else trafilatura.html2txt(source)
    return HtmlPage(text, " ".join(title.split()), str(links[0]) if links else "")
