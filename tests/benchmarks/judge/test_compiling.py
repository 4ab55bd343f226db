"""Whether a submission compiles: the interpreter's own word, whatever its settings, and never at its cost."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Submission, Verdict, judge_published
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import (
    MAX_BYTES,
    NUL,
    TOO_LARGE,
    compile_file,
    parses,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.remarks import DIFF, ELIDED, EMPTY
from agentcompass_websearch.records import Evidence
from tests.benchmarks.judge.support import DOCS, official, published
from tests.support.installs import Run

BAD = {
    "unclosed": "x = (",
    "two names": "x y",
    "return at the top": "return 1",
    "await at the top": "await x",
    "late future": "x = 1\nfrom __future__ import annotations",
    "unknown future": "from __future__ import nothing",
    "indent": "if x:\ny",
    "tabs and spaces": "if x:\n\ty\n        z",
    "break outside": "break",
    "duplicate argument": "def f(a, a): pass",
    "bytes with a letter": "b'\u00e9'",
    "no-break space": "x\u00a0= 1",
    "prose": "I cannot help with that.",
    "huge number": "x = " + "9" * 5_000,
    "nonlocal": "nonlocal x",
}


@pytest.mark.parametrize("code", BAD.values(), ids=BAD)
def test_what_does_not_compile(code: str) -> None:
    for verdict in (published(code, "x", cite_urls=False), official(code, "needle", cite_urls=False)):
        assert (verdict.passed, verdict.compiled) == (False, False)
        assert (verdict.missing, verdict.uncited, verdict.ungrounded) == ((), (), ())
        assert verdict.notes[0].startswith(("SyntaxError: ", "IndentationError: ", "TabError: "))


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "x = 1\r\ny = 2\r\n",
        "x = 1\ry = 2",
        "x = 1\f\ny = 2",
        "if x:\n\ty",
        "x = '\\d'",
        "x = f'{'a'}'",
        "assert (1, 2)",
        "x is 1",
        "()()",
        "# coding: latin-1\nx = '\u00e9'",
        "# coding: no-such-thing\nx = 1",
        "from __future__ import annotations\nx: y = 1",
        "\u00e9 = 1",
        "type X = int",
    ],
)
def test_what_does(code: str) -> None:
    assert published(code, "needle").compiled
    assert official(code, "needle").compiled


def test_a_file_without_a_statement_compiles_for_the_official_policy_only() -> None:
    for code in ("# only a comment", "", " \n", "\\\n"):
        assert not published(code, "needle").compiled
        assert official(code, "needle").compiled or code == "\\\n"
    assert published('"""doc"""', "needle").compiled


def test_the_caller_is_not_inherited_from() -> None:
    # The judge's modules have `annotations` from the future, the submission has not.
    assert published("class A:\n    x: (y := 1) = 2", "needle").compiled


@pytest.mark.parametrize(
    ("code", "point"),
    [
        ("x\u200b = 1", "U+200B"),
        ("x\u00a0= 1", "U+00A0"),
        ("\ufeffx = 1", "U+FEFF"),
        ("x = 1\u2028", "U+2028"),
        ("x = '\ud835'", "\\ud835"),
    ],
)
def test_a_character_that_nobody_sees_is_named(code: str, point: str) -> None:
    for verdict in (published(code, "needle"), official(code, "needle")):
        assert not verdict.compiled
        assert point in verdict.notes[0]


def test_invisible_characters_in_strings_do_no_harm() -> None:
    assert published("x = '\u200b\u00a0\ufeff\u2028'", "needle").compiled


def test_nul_is_refused_by_any_interpreter() -> None:
    for code in ("x = 1\0\n", "\0", "# \0\nx = 1", "x = '\0'"):
        assert published(code, "needle").notes[0] == NUL
        assert official(code, "needle").notes[0] == NUL


def test_size() -> None:
    def filled(size: int, char: str = "x") -> str:
        return f"needle = '{char * ((size - 11) // len(char.encode()))}'"

    assert len(filled(MAX_BYTES)) == MAX_BYTES
    assert published(filled(MAX_BYTES), "needle", cite_urls=False).passed
    for code in (filled(MAX_BYTES + 1), filled(MAX_BYTES + 2, "\u00e9"), filled(MAX_BYTES * 3)):
        for verdict in (published(code, "needle"), official(code, "needle")):
            assert not verdict.compiled
            assert verdict.notes[0] == TOO_LARGE
    assert published(filled(MAX_BYTES, "\u00e9"), "needle").compiled


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("", EMPTY),
        (" \n\t\n", EMPTY),
        ("--- PATH\n+++ PATH\n-x_old\n+x_new\n", DIFF),
        ("--- a/client.py\n+++ b/client.py\n@@ -1 +1 @@\n-PATH = 1\n+PATH = 2", DIFF),
        ("<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE", DIFF),
        ("import httpx\n# ... rest of the file unchanged ...\nx = 1", ELIDED),
        ("def f():\n    # ... existing code ...\n    pass", ELIDED),
        ("x = 1\n... # the rest stays the same as before", ELIDED),
        ("x = 1\n\u2026 unchanged", ELIDED),
    ],
)
def test_what_a_submission_looks_like_is_noted(code: str, note: str) -> None:
    assert note in published(code, "needle").notes


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "def f() -> int: ...",
        "class A:\n    x: int\n    ...",
        "x = 1  # the rest is unchanged",
        "x = -y\n+z",
        "a = b ---c",
    ],
)
def test_an_ordinary_file_has_no_notes(code: str) -> None:
    assert published(code, "needle").notes == ()


def test_notes_on_the_answer_are_kept() -> None:
    verdict = judge_published(Submission("", ("told",)), [], Evidence(), outfile="client.py")
    assert verdict.notes == ("told", EMPTY)
    assert not verdict.passed


DEEP: dict[str, Callable[[], str]] = {
    "attributes": lambda: "x = a" + ".b" * 200_000,
    "calls": lambda: "x = f" + "()" * 100_000,
    "subscripts": lambda: "x = a" + "[0]" * 50_000,
    "sums": lambda: "x = " + "'a'+" * 200_000 + "'a'",
    "signs": lambda: "x = " + "-" * 500_000 + "1",
    "nots": lambda: "x = " + "not " * 200_000 + "1",
    "powers": lambda: "x = " + "1**" * 200_000 + "1",
    "lambdas": lambda: "x = " + "lambda:" * 100_000 + "1",
    "conditions": lambda: "x = " + "1 if a else " * 80_000 + "1",
    "elifs": lambda: "if a:\n pass\n" + "elif a:\n pass\n" * 60_000,
    "parentheses": lambda: "x = " + "(" * 500_000,
    "brackets": lambda: "[" * 1_000_000,
    "braces": lambda: "{" * 1_000_000,
    "f-strings": lambda: "x = " + "f'{" * 200_000,
    "format specs": lambda: "x = f'{a" + ":{a" * 200_000,
    "comprehension": lambda: "x = [a" + " for a in b" * 50_000 + "]",
    "generator": lambda: "x = f(a" + " for a in b" * 50_000 + ")",
    "conditions of a comprehension": lambda: "x = [a for a in b" + " if a" * 1_500 + "]",
    "indentation": lambda: "".join(" " * n + "if a:\n" for n in range(1_400)),
    "patterns": lambda: "match a:\n case " + "[" * 100_000,
    "dotted import": lambda: "import " + "a." * 300_000 + "a",
    "spaced dotted import": lambda: "import " + "a . " * 200_000 + "a",
    "with items": lambda: "with " + "a," * 20_000 + "a: pass",
    "fields": lambda: "x = f'" + "{a}" * 300_000 + "'",
    "stars": lambda: "x = " + "*" * 1_000_000,
    "semicolons": lambda: ";" * 1_000_000,
    "continued": lambda: "\\\n" * 500_000,
}


@pytest.mark.parametrize("make", DEEP.values(), ids=DEEP)
def test_no_nesting_crashes_the_interpreter_or_stalls_it(make: Callable[[], str]) -> None:
    code = make()
    verdict = published(code, "needle")
    assert verdict.compiled is official(code, "needle").compiled
    assert verdict.compiled or verdict.notes[0]


def test_ordinary_depth_compiles_in_a_thread_too() -> None:
    codes = ["x = a" + ".b" * 900, "x = " + "'a'+" * 900 + "'b'", "x = " + "(" * 90 + "1" + ")" * 90]
    verdicts: list[Verdict] = []
    thread = threading.Thread(target=lambda: verdicts.extend(published(code, "needle") for code in codes))
    thread.start()
    thread.join()
    assert [verdict.compiled for verdict in verdicts] == [True] * 3


def test_depth_of_the_caller_does_not_matter() -> None:
    blocks = "".join(" " * n + "if a:\n" for n in range(95)) + " " * 95 + "x = 'needle'"

    def below(depth: int) -> bool:
        return below(depth - 1) if depth else published(blocks, "needle", cite_urls=False).passed

    assert below(sys.getrecursionlimit() // 2)


WARNING = "x = '\\d'\nassert (x, 1)\nx is 1\n"


def test_warnings_are_silent_whatever_the_filters(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("error", "always", "default"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            assert compile_file(WARNING, "client.py").fault == ""
            assert parses(WARNING)
        assert caught == []
    assert capsys.readouterr() == ("", "")


def test_other_warnings_stay_as_they_are() -> None:
    compile_file(WARNING, "client.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_file(WARNING, "client.py")
        with pytest.raises(SyntaxError):
            compile(WARNING, "client.py", "exec")
        with pytest.raises(UserWarning):
            warnings.warn("told", UserWarning, stacklevel=1)


def test_filters_do_not_pile_up() -> None:
    with warnings.catch_warnings():
        compile_file(WARNING, "client.py")
        before = list(warnings.filters)
        for _ in range(5):
            compile_file(WARNING, "client.py")
        assert warnings.filters == before


@pytest.mark.parametrize("setting", ["error", "error::SyntaxWarning", "always", "ignore"])
def test_the_interpreters_own_setting_does_not_matter(run: Run, setting: str) -> None:
    script = (
        "from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file\n"
        f"print(compile_file({WARNING!r}, 'client.py').fault or 'compiles')"
    )
    done = run("python", "-W", setting, "-c", script)
    assert (done.out.strip(), done.err) == ("compiles", "")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_threads_with_filters_of_their_own_do_not_disturb() -> None:
    stop = threading.Event()

    def disturb() -> None:
        while not stop.is_set():
            with warnings.catch_warnings():
                warnings.simplefilter("error")

    with warnings.catch_warnings():
        threads = [threading.Thread(target=disturb) for _ in range(2)]
        for thread in threads:
            thread.start()
        faults = {compile_file(WARNING, "client.py").fault for _ in range(300)}
        stop.set()
        for thread in threads:
            thread.join()
    assert faults == {""}


def test_what_parses() -> None:
    assert parses("x = 1")
    assert parses("return 1")
    for text in ("", "# c", "x =", "x = '\0'", "\ud800", "x = a" + ".b" * 10_000, "x" * (MAX_BYTES + 1)):
        assert not parses(text)


def test_nothing_is_executed() -> None:
    code = f"# source: {DOCS}\nraise SystemExit('needle')\nimport no_such_module\n"
    assert published(code, "needle").passed
    assert official(code, "needle").passed
