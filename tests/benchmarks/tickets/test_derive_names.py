"""Names that are nobody's secret: of libraries, of every API, of no language."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_names import (
    is_generic,
    is_opaque,
    library_names,
)
from tests.support.library_names import HEADER, TARGET, public_names


def test_the_list_is_what_its_maker_writes() -> None:
    """Versions differ in a few names; the list must hold nearly all of those that are installed here."""
    assert TARGET.read_text("utf-8").startswith(HEADER)
    here = public_names()
    assert len(here - library_names()) < len(here) / 20


@pytest.mark.parametrize(
    "name",
    [
        *("follow_redirects", "raise_for_status", "status_code", "iter_lines", "max_retries", "allow_redirects"),
        *("b64encode", "total_seconds", "ensure_ascii", "getLogger", "exc_info", "ThreadPoolExecutor"),
        *("as_posix", "is_alive", "status_forcelist", "write_text"),
    ],
)
def test_names_that_clients_use(name: str) -> None:
    assert name in library_names()


@pytest.mark.parametrize(
    "name", ["sysparm_query", "to_Item", "submit_release", "batchSize", "X-CSRF-Token", "businessProcessParameters"]
)
def test_names_of_vendors_are_not_on_it(name: str) -> None:
    assert name not in library_names()
    assert not is_generic(name)


@pytest.mark.parametrize(
    ("word", "opaque"),
    [
        *(("lane", False), ("Lane", False), ("", False), ("größe", False), ("^x", False)),
        *(("lane2", True), ("laneOne", True), ("LANE", True), ("a_b", True), ("a-b", True), ("a/b", True)),
        *(("$top", True), ("a.b", True), ("a:b", True)),
    ],
)
def test_opaque_words(word: str, opaque: bool) -> None:
    assert is_opaque(word) is opaque


@pytest.mark.parametrize(
    "word",
    [
        *("ab", "x/{}", "{}/{}", "---", "12", "1.5", "-7", "1,000", "True", "NULL", "all", "false"),
        *("GET", "DELETE", "application/json", "text/xml", "HTTP/1.1", "json", "UTF-8", "Accept", "accept-encoding"),
        *("Content-Type", "content-md5", "User-Agent", "Cache-Control", "__name__"),
    ],
)
def test_generic_words(word: str) -> None:
    assert is_generic(word)


@pytest.mark.parametrize(
    "word", ["2026-07-01", "v42", "abc", "all_items", "Accepted", "ContentType", "application/x.v2"]
)
def test_words_that_are_not_generic(word: str) -> None:
    assert not is_generic(word)
