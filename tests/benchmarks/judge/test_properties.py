"""What holds for every text: the judge never raises, and its verdicts do not contradict themselves."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    Verdict,
    decided_by,
    extract_official,
    extract_published,
    judge_official,
    judge_published,
    kind_in_gold,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.judge import lexer as lexing
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search

ANY = st.text(st.characters(), max_size=40)
URLS = st.one_of(
    ANY, st.sampled_from(["https://d.example/a", "https://d.example/a?b=1", "https://[x", "#", "https://"])
)
NEEDLES = st.lists(
    st.builds(
        Needle,
        st.one_of(ANY, st.sampled_from(["x", "/a/{}/b", "/{id}", "X-Y", "a/b/", ":a/b", "\ufdd0", "needle", "/"])),
        st.sampled_from(["header", "path", "other"]),
    ),
    max_size=6,
)
EVIDENCE = st.builds(
    Evidence,
    st.lists(
        st.builds(
            Search,
            ANY,
            st.lists(st.builds(Hit, URLS, ANY, ANY), max_size=3).map(tuple),
            st.one_of(st.none(), ANY),
        ),
        max_size=3,
    ).map(tuple),
    st.lists(
        st.builds(
            Fetch,
            URLS,
            st.one_of(st.none(), URLS),
            ANY,
            ANY,
            st.one_of(st.none(), ANY),
            st.sampled_from([None, 200, 404]),
        ),
        max_size=3,
    ).map(tuple),
)

PIECES = """\
# source: https://d.example/a
#source: https://d.example/a?b=1.
# source:
#https://d.example/b
x = 'needle'
x = "a" "b" + y + f"{z}/needle"
y = f'{x!r:>{y}}#' '''
''' # c
def f(a, *b, c='needle', **d) -> "x":
@g("needle")
class A(B, metaclass=C):
if x:
elif y:
else:
try:
except E as e:
finally:
match x:
case {"a": [*_], **r} if needle:
case A(b=1) | None as c:
for i, (j, *k) in x:
while (n := f(x)):
with a as b, c as (d, e):
lambda a, *b: a + 'needle'
[a + 'x' for a in b if c for d in a]
return yield await
global x
nonlocal y
del x, y[0]
import a.b as c, d
from . import *
type T[U: int, *V, **W] = 'needle'
x: int = 'needle'
x += '/needle'
pass; pass
'doc'
"""
LINES = st.one_of(st.sampled_from(PIECES.split("\n")), ANY)
INDENTS = st.sampled_from(["", "    ", "\t", "  ", "        ", "\f", "\\\n"])
ENDS = st.sampled_from(["\n", "\n\n", "\r\n", "\r", "", "  # source: https://d.example/a\n", "\u2028"])
CODE = st.lists(st.tuples(INDENTS, LINES, ENDS).map("".join), max_size=14).map("".join)
FENCES = st.sampled_from(
    ["```", "~~~", "````", "```python", "```client.py", "~~~ py x=1", "<think>", "</think>", "> ", "- "]
)
ANSWERS = st.lists(st.one_of(FENCES, LINES, ENDS, st.just("\n")), max_size=20).map("".join)


def check(verdict: Verdict, needles: list[Needle]) -> None:
    missing, uncited, ungrounded = map(set, (verdict.missing, verdict.uncited, verdict.ungrounded))
    failed = [*verdict.missing, *verdict.uncited, *verdict.ungrounded]
    assert len(failed) == len(missing | uncited | ungrounded)
    assert missing | uncited | ungrounded <= {needle.text for needle in needles}
    texts = [one.needle for one in verdict.needles]
    assert len(texts) == len(set(texts))
    assert [text for text in texts if text in missing] == list(verdict.missing)
    assert verdict.recovered is (verdict.compiled and not missing)
    if not verdict.compiled:
        assert not verdict.passed
        assert not failed
        assert verdict.notes
    if verdict.passed:
        assert not failed
    for one in verdict.needles:
        assert one.present is (verdict.compiled and one.needle not in missing)
        assert one.present or (one.line, one.urls, one.grounded_by) == (None, (), None)
        assert one.urls or not one.grounded_by
        assert (one.needle in ungrounded) <= bool(one.urls)


def judge_both(text: str, needles: list[Needle], evidence: Evidence, cite_urls: bool = True) -> tuple[Verdict, Verdict]:
    one = judge_published(text, needles, evidence, outfile="client.py", cite_urls=cite_urls)
    other = judge_official(text, needles, evidence, outfile="client.py", cite_urls=cite_urls)
    check(one, needles)
    check(other, needles)
    assert (decided_by(one, other) is None) is (one.passed == other.passed)
    if not needles:
        assert not one.passed
    return one, other


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(ANY, CODE), NEEDLES, EVIDENCE, st.booleans())
def test_any_submission(text: str, needles: list[Needle], evidence: Evidence, cite_urls: bool) -> None:
    one, _ = judge_both(text, needles, evidence, cite_urls)
    assert judge_published(text, needles, evidence, outfile="client.py", cite_urls=cite_urls) == one


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(ANY, ANSWERS), st.sampled_from(["client.py", "a/b.py", "", "\ud800", "x\0.py"]))
def test_any_answer(answer: str, outfile: str) -> None:
    submission = extract_published(answer, outfile)
    official = extract_official(answer)
    for text in (submission.text, official):
        assert text == "" or text.strip()
        text.encode()
    assert judge_published(submission, [Needle("x")], Evidence(), outfile=outfile).digest
    judge_official(official, [Needle("x")], Evidence(), outfile=outfile)


@given(ANY, st.one_of(ANY, CODE))
def test_any_gold(needle: str, gold: str) -> None:
    assert kind_in_gold(needle, gold) in ("header", "path", "other")


@given(ANY)
def test_any_text_is_scanned(text: str) -> None:
    lexing.lex(text.replace("\r", "\n"))


MODULES = [ast.__file__, random.__file__, lexing.__file__, __file__]


@pytest.mark.parametrize("path", MODULES, ids=[Path(path).name for path in MODULES])
def test_mutated_code(path: str) -> None:
    source = Path(path).read_text(encoding="utf-8")
    lines = source.split("\n")
    rng = random.Random(7)
    needles = [Needle("isinstance"), Needle("return/{}", "path"), Needle("Node", "header"), Needle("import")]
    evidence = Evidence((Search("q", (Hit("https://d.example/a"),)),))
    compiled = 0
    for _ in range(60):
        at = rng.randrange(len(lines))
        part = lines[at : at + rng.randrange(1, 60)]
        for _ in range(rng.randrange(3)):
            spot = rng.randrange(len(part))
            part[spot] = rng.choice(
                [
                    part[spot].lstrip(),
                    part[spot][rng.randrange(len(part[spot]) + 1) :],
                    part[spot] + "  # source: https://d.example/a",
                    " " * rng.randrange(9) + "# source: https://d.example/a",
                    "",
                ]
            )
        indent = min((len(line) - len(line.lstrip()) for line in part if line.strip()), default=0)
        one, _ = judge_both("\n".join(line[indent:] for line in part), needles, evidence)
        compiled += one.compiled
    assert compiled
    assert judge_both(source, needles, evidence)[0].compiled


@settings(max_examples=200, deadline=None)
@given(CODE)
def test_line_ends_decide_nothing(code: str) -> None:
    needles = [Needle("needle"), Needle("x"), Needle("a/{}/b", "path")]
    evidence = Evidence((Search("q", (Hit("https://d.example/a"),)),))
    plain = code.replace("\r\n", "\n").replace("\r", "\n")
    verdicts = [
        judge_published(text, needles, evidence, outfile="client.py") for text in (plain, plain.replace("\n", "\r\n"))
    ]
    assert [(v.compiled, v.missing, v.uncited, v.ungrounded) for v in verdicts[:1]] * 2 == [
        (v.compiled, v.missing, v.uncited, v.ungrounded) for v in verdicts
    ]
    assert compile_file(plain, "client.py").text == compile_file(plain.replace("\n", "\r"), "client.py").text
