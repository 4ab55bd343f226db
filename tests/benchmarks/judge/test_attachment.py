"""Which statements a source comment belongs to."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from tests.benchmarks.judge.support import DOCS, OTHER, cited, hits, published


def check(code: str, *, source: str = f"source: {DOCS}") -> None:
    """Check code whose needles say themselves whether they are cited: `yes1`, `no2`; `#S` is a source comment."""
    needles = re.findall(r"\b(?:yes|no)\d*\b", code)
    assert needles
    got = cited(dedent(code).replace("#S", "# " + source), needles)
    assert got == [needle for needle in dict.fromkeys(needles) if needle.startswith("yes")]


@pytest.mark.parametrize(
    "code",
    [
        # on the line of a statement, or inside its lines
        "x = 'yes'  #S\ny = 'no'",
        "w = 'no1'\nx = 'yes'  #S\n\ny = 'no2'",
        "x = f(\n    'yes',\n    #S\n)",
        "x = f(\n    'yes1',  #S\n    'yes2',\n)\ny = 'no'",
        "x = (  #S\n    'yes'\n)",
        "x = (\n    'yes'\n)  #S",
        "x = '''yes\n'''  #S",
        "x = f'''{'yes'  #S\n}'''",
        "x = 'yes' \\\n    + 'y'  #S\nz = 'no'",
        # several statements on a line
        "x = 'yes1'; y = 'yes2'  #S",
        "x = (\n'no'); y = 'yes'  #S".replace("no", "yes0"),
        "x = 'no'; y = (\n    'yes',  #S\n)",
        # the header of a compound statement only, and the lines of its clauses
        "def f(a='yes'):  #S\n    return 'no'",
        "def f(\n    a='yes',\n    #S\n    b=1,\n) -> 'yes2':\n    return 'no'",
        "class A(b='yes'):  #S\n    x = 'no'",
        "with f('yes') as g:  #S\n    x = 'no'",
        "for x in f('yes'):  #S\n    y = 'no'\nelse:\n    z = 'no2'",
        "while f('yes'):  #S\n    y = 'no'",
        "match f('yes'):  #S\n    case 'no1':\n        x = 'no2'",
        "match x:\n    case 'yes':  #S\n        x = 'no1'\n    case 'no2':\n        x = 'no3'",
        "if f('no0'):\n    x = 'no1'\nelif f('yes'):  #S\n    x = 'no2'\nelse:\n    x = 'no3'",
        "if a:\n    x = 'no1'\nelse:  #S\n    x = 'no2'",
        "try:  #S\n    x = 'no1'\nexcept f('yes'):  #S\n    x = 'no2'\nfinally:  #S\n    x = 'no3'",
        "async def f(a='yes'):  #S\n    async with g('no'): pass",
        # decorators are part of the header
        "@f('yes1')  #S\n@g('yes2')\ndef h(a='yes3'):\n    return 'no'",
        "@f('yes1')\n#S\n@g('yes2')\nclass A:\n    x = 'no'",
        "@f('yes1')\n#S\ndef h(): return 'no'",
        # a body on the header's line
        "if a: x = 'yes'  #S\ny = 'no'",
        "if f('yes1'): x = 'yes2'; y = 'yes3'  #S\nelse: z = 'no'",
        "if f('no1'): x = 'no2'\nelse: z = 'yes'  #S",
        "class A: x = 'yes'  #S",
        "lambda_ = lambda: 'yes'  #S",
    ],
)
def test_on_and_inside(code: str) -> None:
    check(code)


@pytest.mark.parametrize(
    "code",
    [
        # blank lines and other comments in between
        "#S\nx = 'yes'",
        "#S\n\n\nx = 'yes'",
        "#S\n# more\n\n# still more\nx = 'yes'",
        "x = 'no'\n#S\ny = 'yes'",
        "x = 'no'\n#S",
        # the statements that follow without a blank line
        "#S\nx = 'yes1'\ny = 'yes2'\nz = 'yes3'\n\nq = 'no'",
        "#S\nx = 'yes1'\n# note\ny = 'yes2'",
        "#S\nx = 'yes1'\n# note\n\ny = 'no'",
        "#S\nx = 'yes1'\n \t\ny = 'no'",
        "#S\nx = 'yes1'\n\f\ny = 'no'",
        "#S\nx = '''\n\nyes1\n'''\ny = 'yes2'",
        "#S\nx = f(\n\n'yes1'\n\n)\ny = 'yes2'",
        "#S\nx = 'yes1'; y = 'yes2'",
        "#S\nimport a\n\nx = 'no'",
        '#S\n"""doc"""\nx = \'yes\'',
        # in its own block only
        "def f():\n    #S\n    x = 'yes'\ny = 'no'",
        "if a:\n    #S\n    x = 'yes1'\n    y = 'yes2'\nz = 'no'",
        "if a:\n    #S\n    x = 'yes'\nelse:\n    y = 'no'",
    ],
)
def test_the_next_statement_and_its_run(code: str) -> None:
    check(code)


@pytest.mark.parametrize(
    "code",
    [
        # another source comment above, on or inside ends the run
        f"#S\nx = 'yes1'\n# source: {OTHER}\ny = 'yes2'",
        "#S\nx = 'yes1'\n#S\n\n\ny = 'yes2'\nz = 'yes3'\n\nq = 'no'",
        "#S\nx = 'yes1'\ny = 'yes2'  #S\nz = 'no'",
        "#S\nx = 'yes1'\ny = f(\n    'yes2',\n    #S\n)\nz = 'no'",
        "#S\nx = 'yes1'\nif a:\n    y = 'yes2'  #S\n    z = 'no1'\nq = 'no2'",
        "#S\nx = 'yes1'\ndef f(a='no1'):\n    #S\n    y = 'yes2'\nz = 'no2'",
        # one inside the first statement ends nothing
        "#S\nx = f(  #S\n    'yes1',\n)\ny = 'yes2'",
        "#S\ndef f(a='yes1'):\n    #S\n    x = 'yes2'\ny = 'yes3'",
        # a comment that is no source comment ends nothing
        "#S\nx = 'yes1'\n# see https://docs.acme.example/b\ny = 'yes2'",
        "#S\nx = 'yes1'\n# source: the docs\ny = 'yes2'",
        "#S\nx = 'yes1'\ny = '# source: https://docs.acme.example/b'\nz = 'yes2'",
    ],
)
def test_where_a_run_ends(code: str) -> None:
    check(code)


@pytest.mark.parametrize(
    "code",
    [
        "#S\ndef f(a='yes1'):\n\n    x = 'yes2'\n\n    if b:\n        return 'yes3'\n\ny = 'no'",
        "#S\n@f('yes1')\n@g('yes2')\nasync def h(a='yes3'):\n    return 'yes4'",
        "#S\nclass A(b='yes1'):\n    x = 'yes2'\n\n    def f(self):\n        return 'yes3'",
        "#S\nif f('yes1'):\n    x = 'yes2'\nelif f('yes3'):\n    x = 'yes4'\n\nelse:\n\n    x = 'yes5'",
        "#S\ntry:\n    x = 'yes1'\nexcept f('yes2'):\n    x = 'yes3'\nelse:\n    x = 'yes4'\n\ny = 'no'",
        "#S\ntry:\n    x = 'yes1'\n\nfinally:\n    x = 'yes2'\n\ny = 'no'",
        "#S\nfor x in f('yes1'):\n    y = 'yes2'\nelse:\n    z = 'yes3'",
        "#S\nwhile f('yes1'):\n    y = 'yes2'\nelse:\n    z = 'yes3'",
        "#S\nwith f('yes1') as g, h('yes2'):\n    y = 'yes3'",
        "#S\nmatch f('yes1'):\n    case 'yes2':\n        x = 'yes3'\n    case _ if f('yes4'):\n        x = 'yes5'",
        "#S\ntry:\n    x = 'yes1'\nexcept* f('yes2'):\n    x = 'yes3'",
        "#S\na = 'yes1'\nwith b:\n    c = 'yes2'\nd = 'yes3'\n\ne = 'no'",
        "#S\nif a: x = 'yes1'\ny = 'yes2'",
    ],
)
def test_compound_statements_of_a_run_are_covered_whole(code: str) -> None:
    check(code)


@pytest.mark.parametrize(
    "code",
    [
        "if a:\n    x = 'no1'\n#S\nelse:\n    y = 'yes1'\n    z = 'yes2'\nq = 'no2'",
        "if a:\n    x = 'no1'\n#S\n\n# note\nelif f('yes1'):\n    y = 'yes2'\nelse:\n    z = 'no2'",
        "if a:\n    x = 'no1'\nelif b:\n    y = 'no2'\n#S\nelse:\n    z = 'yes'",
        "if a:\n    x = 'no1'\nelse:\n    #S\n    if b:\n        y = 'yes'",
        "try:\n    x = 'no1'\n#S\nexcept f('yes1'):\n    y = 'yes2'\nexcept g('no2'):\n    z = 'no3'",
        "try:\n    x = 'no1'\nexcept f('no2'):\n    y = 'no3'\n#S\nelse:\n    q = 'yes'",
        "try:\n    x = 'no1'\n#S\nfinally:\n    y = 'yes1'\n\n    z = 'yes2'\nq = 'no2'",
        "for x in f('no1'):\n    y = 'no2'\n#S\nelse:\n    z = 'yes'",
        "while a:\n    y = 'no2'\n#S\nelse:\n    z = 'yes'",
        "match f('no1'):\n    #S\n    case 'yes1':\n        x = 'yes2'\n    case 'no2':\n        x = 'no3'",
        "match x:\n    case 'no1':\n        y = 'no2'\n    #S\n    case 'yes1':\n        y = 'yes2'\nz = 'no3'",
        "if a: x = 'no1'\n#S\nelse: y = 'yes1'\nz = 'no2'",
        # with the column of the body that has just ended, it belongs there
        "if a:\n    x = 'no1'\n    #S\nelse:\n    y = 'no2'",
        "match x:\n    case 1:\n        y = 'no1'\n        #S\n    case 2:\n        y = 'no2'",
    ],
)
def test_above_a_clause_that_clause_alone(code: str) -> None:
    check(code)


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    x = 'no1'\n    #S\ny = 'no2'",
        "def f():\n    x = 'no1'\n    #S\n\n\ny = 'no2'",
        "def f():\n    x = 'no1'\n        #S\ny = 'no2'",
        "def f():\n    x = 'no1'\n  #S\ny = 'yes'",
        "def f():\n    x = 'no1'\n#S\ny = 'yes'",
        "class A:\n    def f(self):\n        x = 'no1'\n    #S\n    def g(self):\n        return 'yes'",
        "class A:\n    def f(self):\n        x = 'no1'\n        #S\n    def g(self):\n        return 'no2'",
        "class A:\n    def f(self):\n        x = 'no1'\n    #S\n\ny = 'no2'",
        "class A:\n    def f(self):\n        x = 'no1'\n      #S\n    y = 'yes'",
        "def f():\n\tx = 'no1'\n\t#S\ny = 'no2'",
        "def f():\n\tx = 'no1'\n        #S\n\ty = 'yes'",
        "def f():\n        #S\n    x = 'yes'",
        "    #S\nx = 'yes'",
        "x = 'no'\n    #S\ny = 'yes'",
        "def f(): x = 'no1'\n    #S\ny = 'yes'",
        "if a:\n    if b:\n        x = 'no1'\n    #S\n    y = 'yes'",
        "if a:\n    x = 'no1'\n#S\n    y = 'no2'\nz = 'yes'",
        "if a:\n    x = 'no1'\nelse:\n    y = 'no2'\n    #S\nz = 'no3'",
        "match x:\n    case 1:\n        y = 'no1'\n    #S\nz = 'no2'",
        "try:\n    x = 'no1'\nfinally:\n    y = 'no2'\n#S\nz = 'yes'",
    ],
)
def test_a_comment_belongs_to_the_block_of_its_column(code: str) -> None:
    check(code)


def test_a_comment_covers_nothing_above_it() -> None:
    check("x = 'no'\n#S\n")
    check("x = 'no'\n\n#S\nimport a")


def test_one_cited_occurrence_is_enough() -> None:
    assert cited(f"x = 'a.b'\n\ny = 'a.b'  # source: {DOCS}\n\nz = 'a.b'", ["a.b"])


def test_every_comment_of_a_statement_is_attached() -> None:
    code = f"""\
    # source: {OTHER}/1
    # source: {OTHER}/2
    def f():
        # source: {OTHER}/3
        x = g(
            'needle',  # source: {OTHER}/4
        )
    """
    for number in range(1, 5):
        verdict = published(code, "needle", evidence=hits(f"{OTHER}/{number}"))
        assert verdict.passed
        assert set(verdict.needles[0].urls) == {f"{OTHER}/{n}" for n in range(1, 5)}
    assert published(code, "needle", evidence=hits(f"{OTHER}/5")).ungrounded == ("needle",)


def test_crossing_lines_of_statements() -> None:
    check("a = 'yes1'; b = (  #S\n    'yes2'); c = 'no1'")
    check("a = 'no1'; b = (\n    'yes2'); c = 'yes3'  #S")


def test_a_grounded_occurrence_is_preferred_and_reported() -> None:
    code = f"x = 'needle'\n\n# source: {OTHER}\ny = 'needle'\n\n# source: {DOCS}\nz = 'needle'\n"
    (one,) = published(code, "needle").needles
    assert (one.line, one.urls, one.grounded_by) == (7, (DOCS,), ("c1", 1))
    (one,) = published(code, "needle", evidence=hits()).needles
    assert (one.line, one.urls, one.grounded_by) == (4, (OTHER,), None)


def test_not_more_urls_are_named_than_a_person_reads() -> None:
    many = "\n".join(f"# source: {OTHER}/{n}" for n in range(100))
    (one,) = published(f"{many}\n# source: {DOCS}\nx = 'needle'", "needle").needles
    assert len(one.urls) == 20
    assert one.grounded_by
    assert DOCS in one.urls
