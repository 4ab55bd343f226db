"""Which comments are source comments, and which URLs they name."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.citations import source_comments, urls_in
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.lexer import lex
from tests.benchmarks.judge.support import DOCS, outcome, published

A, B = "https://docs.acme.example/a", "https://docs.acme.example/b"
WIKI = "https://docs.acme.example/wiki/Worker_(batch)"


def urls_of(code: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(comment.line, comment.urls) for comment in source_comments(code, lex(code))]


@pytest.mark.parametrize(
    "comment",
    [
        f"# source: {A}",
        f"#source:{A}",
        f"#   SOURCE  :   {A}",
        f"## Source: {A}",
        f"#: source: {A}",
        f"# sources: {A}",
        f"# Sources : {A}",
        f"# path, source: {A}",
        f"# (source: {A})",
        f"# @source: {A}",
        f"# source\uff1a{A}",
        f"# source: the docs, {A}",
        f"# source:\t{A}",
        f"# source: \u53c2\u8003{A}",
        f"# no source known, but source: {A}",
        f"# open-source source: {A}",
    ],
)
def test_what_is_a_source_comment(comment: str) -> None:
    assert urls_of(f"{comment}\nx = 1") == [(1, (A,))]


@pytest.mark.parametrize(
    "comment",
    [
        f"# {A}",
        f"# docs: {A}",
        f"# resource: {A}",
        f"# data_source: {A}",
        f"# open-source: {A}",
        f"# source-url: {A}",
        f"# source_url: {A}",
        f"# sources2: {A}",
        f"# sourced: {A}",
        f"# \u00e9source: {A}",
        f"# source\u00e9: {A}",
        f"# 2source: {A}",
        f"# \u017fource: {A}",
        f"# source {A}",
        f"# source = {A}",
        f"# source, see: {A}",
        f"# {A} source:",
        "# source: the docs",
        "# source: www.acme.example/a",
        "# source: ftp://docs.acme.example/a",
        "# source: https://",
        "# source: https://...",
        "# source: http\u017f://docs.acme.example/a",
    ],
)
def test_what_is_none(comment: str) -> None:
    assert urls_of(f"{comment}\nx = 1") == []


def test_the_url_may_stand_on_the_line_below() -> None:
    assert urls_of(f"# source:\n# {A}\nx = 1") == [(1, (A,))]
    assert urls_of(f"# source: the page\n#   {A} and {B}\nx = 1") == [(1, (A, B))]
    assert urls_of(f"x = 1  # source:\n# {A}") == [(1, (A,))]
    assert urls_of(f"x = (1,  # source:\n    # {A}\n)") == [(1, (A,))]
    assert urls_of(f"# source:\r\n# {A}\r\n".replace("\r\n", "\n")) == [(1, (A,))]
    assert urls_of(f"# source:\n# source: {A}") == [(1, (A,)), (2, (A,))]


def test_but_not_further_below_nor_behind_code() -> None:
    assert urls_of(f"# source:\n\n# {A}\nx = 1") == []
    assert urls_of(f"# source:\n# see\n# {A}\nx = 1") == []
    assert urls_of(f"# source:\nx = 1  # {A}") == []
    assert urls_of(f"# source: {A}\n# {B}\nx = 1") == [(1, (A,))]
    assert urls_of(f"# source:\nx = '''\n# {A}\n'''") == []


def test_the_line_below_attaches_where_the_comment_stands() -> None:
    assert published(f"x = 'needle'  # source:\n# {DOCS}\n\ny = 1", "needle").passed
    assert outcome(published(f"x = 'needle'\n# source:\n# {DOCS}\ny = 1", "needle")) == "uncited"


def test_comments_are_what_the_tokenizer_calls_so() -> None:
    assert urls_of(f"x = '# source: {A}'") == []
    assert urls_of(f"x = '''\n# source: {A}\n'''") == []
    assert urls_of(f'"""\n# source: {A}\n"""') == []
    assert urls_of(f"x = f'# source: {A} {{1}}'") == []
    assert urls_of(f"x = f'''{{1  # source: {A}\n}}'''") == [(1, (A,))]
    assert urls_of(f"x = '\\'# source: {A}'") == []
    assert urls_of(f"x = r'\\'  # source: {A}'\n") == []


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        (f"{A}.", [A]),
        (f"{A}...", [A]),
        (f"{A},", [A]),
        (f"{A}; {B}", [A, B]),
        (f"{A}:", [A]),
        (f"{A}!?", [A]),
        (f"**{A}**", [A]),
        (f"'{A}'", [A]),
        (f'"{A}"', [A]),
        (f"`{A}`, `{B}`", [A, B]),
        (f"<{A}>", [A]),
        (f"({A})", [A]),
        (f"({A}).", [A]),
        (f"{A},)", [A]),
        (f"{{{A}}}", [A]),
        (f"[Acme]({A})", [A]),
        (f"[{A}]", [A]),
        (f"[{A}]({B})", [A, B]),
        (WIKI, [WIKI]),
        (f"({WIKI})", [WIKI]),
        (f"({WIKI}).", [WIKI]),
        (f"{WIKI})))", [WIKI]),
        (f"{A}(b", [f"{A}(b"]),
        (f"{A}/{{id}}", [f"{A}/{{id}}"]),
        (f"{A}'s", [f"{A}'s"]),
        (f"\u201c{A}\u201d", [A]),
        (f"\u00ab{A}\u00bb", [A]),
        (f"{A}\u3002", [A]),
        (f"{A}\uff0c{B}\u3001{B}/c", [A, B, f"{B}/c"]),
        (f"\uff08{A}\uff09", [A]),
        (f"{A}\u200b", [A]),
        (f"{A}\u200bx", [A]),
        (f"{A}\ufeff", [A]),
        (f"{A}\u00a0{B}", [A, B]),
        (f"{A}\t{B}", [A, B]),
        ("HTTPS://Docs.Acme.Example/A", ["HTTPS://Docs.Acme.Example/A"]),
        ("http://docs.acme.example", ["http://docs.acme.example"]),
        ("https://[docs.acme.example/a", ["https://[docs.acme.example/a"]),
        ("https://[::1]/a", ["https://[::1"]),
        (f"{A}//", [f"{A}//"]),
        ("https:///a", ["https:///a"]),
        ("https:///", ["https:///"]),
        ("https://acme.example/?next=http://", ["https://acme.example/?next=http://"]),
        ("https:// docs", []),
        ("https://,", []),
    ],
)
def test_where_a_url_ends(text: str, urls: list[str]) -> None:
    assert list(urls_in(text)) == urls


@pytest.mark.parametrize(
    "comment",
    [
        "# source: https://docs.acme.example/a.",
        "# source: (https://docs.acme.example/a)",
        "# source: <https://docs.acme.example/a>",
        "# source: [Acme docs](https://docs.acme.example/a)",
        "# source: `https://docs.acme.example/a`,",
        '# source: "https://docs.acme.example/a";',
        "# source: https://docs.acme.example/a,)",
        "# source: https://docs.acme.example/a\u3002",
        "# source: https://docs.acme.example/a\uff0chttps://docs.acme.example/b",
        "# source: https://docs.acme.example/a\u200b",
        "# source\uff1ahttps://docs.acme.example/a",
    ],
)
def test_punctuation_around_a_url_keeps_nothing_from_being_grounded(comment: str) -> None:
    assert published(f"{comment}\nx = 'needle'", "needle").passed


def test_a_malformed_url_is_a_citation_but_grounds_nothing() -> None:
    assert outcome(published("# source: https://[docs.acme.example/a\nx = 'needle'", "needle")) == "ungrounded"
    assert outcome(published("# source: https://docs.acme.example:x/a\nx = 'needle'", "needle")) == "ungrounded"
