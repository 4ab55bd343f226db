"""Compiles a submission, without running it, without warnings, and without endangering the interpreter."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Final

MAX_BYTES: Final = 1 << 20
TOO_LARGE: Final = "submission too large: more than 1 MiB"
NUL: Final = "ValueError: source code holds a NUL character"

# Warnings of the compiler carry the file name as their module. This folder occurs nowhere else, so that one filter
# silences them and no others; SyntaxError shows the last part of the path only.
_FOLDER: Final = "<agentcompass-websearch submission>"
_ANY_WARNING: Final = ("ignore", None, Warning, re.compile(re.escape(_FOLDER)), 0)
_MAX_TRIES: Final = 3

# What CPython 3.12 and 3.13 cannot bear, measured far below the point where it hurts: a comprehension of tens of
# thousands of `for` clauses overflows the C stack; fields of f-strings and dotted names take time in the square of
# their number.
_MAX_FOR_CLAUSES: Final = 1_000
_MAX_DOTTED_PARTS: Final = 3_000
_MAX_FIELD_COST: Final = 2 * 10**10
_F_STRING: Final = re.compile(r"""(?i:\b(?:f|fr|rf))["']""")
_DOTTED: Final = re.compile(r"\.(?:[ \t\f\\\n]*+\w++[ \t\f\\\n]*+\.)++")


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiling came to: why it does not compile, or "" and, if that was wanted, the tree.

    `text` is the source with ``\\n`` as its only line end; lines and columns of `tree` are those of `text`.
    """

    text: str
    fault: str = ""
    tree: ast.Module | None = None


def compile_file(text: str, outfile: str, *, want_tree: bool = True) -> Compiled:
    """Compile `text` as module `outfile` and return the outcome. Never raises; executes nothing.

    The answer is the interpreter's own, ``compile(text, outfile, "exec", dont_inherit=True)``, whatever its warning
    filters are, except that a file of more than 1 MiB, one with a NUL character, and one of a kind that would crash or
    stall the interpreter never compile.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return Compiled("", TOO_LARGE)
    if "\0" in text:
        return Compiled("", NUL)
    # As the compiler does it, inside of string literals too.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if fault := _unbearable(text):
        return Compiled(text, fault)
    return _quietly(text, f"{_FOLDER}/{outfile}", want_tree)


def parses(text: str) -> bool:
    """Whether `text` is Python with at least one statement, going by its syntax."""
    if len(text) > MAX_BYTES or "\0" in text or _unbearable(text.replace("\r", "\n")):
        return False
    try:
        _ignore_warnings()
        return bool(ast.parse(text, f"{_FOLDER}/block.py").body)
    except Exception:  # noqa: BLE001 -- the compiler may raise anything, MemoryError and RecursionError included
        return False


def _quietly(text: str, path: str, want_tree: bool) -> Compiled:
    fault = ""
    many_clauses = text.count("for") > _MAX_FOR_CLAUSES
    for _ in range(_MAX_TRIES):
        _ignore_warnings()
        try:
            tree = ast.parse(text, path) if want_tree or many_clauses else None
            if tree and many_clauses and _longest_comprehension(tree) > _MAX_FOR_CLAUSES:
                return Compiled(text, f"too complex: a comprehension of more than {_MAX_FOR_CLAUSES} clauses")
            compile(text, path, "exec", dont_inherit=True)
        except Exception as error:  # noqa: BLE001 -- the compiler may raise anything; each kind means "not compiled"
            fault = f"{type(error).__name__}: {error}"
        else:
            return Compiled(text, tree=tree)
        if _silent():
            break
        # Somebody else's filter came before ours while we compiled: the fault may have been a warning.
    return Compiled(text, fault)


def _ignore_warnings() -> None:
    """Let no filter, such as that of ``-W error``, come before the one that ignores warnings about submissions.

    `warnings.catch_warnings` would replace the filters of the whole process for a while, and restore old ones over
    what other threads did meanwhile.
    """
    if not _silent():
        warnings.filterwarnings("ignore", module=re.escape(_FOLDER))


def _silent() -> bool:
    return bool(warnings.filters) and warnings.filters[0] == _ANY_WARNING


def _unbearable(text: str) -> str:
    """Return why `text` is not given to the compiler; "" if it is."""
    if any(dotted[0].count(".") > _MAX_DOTTED_PARTS for dotted in _DOTTED.finditer(text)):
        return f"too complex: a dotted name of more than {_MAX_DOTTED_PARTS} parts"
    if text.count("{") * len(text) > _MAX_FIELD_COST and _F_STRING.search(text):
        return "too complex: too many fields in f-strings"
    return ""


def _longest_comprehension(tree: ast.Module) -> int:
    return max((len(getattr(node, "generators", ())) for node in ast.walk(tree)), default=0)
