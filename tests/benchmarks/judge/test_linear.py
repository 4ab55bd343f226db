"""Time is linear in the input: inputs of up to a mebibyte that freeze careless code are judged within moments.

Bounds are generous, on the processor time of this process; each case takes far less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    extract_official,
    extract_published,
    judge_official,
    judge_published,
)
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search
from tests.benchmarks.judge.support import DOCS

MIB = 1 << 20
NEEDLES = [
    Needle("/api/v2/{id}/x", "path"),
    Needle("X-Mode", "header"),
    Needle("workerBatch"),
    Needle("/api/v2/y", "path"),
]
EVIDENCE = Evidence((Search("q", (Hit(DOCS),)),))
END = f"\n# source: {DOCS}\nlast = '/api/v2/y'\n"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def times(piece: str, size: int = MIB - 1_000) -> str:
    return piece * (size // len(piece))


TEXTS: dict[str, Callable[[], str]] = {
    "backticks": lambda: times("`"),
    "lines of backticks": lambda: times("`\n"),
    "fences": lambda: times("```a\n"),
    "blocks": lambda: times("```\n$\n```\n", MIB // 4),
    "tildes": lambda: times("~"),
    "unclosed fence and spaces": lambda: "```python\n" + " " * 50_000 + "x",
    "opening tags": lambda: times("<think>"),
    "cut opening tags": lambda: times("<think "),
    "thoughts": lambda: times("<think></think>"),
    "closing tags": lambda: times("</think>"),
    "closing tags and a fence": lambda: times("</think>") + "\n```python\nx = 1\n```",
    "words on a fence": lambda: "```" + times("a=' ") + "\nx\n```",
    "braces on a fence": lambda: "```" + times("{") + "\nx\n```",
    "dots on a fence": lambda: "```" + times("a.") + "\nx\n```",
    "diff marks": lambda: times("--- a\n", MIB // 16),
    "conflict marks": lambda: times("<<<<<<<\n"),
    "omissions": lambda: times("# ... rest"),
    "tool calls": lambda: times("<tool_call"),
    "operators": lambda: times("site:"),
    "hashes": lambda: times("#"),
    "lines of hashes": lambda: times("#\n"),
    "quotes": lambda: times("> "),
    "dashes": lambda: times("- "),
    "attributes": lambda: "x = a" + times(".b"),
    "brackets": lambda: times("["),
    "parentheses": lambda: times("("),
    "nested f-strings": lambda: "x = " + times('f"{'),
    "fields": lambda: 'x = f"' + times("{a}") + '"',
    "sums": lambda: "x = " + times('"a"+') + '"a"',
    "dotted import": lambda: "import " + times("a.") + "a",
    "deep indentation": lambda: "".join(" " * n + "if a:\n" for n in range(1_400)),
    "spaces": lambda: times(" "),
    "line ends": lambda: times("\n"),
    "carriage returns": lambda: times("\r"),
    "nulls": lambda: times("\0"),
    "surrogates": lambda: times("\ud800"),
}

CODE: dict[str, Callable[[], str]] = {
    "targets": lambda: times("x=", MIB // 4) + "'a'" + END,
    "adjacent literals": lambda: "x = (" + times("'a' ", MIB // 4) + ")" + END,
    "one long string": lambda: "x = '" + times("a") + "'" + END,
    "needles in a string": lambda: "x = '" + times("workerBatch ") + "'" + END,
    "slashes in a string": lambda: "x = '" + times("/api/v2/") + "'" + END,
    "backslashes": lambda: "x = r'" + times("\\d") + "'" + END,
    "blank lines": lambda: "x = '''" + times("\n") + "'''" + END,
    "long comment": lambda: "# " + times("source ") + END,
    "spaces behind the word": lambda: "# source" + times(" ") + ": x" + END,
    "brackets behind the word": lambda: "# source: " + times("[") + END,
    "brackets behind a URL": lambda: "# source: https://d.example/" + times(")") + END,
    "stops behind a URL": lambda: "# source: https://d.example/" + times(".") + END,
    "one long URL": lambda: "# source: https://d.example/" + times("a/../") + END,
    "URLs in a comment": lambda: "# source: " + times("https://d.example/a ", MIB // 2) + END,
    "source comments": lambda: times("# source: https://d.example/a\n", MIB // 2) + END,
    "cited statements": lambda: times("# source: https://d.example/a\nx = 'workerBatch'\n", MIB // 4) + END,
    "comments behind statements": lambda: times("x = 'workerBatch'  # source: https://d.example/a\n", MIB // 4) + END,
    "comments in a mapping": lambda: "x = {\n" + times("# source: https://d.example/a\n1: 2,\n", MIB // 2) + "}" + END,
    "one run": lambda: "# source: https://d.example/a\n" + times("x = 'workerBatch'\n", MIB // 8) + END,
    "statements on a line": lambda: times("x='a';", MIB // 16) + "  # source: https://d.example/a" + END,
    "wide statements on a line": lambda: times("\u00e9='\u00e9';", MIB // 16) + END,
    "deep statements": lambda: (
        "".join(" " * n + "if a:\n" for n in range(95)) + times(" " * 95 + "x = 1\n", MIB // 4) + END
    ),
    "alternatives": lambda: "if a:\n pass\n" + "elif a:\n pass\n" * 900 + END,
    "names of names": lambda: "a0 = 'x'\n" + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 5_000)) + END,
    "names of names backwards": lambda: "".join(f"a{n} = a{n - 1}\n" for n in range(5_000, 0, -1)) + "a0 = 'x'" + END,
    "growing names": lambda: "a0 = 'x.'\n" + "".join(f"a{n} = a{n - 1} + 'x.'\n" for n in range(1, 4_000)) + END,
    "doubling names": lambda: "a0 = 'x.'\n" + "".join(f"a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 4_000)) + END,
    "doubling names backwards": lambda: (
        "".join(f"a{n} = a{n - 1} + a{n - 1}\n" for n in range(4_000, 0, -1)) + "a0 = 'x.'" + END
    ),
    "long name in many places": lambda: f"a = '{'x' * 9_000}'\n" + times("f(a)\n", MIB // 32) + END,
}


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_texts(make: Callable[[], str]) -> None:
    text = make()
    with within(2):
        extract_published(text, "client.py")
    with within(2):
        extract_official(text)
    with within(2):
        judge_published(text, NEEDLES, EVIDENCE, outfile="client.py")
    with within(2):
        judge_official(text, NEEDLES, EVIDENCE, outfile="client.py")


@pytest.mark.parametrize("make", CODE.values(), ids=CODE)
def test_code(make: Callable[[], str]) -> None:
    code = make()
    with within(2):
        verdict = judge_published(code, NEEDLES, EVIDENCE, outfile="client.py")
    assert verdict.compiled
    assert verdict.needles[3].grounded_by
    with within(2):
        assert judge_official(code, NEEDLES, EVIDENCE, outfile="client.py").compiled


def test_many_needles_comments_and_pages() -> None:
    code = "".join(f"# source: https://d.example/{n}\nx = 'needle{n}'\n\n" for n in range(3_000))
    needles = [Needle(f"needle{n}") for n in range(0, 6_000, 8)]
    searches = [
        Search("q", tuple(Hit(f"https://d.example/{n}?x=1", "t" * 50, "s" * 50) for n in range(s, 12_000, 12)))
        for s in range(12)
    ]
    fetches = [Fetch(f"https://e.example/{n}", content="x" * 100) for n in range(3_000)]
    evidence = Evidence(tuple(searches), tuple(fetches))
    with within(2):
        verdict = judge_published(code, needles, evidence, outfile="client.py")
    assert verdict.compiled
    assert (len(verdict.missing), len(verdict.uncited), len(verdict.ungrounded)) == (375, 0, 0)
    with within(2):
        assert len(judge_official(code, needles[:375], evidence, outfile="client.py").missing) == 0


def test_many_comments_on_one_statement() -> None:
    comments = "".join(f"# source: https://d.example/{n}\n" for n in range(10_000))
    body = "".join(f"    x{n} = 'needle{n}'\n" for n in range(2_000))
    needles = [Needle(f"needle{n}") for n in range(2_000)]
    with within(2):
        verdict = judge_published(f"{comments}def f():\n{body}", needles, EVIDENCE, outfile="client.py")
    assert len(verdict.ungrounded) == 2_000
