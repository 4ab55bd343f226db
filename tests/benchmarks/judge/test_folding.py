"""What the strings of a file are: sums, f-strings and names are folded, everything else is unknown."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.folding import MAX_CHARS, MAX_TOTAL_CHARS
from tests.benchmarks.judge.support import cited, present, published

NEEDLE = "api-now-things"


@pytest.mark.parametrize(
    "code",
    [
        "x = 'api-now' '-things'",
        "x = ('api-now'\n     '-things')",
        "x = 'api' + '-now' + '-things'",
        "x = 'api' + ('-now' + '-things')",
        "x = 'api-' f'now-{\"things\"}'",
        'x = f\'{"api" + "-now"}-things\'',
        "x = f'''api{'-now'}-{f'{\"things\"}'}'''",
        "x = r'api-' u'now-' 'things'",
        "x = 'api\\x2dnow\\u002d\\N{LATIN SMALL LETTER T}hings'",
        "x = 'api-\\\nnow-things'",
        "a = 'api-now'\nx = a + '-things'",
        "a = 'api-now'\nx = f'{a}-things'",
        "x = f'{a}-things'\na = 'api-now'",
        "a = b = 'api-now'\nx = b + '-things'",
        "a: str = 'api-now'\nx = a + '-things'",
        "(a := 'api-now')\nx = a + '-things'",
        "x = (a := 'api-now') + y\nz = a + '-things'",
        "a = ''\nx = 'api-now' + a + '-things'",
        "a = 'now'\nb = a\nc = f'{b}'\nx = 'api-' + c + '-things'",
        "a = 'api-now'\ndef f():\n    return a + '-things'",
        "a = 'api-now'\ndef f():\n    def g():\n        return a + '-things'",
        "def f():\n    a = 'api-now'\n    return [a + '-things' for x in y]",
        "a = 'api-now'\nclass C:\n    def f(self):\n        return a + '-things'",
        "a = 'api-now'\nclass C:\n    x = a + '-things'",
        "class C:\n    a = 'api-n'\n    def f(self):\n        return a + '-things'\na = 'api-now'",
        "a = 'api-now'\nx = lambda: a + '-things'",
        "a = 'api-now'\nx = [a + '-things' for b in c]",
        "if y:\n    a = 'api-now'\nx = a + '-things'",
        "for i in y:\n    a = 'api-now'\nx = a + '-things'",
        "a = 'api-now'\nx = f(z + g(a + '-things'))",
        "x = 'z' + f('api-now' '-things')",
        'x = f\'{f("api-now" "-things")!r:>{len("q")}}\'',
        'x = f\'{y:{"api-now" + "-things"}}\'',
        "x = 'api-now' '-things'.upper()",
        "x = 'api-now' '-things' % y",
        "x = z['api-now' + '-things']",
        "x = {'api-now' + '-things': 1}",
        "f(*['api-now' + '-things'], **{'api-now' '-things': 1})",
        "match x:\n    case 'api-now' '-things': pass",
        "assert x, 'api-now' + '-things'",
        "def f(x='api-now' '-things'): pass",
        "@f('api-now' '-things')\ndef g(): pass",
        "x: 'api-now' '-things'",
    ],
)
def test_what_is_folded(code: str) -> None:
    assert present(code, NEEDLE)


@pytest.mark.parametrize(
    "code",
    [
        "x = 'api-now' + y + '-things'",
        "x = f'api-now{y}-things'",
        "x = f'api-{\"now\"!s}-things'",
        "x = f'api-{\"now\":s}-things'",
        "x = f'api-{\"now\"=}-things'",
        "x = 'api-now', '-things'",
        "x = 'api-now'.__add__('-things')",
        "x = ''.join(['api-now', '-things'])",
        "x = 'api-%s-things' % 'now'",
        "x = 'api-{}-things'.format('now')",
        "x = b'api-now' b'-things'",
        "x = b'api-now' + b'-things'",
        "x = 'api-now' * 1 + '-things'",
        "x = 'api-now' if y else '' + '-things'",
        "a = 'api-now'\nx = a\n'-things'",
        "a = 'api-now'\na = 'api-now'\nx = a + '-things'",
        "a = 'api-now'\na += ''\nx = a + '-things'",
        "a = 'api-now'\ndel a\nx = a + '-things'",
        "a = 'api-now'\nimport a\nx = a + '-things'",
        "a = 'api-now'\nimport a.b\nx = a + '-things'",
        "a = 'api-now'\nfrom b import c as a\nx = a + '-things'",
        "a = 'api-now'\nfor a in b: pass\nx = a + '-things'",
        "a = 'api-now'\nwith b as a: pass\nx = a + '-things'",
        "a = 'api-now'\ntry: pass\nexcept E as a: pass\nx = a + '-things'",
        "a = 'api-now'\ndef a(): pass\nx = a + '-things'",
        "a = 'api-now'\nclass a: pass\nx = a + '-things'",
        "a = 'api-now'\nmatch b:\n    case a: pass\nx = a + '-things'",
        "a = 'api-now'\nmatch b:\n    case [*a]: pass\nx = a + '-things'",
        "a = 'api-now'\nmatch b:\n    case {**a}: pass\nx = a + '-things'",
        "a = 'api-now'\nmatch b:\n    case 1 as a: pass\nx = a + '-things'",
        "a = 'api-now'\n(a := 'y')\nx = a + '-things'",
        "a = 'api-now'\n[(a := b) for b in c]\nx = a + '-things'",
        "a = 'api-now'\ntype a = int\nx = a + '-things'",
        "a, b = 'api-now', 1\nx = a + '-things'",
        "[a] = ['api-now']\nx = a + '-things'",
        "a, = 'api-now',\nx = a + '-things'",
        "a = 'api-now'\ndef f():\n    global a\n    a = 'y'\nx = a + '-things'",
        "a = 'api-now'\ndef f():\n    global a\n    return a + '-things'",
        "def f():\n    global a\n    a = 'api-now'\n    return a + '-things'",
        "def f():\n    a = 'api-now'\n    def g():\n        nonlocal a\n        a = 'y'\n    return a + '-things'",
        "a = 'api-now'\ndef f(a):\n    return a + '-things'",
        "a = 'api-now'\ndef f(*a):\n    return a + '-things'",
        "a = 'api-now'\ndef f(**a):\n    return a + '-things'",
        "a = 'api-now'\ndef f(*, a=1):\n    return a + '-things'",
        "a = 'api-now'\ndef f(a, /):\n    return a + '-things'",
        "a = 'api-now'\ndef f[a]():\n    return a + '-things'",
        "a = 'api-now'\nx = lambda a: a + '-things'",
        "a = 'api-now'\nx = [a + '-things' for a in b]",
        "a = 'api-now'\nx = {a: a + '-things' for a in b}",
        "a = 'api-now'\ndef f():\n    for a in b: pass\n    return a + '-things'",
        "class C:\n    a = 'api-now'\n    x = a + '-things'",
        "class C:\n    a = 'api-now'\n    def f(self):\n        return a + '-things'",
        "class C:\n    a = 'api-now'\nx = a + '-things'",
        "a = 'api-now'\nclass C:\n    a = y\n    x = a + '-things'",
        "def f():\n    a = 'api-now'\nx = a + '-things'",
        "a = a + 'api-now'\nb = a\nx = b + y",
        "a = b + 'api-now'\nb = a + '-things'[1:]\nx = b",
        "a.b = 'api-now'\nx = a.b + '-things'",
        "a['b'] = 'api-now'\nx = a['b'] + '-things'",
        "x = ('api-now' + '-thing') + 's-x'",
        "x = ('my-' 'api-now') + '-things'",
        "'api-now' + '-things'",
        "f'api-{\"now\"}-things'",
        "a = 'api-now'\na + '-things'",
        "def f():\n    'api-now' '-things'",
    ],
)
def test_what_is_not(code: str) -> None:
    assert not present(code, NEEDLE)


def test_only_the_whole_of_an_expression_is_a_value() -> None:
    assert not present("x = 'X-' 'Hold' + '-Code'", "X-Hold")
    assert not present("a = 'X-'\nx = (a + 'Hold') + '-Code'", "X-Hold")
    assert present("a = 'X-' 'Hold'\nx = a + '-Code'", "X-Hold")


def test_a_bare_name_of_a_string_is_no_code() -> None:
    assert published("tenant = 'x'\ntenant", "tenant").needles[0].line == 1
    assert not present("import acme as a\nx = 'q'\nx", "xx")
    assert present("tenant_header = f()\ntenant_header", "tenant_header")


def test_an_unknown_part_is_no_letter() -> None:
    assert present("x = f'{a}things{b}'", "things")
    assert present("x = a + 'things' + b", "things")
    assert present("x = f'{a}/v2/things/{b}'", "/v2/things/")


def test_a_value_is_cut() -> None:
    assert present(f"x = '{'.' * (MAX_CHARS - 3)}' '.a' 'b'", "ab")
    assert not present(f"x = '{'.' * (MAX_CHARS - 2)}' '.a' 'b'", "ab")


def test_values_fill_their_space_and_then_are_passed_over() -> None:
    one, uses = f"x = '{'.' * MAX_CHARS}'\n", MAX_TOTAL_CHARS // MAX_CHARS
    assert present(one + "f(x)\n" * (uses - 1) + "y = 'a' 'b'", "ab")
    assert not present(one + "f(x)\n" * uses + "y = 'a' 'b'", "ab")


def where(code: str, needle: str = "api/things") -> bool:
    """Whether a needle is cited, in code where `#` stands for a source comment."""
    return bool(cited(code.replace("#", "# source: https://docs.acme.example/a"), [needle]))


@pytest.mark.parametrize(
    ("code", "is_cited"),
    [
        ("x = 'api/' + 'things' #", True),
        ("a = 'api/' #\n\nx = a + 'things'", True),
        ("a = 'api/'\n\nx = a + 'things' #", True),
        ("a = 'api/'\n\nx = a + 'things'\n\nf(x) #", True),
        ("a = 'api/'\n\nx = a + 'things'\n\nf(x + '/y') #", True),
        ("a = 'https://h/' #\n\nx = a + 'api/' 'things'", False),
        ("a = '/y' #\n\nx = 'api/' 'things' + a", False),
        ("a = 'api/' #\n\nb = a\n\nx = b + 'things'", True),
        ("a = 'api/'\n\nb = a #\n\nx = b + 'things'", True),
        ("a = 'api/'\n\nb = f'{a}' #\n\nc = b\n\nx = c + 'things'", True),
        ("a = '/' #\n\nb = a + 'api/'\n\nx = b + 'things'", False),
        ("def f():\n    a = 'api/'\n    return a + 'things'\n\ndef g():\n    a = 'q' #\n", False),
    ],
)
def test_a_folded_needle_is_cited_where_its_characters_come_from(code: str, is_cited: bool) -> None:
    assert where(code) is is_cited


def test_a_folded_path_is_cited_by_what_fills_its_placeholder() -> None:
    code = "kind = 'orders'  # source: https://docs.acme.example/a\n\nx = f'/api/{kind}/lines'"
    verdict = published(code, "/api/{}/lines", kind="path")
    assert verdict.passed
    assert verdict.needles[0].line == 1


def test_expressions_nest_deeper_than_the_interpreter_calls() -> None:
    deep = "x = " + "'a' + " * 1_300 + "'things'"
    assert present(deep, "things")
    names = "a0 = 'thi'\n" + "\n".join(f"a{n} = a{n - 1} + ''" for n in range(1, 2_000)) + "\nx = a1999 + 'ngs'"
    assert present(names, "things")
    backwards = "\n".join(reversed(names.split("\n")))
    assert present(backwards, "things")
