"""The scanner agrees with the standard tokenizer about comments and joined lines."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.lexer import lex

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")


def by_tokenizer(text: str) -> tuple[list[tuple[int, str, bool]], set[int]]:
    """Return comments, with their lines and whether they stand there alone, and the lines that go on in the next."""
    comments, joined = [], set()
    start = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            before = text.split("\n")[token.start[0] - 1][: token.start[1]]
            comments.append((token.start[0], token.string, not before.strip()))
        elif token.type == tokenize.NEWLINE and start is not None:
            joined |= set(range(start, token.start[0]))
            start = None
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER) and start is None:
            start = token.start[0]
    return comments, joined


def check(text: str) -> None:
    ast.parse(text)
    text += "\n# the end\n"
    found = lex(text)
    comments, joined = by_tokenizer(text)
    assert [(one.line, text[one.start : one.end], one.alone) for one in found.comments] == comments
    assert {line for line, goes_on in enumerate(found.continued) if goes_on} == joined


STRINGS = [
    "x = '#'  # c",
    'x = "#\'"  # c',
    "x = '\\'#'  # c",
    "x = '\\\\'  # c",
    "x = '''#\n'''  # c",
    "x = '''a''b'c\\'''d'''  # c",
    'x = """\'\'\'"""  # c',
    "x = ''  # c",
    "x = ''''''  # c",
    "x = r'\\\\'  # c",
    "x = b'#' rb'#\\'' Rb'#'  # c",
    "x = 'a\\\n#b'  # c",
    "x = u'#' 'f' '#'  # c",
    "x = 1if'#'else'#'  # c",
    "x = 'a' if 1 in'#' else'f'  # c",
    "f = fr = rf = 1; x = [f, fr][rf]  # c",
    "x = f'#'  # c",
    "x = f'{1}#{2}'  # c",
    "x = f'{{#}}'  # c",
    "x = f'{{{1}}}#'  # c",
    "x = f'{'#'}'  # c",
    "x = f'{f'{'#'}'}#'  # c",
    "x = f'{x!r:>{y}}#'  # c",
    "x = f'{x:#x}'  # c",
    "x = f'{x:\"#}'  # c",
    "x = f'{x:{'#'}{y:#}}#'  # c",
    "x = f'{ {1: '#'}[1] }#'  # c",
    "x = f'{ {'}', '#'} }#'  # c",
    "x = f'{(lambda: 1)}#'  # c",
    "x = f'{x[1:2]}#'  # c",
    "x = f'{x:=+3}#'  # c",
    "x = f'{x=}#'  # c",
    "x = f'{x!=y}#'  # c",
    "x = f'''{x  # c\n}#'''  # d",
    "x = f'''{\n# c\nx\n}#\n'''  # d",
    "x = f'{x  # c\n}'  # d",
    "x = f'''{x:\n#}'''  # c",
    "x = f'\\N{NUMBER SIGN}#{1}'  # c",
    "x = rf'\\N{1}#'  # c",
    "x = f'\\{1}#'  # c",
    "x = rf'\\{1}#'  # c",
    "x = f'\\'#{1}'  # c",
    "x = rf'\\'#{1}'  # c",
    "x = F'{1}' fR'#{1}' Rf'''#{1}'''  # c",
    "x = (f'{1}#'  # c\n     f'{2}#')  # d",
    "x = f'a' 'b#'  # c",
    "x = [1,  # c\n     # d\n     2]  # e",
    "x = 1 + \\\n    2  # c",
    "x = '''a\n''' + \\\n    '''b\n'''  # c",
    "if x:  # c\n    y  # d\n# e\nelse:\n    z",
    "x = {  # c\n    'a': (  # d\n        1,\n    ),\n}\n\n\ny = 2",
    "x = 1;  # c",
    "# c\n\n  # d\nx\f# e\n\f# f",
    "\u00e9 = '\u2028#'  # \u2028 c",
    "def f(a,\n      b=')',  # c\n      ): return (\n    1)  # d",
    "#\n#\n",
]


@pytest.mark.parametrize("text", STRINGS)
def test_strings_and_lines(text: str) -> None:
    check(text)


def sources() -> Iterator[Path]:
    modules: list[ModuleType] = [ast, tokenize, io, pytest]
    for module in modules:
        assert module.__file__
        yield Path(module.__file__)
    folder = Path(ast.__file__).parent
    yield from sorted(folder.glob("[d-u]*.py"))[::3]
    yield from sorted((folder / "test").glob("test_[f-s]*string*.py"))


def test_the_standard_library() -> None:
    seen = 0
    for path in sources():
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        check(text)
        seen += 1
    assert seen > 30


def test_logical_lines() -> None:
    found = lex("x = (1,\n\n2) + '''\n'''\ny  # c\n")
    assert [found.logical_end(line) for line in range(1, 7)] == [4, 4, 4, 4, 5, 6]
    assert [found.line_of(offset) for offset in (0, 7, 8, 9)] == [1, 1, 2, 3]


@pytest.mark.parametrize(
    "text", ["x = '#", "x = f'{#", "x = f'#{", "'''#", "f'''{x:#", "#", ")#", "}#", "x = f'\\N{#", "\\"]
)
def test_text_that_is_no_code_ends_the_scan_and_nothing_else(text: str) -> None:
    assert lex(text).line_starts == [0]
