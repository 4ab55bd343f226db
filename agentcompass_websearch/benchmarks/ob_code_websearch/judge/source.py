"""A file that compiles, as the judge sees it: its text, its tree, its comments, its statements."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.layout import Layout
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.lexer import Lexed, lex


@dataclass(frozen=True, slots=True)
class Source:
    """A file in all its aspects. `text` has ``\\n`` as its only line end."""

    text: str
    tree: ast.Module
    lexed: Lexed
    layout: Layout


def read_source(text: str, tree: ast.Module) -> Source:
    """Return the aspects of a file that compiles to `tree`."""
    lexed = lex(text)
    return Source(text, tree, lexed, Layout(text, tree, lexed))
