from __future__ import annotations

from typing import Any

import pytest

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import Fault

A = "https://docs.acme.example/a"
B = "https://docs.acme.example/b"


def test_holes_are_empty_and_hits_without_a_url_are_dropped() -> None:
    rows: list[Any] = [
        {"title": "A", "link": A},
        {"title": None, "link": B, "snippet": None},
        {"title": "no link", "snippet": "x"},
        None,
        "text",
        {"url": 5},
        {"link": 5},
        {"link": ["https://docs.acme.example/c"]},
        {"link": "ftp://docs.acme.example/d"},
        {"link": "javascript:alert(1)"},
        {"link": "//docs.acme.example/e"},
        {"link": "not a url"},
        {"link": "https://docs.acme.example/" + "x" * 9000},
    ]
    assert results.hits(rows, url="link") == (Hit(A, "A", ""), Hit(B, "", ""))


def test_texts_are_clean() -> None:
    rows = [{"url": f" {A}\n", "title": " two\n lines\x00", "snippet": "\ud835 a\x07\tb\n"}]
    assert results.hits(rows) == (Hit(A, "two lines", "\ufffd a\tb"),)


def test_a_field_may_be_a_function() -> None:
    rows = [{"url": A, "texts": ["one", None, "", " two ", {"no": 1}, ["three"]]}]
    assert results.hits(rows, snippet=lambda row: row["texts"])[0].snippet == "one\n...\ntwo"


def test_markup_is_removed_where_a_vendor_sends_it() -> None:
    row = {
        "url": A,
        "title": "<b>Batch</b> &amp; more",
        "snippet": "use <strong>X-Key</strong><br>List&lt;T&gt; <T> &#x27;",
    }
    assert results.hits([row], markup=True) == (Hit(A, "Batch & more", "use X-Key\nList<T> <T> '"),)
    assert results.hits([row])[0].title == "<b>Batch</b> &amp; more"


def test_markup_takes_linear_time() -> None:
    assert results.without_markup("<" * 200_000 + "<b " * 50_000).startswith("<<<")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (5, "5"),
        (1.5, "1.5"),
        (True, ""),
        (None, ""),
        ({}, ""),
        (float("nan"), ""),
        (10**400, ""),
        ([1, "a"], "1\n...\na"),
    ],
)
def test_words(value: Any, text: str) -> None:
    assert results.words(value) == text


def test_sections() -> None:
    assert results.section({"results": None}, "results") == []
    assert results.optional_section({}, "results") == []
    with pytest.raises(Fault, match="no 'results'"):
        results.section({"error": "credits"}, "results")
    with pytest.raises(Fault, match="'results' of the answer is dict"):
        results.section({"results": {"web": []}}, "results")


def test_distinct_hits_are_told_by_their_normalised_urls() -> None:
    found = [
        Hit(A, "1"),
        Hit("http://www.docs.acme.example/a/", "2"),
        Hit(B, "3"),
        Hit(A + "#part", "4"),
        Hit(B + "?x=1", "5"),
    ]
    assert [hit.title for hit in results.distinct(found, 8)] == ["1", "3", "5"]
    assert [hit.title for hit in results.distinct(found, 2)] == ["1", "3"]


def test_a_page() -> None:
    page = results.page(A, content=" # A\x00\n", final_url=f"{B} ", title="T\nt", status=200)
    assert (page.url, page.final_url, page.title, page.content, page.status) == (A, B, "T t", "# A", 200)
    assert results.page(A, content="x", final_url=None, title=None).final_url == ""
    assert results.page(A, content="x", final_url="about:blank").final_url == ""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"content": "Please solve the captcha", "status": 429}, "the page answered with HTTP 429"),
        ({"content": "gone", "status": 404, "note": "no\x00pe"}, "HTTP 404: nope"),
        ({"content": "no", "status": "403", "note": "<b>Forbidden</b>"}, "HTTP 403: Forbidden"),
        ({"content": "  "}, "without text"),
        ({"content": None}, "without text"),
        ({"content": {"a": 1}}, "without text"),
        ({"content": "%PDF-1.7\x00..."}, "binary content, not shown"),
        ({"content": "\x00\x01\x02PNG" * 50}, "binary content, not shown"),
        ({"content": "\ufffd\ufffdx" * 50}, "binary content, not shown"),
    ],
)
def test_a_page_that_cannot_be_read(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Fault, match=said) as caught:
        results.page(A, **fields)
    assert caught.value.kind is ErrorKind.TARGET


def test_what_an_unread_page_cost() -> None:
    for usd, billed in ((None, None), (0.0, False), (0.002, True)):
        with pytest.raises(Fault) as caught:
            results.page(A, content="", reported_usd=usd)
        assert (caught.value.reported_usd, caught.value.billed) == (usd, billed)


def test_an_unread_page_says_why_as_far_as_known() -> None:
    fault = results.unread("<p>gone</p>\n" + "x" * 500, status="404", billed=False)
    assert (fault.kind, fault.status, fault.billed) == (ErrorKind.TARGET, 404, False)
    assert fault.message.startswith("the page could not be read: gone xxx")
    assert len(fault.message) < 250
    assert results.unread(None).message == "the page could not be read: no reason given"


@pytest.mark.parametrize("status", [None, True, 0, 99, 1000, "4o4", "", [404], 404.0, "9" * 5000])
def test_what_is_no_status(status: Any) -> None:
    assert results.unread("", status=status).status is None


def test_parts_of_an_answer() -> None:
    assert results.required({"a": None}, "a") is None
    with pytest.raises(Fault, match="no 'b'"):
        results.required({"a": 1}, "b")
    assert results.part({"a": {"b": 1}}, "a") == {"b": 1}
    assert [results.part({"a": value}, "a") for value in (None, [], "x")] == [{}, {}, {}]
    assert results.part({}, "a") == {}


def test_the_first_object() -> None:
    assert results.first([None, "x", {"a": 1}, {"b": 2}]) == {"a": 1}
    assert results.first([]) == {}


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (0.007, 0.007),
        (0, 0.0),
        (-1, None),
        (True, None),
        ("0.1", None),
        (None, None),
        (float("inf"), None),
        (10**400, None),
    ],
)
def test_amounts(value: Any, amount: float | None) -> None:
    assert results.usd(value) == amount


@pytest.mark.parametrize(
    ("query", "limits", "short"),
    [
        ("one two three", (None, None), "one two three"),
        ("one two three", (None, 2), "one two"),
        ("one two three", (8, None), "one two"),
        ("one two three", (7, None), "one two"),
        ("one two three", (6, None), "one"),
        ("x" * 20, (5, None), "xxxxx"),
        ("one  two", (100, 5), "one  two"),
        (" ", (0, 0), ""),
        ("one two three site:a.example", (18, None), "one site:a.example"),
        ("one two three -site:a.example SITE:b.example", (None, 3), "one -site:a.example SITE:b.example"),
        ("site:a.example site:long.b.example one", (18, None), "site:a.example one"),
        ("x" * 20 + " site:a.example", (15, None), "site:a.example"),
    ],
)
def test_long_queries_are_cut_between_words(query: str, limits: tuple[int | None, int | None], short: str) -> None:
    assert results.shorten_query(query, *limits) == short
