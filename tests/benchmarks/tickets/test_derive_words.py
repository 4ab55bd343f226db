"""Words of string values: where they end, what of a URL, a path, a template or XML belongs to them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_words import (
    OPEN,
    OUTER,
    whole_query_words,
    words_of,
    xml_prefixes,
)


def words(value: str, *prefixes: str) -> list[str]:
    return [word.text for word in words_of(value.replace("…", OPEN), frozenset(prefixes))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("one  two\tthree\nfour", ["one", "two", "three", "four"]),
        ("a'b\"c`d", ["a", "b", "c", "d"]),
        ("f(x)[y]<z>", ["f", "x", "y", "z"]),
        ("a;b,c|d?e&f=g^h", ["a", "b", "c", "d", "e", "f", "g", "h"]),
        ("$filter=Supplier eq '1'", ["$filter", "Supplier", "eq", "1"]),
        ("x-dry-run sap_client v4.2 $batch a:b", ["x-dry-run", "sap_client", "v4.2", "$batch", "a:b"]),
        ("Done. /a/b/ :c: ...", ["Done", "a/b", "c"]),
        ("", []),
    ],
)
def test_a_word_is_a_run_between_separators_without_outer_marks(value: str, expected: list[str]) -> None:
    assert words(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://api.acme.example/v2/hold", ["v2/hold"]),
        ("https://api.acme.example:8443/v2/hold/", ["v2/hold"]),
        ("https://api.acme.example", []),
        ("https://….acme.example/v2/hold", ["v2/hold"]),
        ("…://…/v2/hold", ["v2/hold"]),
        ("see https://a.example/x/y and http://b.example/z", ["see", "x/y", "and", "z"]),
        ("https://a.example?depth=2", ["depth", "2"]),
        ("urn:acme:v2", ["urn:acme:v2"]),
    ],
)
def test_scheme_and_host_are_no_part_of_a_path(value: str, expected: list[str]) -> None:
    assert words(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/api/now/table/…", ["api/now/table/{}"]),
        ("/api/…/table", ["api/{}/table"]),
        ("/api/…/…/table", ["api/{}/{}/table"]),
        ("…/api/now/table/…", ["api/now/table/{}"]),
        ("…/…", []),
        ("…", []),
        ("/…/table", ["{}/table"]),
        ("/api/now/…?sysparm_limit=…", ["api/now/{}", "sysparm_limit"]),
        ("/api/v…/table/x", ["api/{}/table/x"]),
        ("/api/x.…/…", ["api/{}/{}"]),
        ("…api/now/x", ["api/now/x"]),
        ("…-x/now", ["-x/now"]),
        ("{base}/api/now/x", ["api/now/x"]),
        ("%s/api/%s/x", ["api/{}/x"]),
        ("/{base}/api", ["{}/api"]),
        ("/Orders('…')/to_Item", ["Orders", "to_Item"]),
        ("/Orders(Id='…',Year=…)/to_Item", ["Orders", "Id", "Year", "to_Item"]),
        ("X-…-Id …-x v…", []),
        ("Bearer …", ["Bearer"]),
    ],
)
def test_an_open_segment_of_a_path_stays(value: str, expected: list[str]) -> None:
    assert words(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/workers/{workerId}/jobs", ["workers/{}/jobs"]),
        ("/workers/{}/jobs/{0}", ["workers/{}/jobs/{}"]),
        ("/workers/%s/jobs/%(job)s", ["workers/{}/jobs/{}"]),
        ("/workers/${workerId}/jobs", ["workers/{}/jobs"]),
        ("/workers/w{id}/jobs", ["workers/{}/jobs"]),
        ("/workers:batchGet", ["workers:batchGet"]),
        ("query{workers(first:5){workerId}}", ["query", "workers", "first:5", "workerId"]),
    ],
)
def test_the_gaps_of_a_template_are_open_segments(value: str, expected: list[str]) -> None:
    assert words(value) == expected


def test_xml_prefixes_are_the_writers_own() -> None:
    body = (
        '<env:Envelope xmlns:env="urn:env" xmlns:ns1="urn:com.acme/hr">'
        '<ns1:Get_Staff ns1:version="v42.1"><q:Ref>…</q:Ref></ns1:Get_Staff></env:Envelope>'
    ).replace("…", OPEN)
    prefixes = xml_prefixes(["no xml: here", body])
    assert prefixes == {"env", "ns1", "q"}
    assert words(body, *prefixes) == [
        *("Envelope", "urn:env", "urn:com.acme/hr", "Get_Staff", "version", "v42.1", "Ref", "Ref", "Get_Staff"),
        "Envelope",
    ]
    assert words("ns1:Result/ns1:Staff", *prefixes) == ["Result", "Staff"], "in a search path too"
    assert words("urn:com.acme/hr", *prefixes) == ["urn:com.acme/hr"]
    assert words("{urn:com.acme/hr}Get_Staff", *prefixes) == ["urn:com.acme/hr", "Get_Staff"]
    assert words("<…:Get_Staff>") == ["Get_Staff"]


def test_namespaces_of_standards_are_nobodys_documentation() -> None:
    assert words("http://www.w3.org/2001/XMLSchema-instance http://schemas.xmlsoap.org/soap/envelope/ x") == ["x"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/x?expand=names&view=&…=1&flat", ["expand", "names", "view", "flat"]),
        ("/x?q=active=true", ["q", "active=true"]),
        ("/x?a=…&b=p…#top", ["a", "b"]),
        ("a=b&c=d", []),
    ],
)
def test_whole_keys_and_values_of_a_query(value: str, expected: list[str]) -> None:
    value = value.replace("…", OPEN)
    assert [w for w in whole_query_words(value) if w != "1"] == expected


PIECES = st.sampled_from([*"aB1_-/$.:{}<>?&=%s '\"", OPEN, "xmlns:", "https://", "<a:", "%(a)s"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_word_holds_no_separator_and_nothing_open(value: str) -> None:
    for word, start, end in words_of(value, xml_prefixes([value])):
        assert word
        assert 0 <= start < end <= len(value)
        assert OPEN not in word
        assert not set(word) & set(" '\"()[]<>;,|?&=^`")
        assert word == word.strip(OUTER)
        assert all(s == "{}" or not set(s) & set("{}") for s in word.split("/"))
        assert "{}" in word or value[start:end] == word


def test_long_values_take_linear_time() -> None:
    begin = time.monotonic()
    list(words_of("{" + "a:" * 100_000, frozenset({"b"})))
    for piece in ("/a{", "{x", "<a:", "https://", "xmlns:", "%(", OPEN + "/", "a:" * 3, "{a:", OPEN, "a.", "a-"):
        list(words_of(piece * 20_000, frozenset({"a"})))
    assert time.monotonic() - begin < 10
