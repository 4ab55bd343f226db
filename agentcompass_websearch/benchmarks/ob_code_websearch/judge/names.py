"""Walks the expressions of a file once: which names are bound where, and which expressions may be strings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal, NamedTuple

_NO_PARTS: Final = frozenset({"ctx", "op", "ops"})


@dataclass(eq=False, slots=True)
class Binding:
    """A name bound to an expression; `scope` and `unit` are where that stands."""

    node: ast.expr
    scope: Scope
    unit: int


@dataclass(eq=False, slots=True)
class Scope:
    """A module, function, class or comprehension. A name maps to its binding, or None where that is not the only one.

    None also stands for a binding to something that is not an expression, such as a parameter or an import.
    """

    kind: Literal["module", "function", "class", "comprehension"]
    parent: Scope | None = None
    names: dict[str, Binding | None] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding | None = None) -> None:
        """Note one more binding of `name`."""
        self.names[name] = None if name in self.names else binding

    def find(self, name: str) -> Binding | None:
        """Return the only binding of `name` as it is seen from here; class scopes have none that counts."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
            while scope is not None and scope.kind == "class":
                scope = scope.parent
        if scope is None or scope.kind == "class":
            return None
        return scope.names[name]

    def owner(self) -> Scope:
        """Return the scope that ``:=`` binds in."""
        scope = self
        while scope.kind == "comprehension" and scope.parent:
            scope = scope.parent
        return scope


class Candidate(NamedTuple):
    """An expression that may be a string: a literal, an f-string, a sum, or a name; outer ones come before inner."""

    node: ast.expr
    scope: Scope
    unit: int


@dataclass(frozen=True, slots=True)
class Walked:
    """The candidates of a file in order, and those of them that are statements by themselves."""

    candidates: list[Candidate]
    statements: list[Candidate]


def walk(tree: ast.Module, unit_of: Mapping[int, int]) -> Walked:
    """Walk a module; `unit_of` is the unit of each statement and clause by the id of its node."""
    walker = _Walker(unit_of)
    walker.run(tree)
    return Walked(walker.candidates, walker.statements)


class _Walker:
    """An explicit stack in place of recursion: expressions nest deeper than the interpreter's own stack goes."""

    def __init__(self, unit_of: Mapping[int, int]) -> None:
        self.unit_of = unit_of
        self.module = Scope("module")
        self.stack: list[tuple[Any, Scope, int]] = []
        self.candidates: list[Candidate] = []
        self.statements: list[Candidate] = []

    def run(self, tree: ast.Module) -> None:
        self.push(tree.body, self.module, -1)
        while self.stack:
            node, scope, unit = self.stack.pop()
            unit = self.unit_of.get(id(node), unit)
            handle = _HANDLERS.get(type(node))
            if handle:
                handle(self, node, scope, unit)
            else:
                self.children(node, scope, unit)

    def children(self, node: ast.AST, scope: Scope, unit: int) -> None:
        """Take the parts of any node next."""
        for name in _parts_of(node._fields):
            part = getattr(node, name, None)
            if isinstance(part, list):
                self.push(part, scope, unit)
            elif isinstance(part, ast.AST):
                self.stack.append((part, scope, unit))

    def push(self, nodes: Iterable[ast.AST | None], scope: Scope, unit: int) -> None:
        """Take `nodes` next, in their order."""
        self.stack += [(node, scope, unit) for node in nodes if node is not None][::-1]

    def constant(self, node: ast.Constant, scope: Scope, unit: int) -> None:
        if isinstance(node.value, str):
            self.candidates.append(Candidate(node, scope, unit))

    def joined(self, node: ast.JoinedStr, scope: Scope, unit: int) -> None:
        self.candidates.append(Candidate(node, scope, unit))
        self.push(node.values, scope, unit)

    def binary(self, node: ast.BinOp, scope: Scope, unit: int) -> None:
        if isinstance(node.op, ast.Add):
            self.candidates.append(Candidate(node, scope, unit))
        self.push((node.left, node.right), scope, unit)

    def field(self, node: ast.FormattedValue, scope: Scope, unit: int) -> None:
        # A format specification is no string of its own, but the fields in it hold expressions.
        spec = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        fields = [value for value in spec if isinstance(value, ast.FormattedValue)]
        self.push([node.value, *fields], scope, unit)

    def name(self, node: ast.Name, scope: Scope, unit: int) -> None:
        if isinstance(node.ctx, ast.Load):
            self.candidates.append(Candidate(node, scope, unit))
        else:
            scope.bind(node.id)

    def expression(self, node: ast.Expr, scope: Scope, unit: int) -> None:
        if isinstance(node.value, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Name):
            self.statements.append(Candidate(node.value, scope, unit))
        self.stack.append((node.value, scope, unit))

    def assign(self, node: ast.Assign, scope: Scope, unit: int) -> None:
        targets = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.bind(target.id, Binding(node.value, scope, unit))
            else:
                targets.append(target)
        self.push([*targets, node.value], scope, unit)

    def annotated(self, node: ast.AnnAssign, scope: Scope, unit: int) -> None:
        if not isinstance(node.target, ast.Name):
            self.push((node.target, node.annotation, node.value), scope, unit)
            return
        if node.value is not None:
            scope.bind(node.target.id, Binding(node.value, scope, unit))
        self.push((node.annotation, node.value), scope, unit)

    def walrus(self, node: ast.NamedExpr, scope: Scope, unit: int) -> None:
        scope.owner().bind(node.target.id, Binding(node.value, scope, unit))
        self.push((node.value,), scope, unit)

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope, unit: int) -> None:
        for alias in node.names:
            scope.bind(alias.asname or alias.name.partition(".")[0])

    def globals(self, node: ast.Global | ast.Nonlocal, scope: Scope, unit: int) -> None:
        # The name is bound in several scopes at once, so in none of them to one string.
        for name in node.names:
            outer: Scope | None = scope
            while outer is not None:
                if isinstance(node, ast.Nonlocal) is (outer is not self.module) or outer is scope:
                    outer.names[name] = None
                outer = outer.parent

    def named(self, node: Any, scope: Scope, unit: int) -> None:
        """A handler, a pattern, or a type parameter, that may bind a name of its own."""
        for name in (getattr(node, "name", None), getattr(node, "rest", None)):
            if isinstance(name, str):
                scope.bind(name)
        self.children(node, scope, unit)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, unit: int) -> None:
        scope.bind(node.name)
        inner = Scope("function", scope)
        self._parameters(node.args, inner)
        args = node.args
        annotations = [arg.annotation for arg in _parameters(args)]
        outside = [*node.decorator_list, *args.defaults, *args.kw_defaults, *annotations, node.returns]
        self.push([*node.type_params, *node.body], inner, unit)
        self.push(outside, scope, unit)

    def lambda_(self, node: ast.Lambda, scope: Scope, unit: int) -> None:
        inner = Scope("function", scope)
        self._parameters(node.args, inner)
        self.push((node.body,), inner, unit)
        self.push([*node.args.defaults, *node.args.kw_defaults], scope, unit)

    def class_(self, node: ast.ClassDef, scope: Scope, unit: int) -> None:
        scope.bind(node.name)
        inner = Scope("class", scope)
        self.push([*node.type_params, *node.body], inner, unit)
        self.push([*node.decorator_list, *node.bases, *node.keywords], scope, unit)

    def comprehension(self, node: Any, scope: Scope, unit: int) -> None:
        inner = Scope("comprehension", scope)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        first, *others = node.generators
        self.push([*results, first.target, *first.ifs, *others], inner, unit)
        self.push((first.iter,), scope, unit)

    def _parameters(self, args: ast.arguments, inner: Scope) -> None:
        for arg in _parameters(args):
            inner.bind(arg.arg)


@cache
def _parts_of(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of a node's fields, last ones first, that may hold expressions or statements."""
    return tuple(name for name in reversed(fields) if name not in _NO_PARTS)


def _parameters(args: ast.arguments) -> list[ast.arg]:
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return named + [arg for arg in (args.vararg, args.kwarg) if arg is not None]


_HANDLERS: Final[dict[type, Callable[[_Walker, Any, Scope, int], None]]] = {
    ast.Constant: _Walker.constant,
    ast.JoinedStr: _Walker.joined,
    ast.BinOp: _Walker.binary,
    ast.FormattedValue: _Walker.field,
    ast.Name: _Walker.name,
    ast.Expr: _Walker.expression,
    ast.Assign: _Walker.assign,
    ast.AnnAssign: _Walker.annotated,
    ast.NamedExpr: _Walker.walrus,
    ast.Import: _Walker.imports,
    ast.ImportFrom: _Walker.imports,
    ast.Global: _Walker.globals,
    ast.Nonlocal: _Walker.globals,
    ast.ExceptHandler: _Walker.named,
    ast.MatchAs: _Walker.named,
    ast.MatchStar: _Walker.named,
    ast.MatchMapping: _Walker.named,
    ast.TypeVar: _Walker.named,
    ast.TypeVarTuple: _Walker.named,
    ast.ParamSpec: _Walker.named,
    ast.FunctionDef: _Walker.function,
    ast.AsyncFunctionDef: _Walker.function,
    ast.Lambda: _Walker.lambda_,
    ast.ClassDef: _Walker.class_,
    ast.ListComp: _Walker.comprehension,
    ast.SetComp: _Walker.comprehension,
    ast.GeneratorExp: _Walker.comprehension,
    ast.DictComp: _Walker.comprehension,
}
