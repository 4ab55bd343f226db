"""The kind of a needle, by its position in the gold code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import NeedleKind

_WORD_IN_NAME = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_NAMING_METHODS: Final = frozenset({"add", "append", "get", "pop", "setdefault"})
_NAMING_FUNCTIONS: Final = frozenset({"add_header", "add_unredirected_header", "putheader", "set_header"})


def kind_in_gold(needle: str, gold_code: str) -> NeedleKind:
    """Return the kind of a needle: a key of a headers mapping in `gold_code` is a header, else what has a ``/`` a path.

    Gold code that does not compile tells nothing.
    """
    tree = compile_file(gold_code, "gold.py").tree
    if tree is not None and needle.lower() in {name.lower() for name in _header_names(tree)}:
        return "header"
    return "path" if "/" in needle else "other"


def _header_names(tree: ast.Module) -> Iterator[str]:
    """Yield the keys of what is called headers: an argument, a variable, an attribute, an entry, a result."""
    nodes = list(ast.walk(tree))
    constants = {
        target.id: node.value.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for key in _keys(_mappings(nodes)):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value
        elif isinstance(key, ast.Name) and key.id in constants:
            yield constants[key.id]


def _mappings(nodes: Iterable[ast.AST]) -> Iterator[ast.AST | None]:
    """Yield the expressions that are headers, as whole mappings or, where they are set one by one, as their keys."""
    for node in nodes:
        match node:
            case ast.keyword(arg=str(name), value=value) if _is_headers(name):
                yield value
            case ast.Assign(targets=targets, value=value) if any(map(_names_headers, targets)):
                yield value
            case ast.AnnAssign(target=target, value=value) if _names_headers(target):
                yield value
            case ast.Dict(keys=keys, values=values):
                yield from (
                    value
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(key.value, str) and "headers" in _words(key.value)
                )
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _is_headers(name):
                yield from (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return))
            case ast.Subscript(value=value, slice=key) if _names_headers(value):
                yield _key(key)
            case ast.Call(func=ast.Attribute(value=value, attr="update"), args=args) if _names_headers(value):
                yield from args
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=[key, *_]) if (
                method in _NAMING_FUNCTIONS or (method in _NAMING_METHODS and _names_headers(value))
            ):
                yield _key(key)


def _keys(mappings: Iterable[ast.AST | None]) -> Iterator[ast.AST | None]:
    """Yield the keys of mappings, however these are put together."""
    stack = list(mappings)
    while stack:
        match stack.pop():
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if key is None:
                        stack.append(value)
                    else:
                        yield key
            case ast.Call(args=args):
                stack += args
            case ast.BinOp(left=left, right=right):
                stack += (left, right)
            case ast.IfExp(body=body, orelse=orelse):
                stack += (body, orelse)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    if isinstance(item, ast.Tuple) and item.elts:
                        yield item.elts[0]


def _key(key: ast.expr) -> ast.Dict:
    """Return a mapping with `key` as its only key."""
    return ast.Dict(keys=[key], values=[key])


def _names_headers(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _is_headers(name)
    return False


def _is_headers(name: str) -> bool:
    """Whether a name has the word: ``auth_header``, ``extraHeaders``, but not the ``soapheaders`` of a document."""
    return not _words(name).isdisjoint({"header", "headers"})


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD_IN_NAME.findall(name)}
