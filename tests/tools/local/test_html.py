"""What a reader sees of HTML: whole documents, parts of one, and text that is only called HTML."""

from __future__ import annotations

import pytest

from agentcompass_websearch.tools.local.html import read_html


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<pre>GET /api/v2/orders</pre>", "GET /api/v2/orders"),
        ("<p>page_size", "page_size"),
        ("<h1>Orders</h1><p>page_size</p>", "# Orders\n\npage_size"),
        ("<!-- " + "c" * 80 + " --><html><body><div>page_size</div></body></html>", "page_size"),
        ("<html><body>page_size</body></html>", "page_size"),
        ("<?xml version='1.0' encoding='utf-8'?><div>page_size</div>", "page_size"),
    ],
)
def test_a_document_of_one_element_has_its_text(source: str, words: str) -> None:
    assert read_html(source).text.strip() == words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("テナント API workerBatch", "テナント API workerBatch"),
        (" one line\nand a second\n", "one line\nand a second"),
        ("if a < b &amp;&amp; c > d", "if a < b && c > d"),
        ("", ""),
    ],
)
def test_text_without_markup_is_kept_as_it_is(source: str, words: str) -> None:
    assert read_html(source) == (words, "", "")


def test_what_a_part_of_a_document_says_of_itself() -> None:
    found = read_html('<title>Orders</title><link rel="canonical" href="https://docs.acme.example/a"><p>page_size</p>')
    assert found == ("page_size", "Orders", "https://docs.acme.example/a")


@pytest.mark.parametrize("source", ["<script>x()</script>", "<html></html>", "<!-- nothing -->"])
def test_what_is_not_seen_is_no_text(source: str) -> None:
    assert read_html(source).text.strip() == ""
