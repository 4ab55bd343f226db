"""Finds the strings that gold code sends as whole keys or values: parameters, headers, JSON and form fields."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

SENT_AS: Final = frozenset({"params", "headers", "json", "data", "content"})
"""Keyword arguments of an HTTP client whose mappings go over the wire key by key."""

_MAKE_QUERIES: Final = frozenset({"urlencode", "QueryParams"})
"""Functions whose only use is the query of a URL, wherever their result goes."""

_FILLS: Final = frozenset({"update", "append", "extend", "setdefault", "add"})
_SEND_THEIR_OWNER: Final = frozenset({"encode", "copy", "items"})
_SEND_THEIR_ARGUMENTS: Final = frozenset(
    {"dict", "dumps", "urlencode", "list", "tuple", "str", "Headers", "QueryParams", "OrderedDict", "deepcopy"}
)


def sent_strings(tree: ast.Module) -> frozenset[str]:
    """Return every string constant that is a whole key or value of something sent.

    Mappings are followed through names, attributes, the code's own functions and their arguments; what is in a nested
    list or mapping is sent too.
    """
    return frozenset(_Sent(tree).strings())


class _Sent:
    def __init__(self, tree: ast.Module) -> None:
        self._bound: dict[str, list[ast.expr]] = defaultdict(list)
        self._calls: dict[str, list[ast.Call]] = defaultdict(list)
        self._functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        self._found: set[str] = set()
        self._seen: set[int] = set()
        for node in ast.walk(tree):
            self._note(node)

    def strings(self) -> set[str]:
        for name, calls in self._calls.items():
            for call in calls:
                if name in _MAKE_QUERIES:
                    self._send(call)
                for keyword in call.keywords:
                    if keyword.arg in SENT_AS:
                        self._send(keyword.value)
        for name in SENT_AS:
            # ``session.headers.update(...)`` and ``session.headers[...] = ...`` send what they are given.
            for value in self._bound.get(f".{name}", ()):
                self._send(value)
        return self._found

    def _note(self, node: ast.AST) -> None:
        """Index assignments, fillings, calls and functions by name; attributes by ``.name``."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                self._bind(target, value)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._functions[node.name].append(node)
            case ast.Call():
                self._calls[_name_of(node.func).lstrip(".")].append(node)
                if isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
                    self._bound[_name_of(node.func.value)] += [*node.args, *(k.value for k in node.keywords)]

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            self._bound[_name_of(target.value)] += [target.slice, value]
        else:
            self._bound[_name_of(target)].append(value)

    def _send(self, root: ast.expr) -> None:
        """Note the strings in `root`, an expression that is sent whole."""
        stack: list[ast.expr | None] = [root]
        while stack:
            node = stack.pop()
            if node is None or id(node) in self._seen:
                continue
            self._seen.add(id(node))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._found.add(node.value)
            stack.extend(self._parts(node))

    def _parts(self, node: ast.expr) -> Iterator[ast.expr | None]:
        match node:
            case ast.Dict(keys=keys, values=values):
                yield from keys
                yield from values
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.BoolOp(values=parts):
                yield from parts
            case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, op=ast.BitOr(), right=right):
                yield from (left, right)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from (part for part in (left, right) if isinstance(part, ast.List | ast.Tuple))
            case ast.DictComp(key=key, value=value):
                yield from (key, value, *(g.iter for g in node.generators))
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                yield from (elt, *(g.iter for g in node.generators))
            case ast.Starred(value=value) | ast.Await(value=value) | ast.NamedExpr(value=value):
                yield value
            case ast.Name() | ast.Attribute():
                yield from self._bound[_name_of(node)]
                yield from self._arguments(_name_of(node))
            case ast.Call():
                yield from self._call(node)

    def _call(self, call: ast.Call) -> Iterator[ast.expr | None]:
        name = _name_of(call.func).lstrip(".")
        if name in self._functions:
            for function in self._functions[name]:
                yield from (n.value for n in ast.walk(function) if isinstance(n, ast.Return | ast.Yield))
        elif isinstance(call.func, ast.Attribute) and name in _SEND_THEIR_OWNER:
            yield call.func.value
        elif name in _SEND_THEIR_ARGUMENTS:
            yield from call.args
            if name == "dict":
                self._found.update(k.arg for k in call.keywords if k.arg)
                yield from (k.value for k in call.keywords)

    def _arguments(self, name: str) -> Iterator[ast.expr]:
        """Yield what callers pass for a parameter `name` of the code's own functions, and its default."""
        for functions in self._functions.values():
            for function in functions:
                positional = [*function.args.posonlyargs, *function.args.args]
                names = [a.arg for a in positional]
                if name in names:
                    yield from self._passed(function.name, name, names)
                    yield from _default(function.args.defaults, names.index(name) - len(names))
                elif name in (kwonly := [a.arg for a in function.args.kwonlyargs]):
                    yield from self._passed(function.name, name, names)
                    yield from _default(function.args.kw_defaults, kwonly.index(name) - len(kwonly))

    def _passed(self, function: str, name: str, positional: list[str]) -> Iterator[ast.expr]:
        """Yield the argument for parameter `name` of every call of `function`."""
        for call in self._calls.get(function, ()):
            yield from (k.value for k in call.keywords if k.arg == name)
            is_method = isinstance(call.func, ast.Attribute) and positional[:1] == ["self"]
            names = positional[1:] if is_method else positional
            if name in names and names.index(name) < len(call.args):
                yield call.args[names.index(name)]


def _default(defaults: list[ast.expr] | list[ast.expr | None], place: int) -> Iterator[ast.expr]:
    """Yield the default at `place` counted from the end, if there is one."""
    if -place <= len(defaults):
        default = defaults[place]
        if default is not None:
            yield default


def _name_of(node: ast.expr) -> str:
    """Return the name that `node` is known by: ``x``, ``.x`` for an attribute, else nothing."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return f".{name}"
    return ""
