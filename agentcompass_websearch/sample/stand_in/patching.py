"""Apply a documented request to a client file: change what differs, and cite the page above each changed statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentcompass_websearch.sample.stand_in.reading import Documented

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the bytes from `start` to `end` of the source, in a statement that begins on line `line`."""

    start: int
    end: int
    text: str
    line: int


def patch(source: str, documented: Documented, ticket: str, url: str | None) -> str | None:
    """Return `source` with the documented request in its first HTTP call, or None if nothing would change."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    places = _Places(source)
    call, statement = _http_call(tree)
    edits: list[Edit] = []
    if call is not None and statement is not None:
        edits += _call_edits(places, call, statement.lineno, documented, ticket)
    edits += _import_edits(places, tree, documented)
    return _apply(source, edits, url) if edits else None


def differs(source: str, documented: Documented) -> bool:
    """Return whether `documented` tells anything that `source` does not already do."""
    return patch(source, documented, "", None) is not None or bool(documented.codes)


class _Places:
    """Byte offsets of syntax nodes; the parser counts columns in UTF-8 bytes."""

    def __init__(self, source: str) -> None:
        self._starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def replace(self, node: ast.expr | ast.alias, text: str, line: int) -> Edit:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Edit(self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset), text, line)

    def before(self, node: ast.expr, text: str, line: int) -> Edit:
        edit = self.replace(node, text, line)
        return Edit(edit.start, edit.start, text, line)

    def after(self, node: ast.expr, text: str, line: int) -> Edit:
        edit = self.replace(node, text, line)
        return Edit(edit.end, edit.end, text, line)

    def at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column


def _http_call(tree: ast.Module) -> tuple[ast.Call | None, ast.stmt | None]:
    for statement in _simple_statements(tree):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _is_request(node):
                return node, statement
    return None, None


def _simple_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
    return (node for node in ast.walk(tree) if isinstance(node, simple))


def _is_request(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _METHODS or not call.args:
        return False
    target = call.args[0]
    return isinstance(target, ast.Constant) and str(target.value).startswith("/")


def _call_edits(places: _Places, call: ast.Call, line: int, documented: Documented, ticket: str) -> Iterator[Edit]:
    assert isinstance(call.func, ast.Attribute)
    target = call.args[0]
    path = documented.path(call.func.attr.upper())
    if path and isinstance(target, ast.Constant) and path != target.value:
        yield places.replace(target, _literal(path), line)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    yield from _header_edits(places, call, given.get("headers"), line, documented)
    body = given.get("json")
    if isinstance(body, ast.Dict):
        yield from _body_edits(places, body, line, documented, ticket)


def _header_edits(
    places: _Places, call: ast.Call, mapping: ast.expr | None, line: int, documented: Documented
) -> Iterator[Edit]:
    if isinstance(mapping, ast.Dict) and mapping.keys and (first := mapping.keys[0]) is not None:
        sent = {key.value for key in mapping.keys if isinstance(key, ast.Constant)}
        missing = [(name, value) for name, value in documented.headers if name not in sent]
        if missing:
            yield places.before(first, "".join(f"{_literal(n)}: {_literal(v)}, " for n, v in missing), line)
    elif mapping is None and documented.headers:
        pairs = ", ".join(f"{_literal(name)}: {_literal(value)}" for name, value in documented.headers)
        yield places.after(call.args[0], f", headers={{{pairs}}}", line)


def _body_edits(places: _Places, body: ast.Dict, line: int, documented: Documented, ticket: str) -> Iterator[Edit]:
    keys = [key for key in body.keys if isinstance(key, ast.Constant)]
    sent = {str(key.value) for key in keys}
    unsent = [field for field in documented.fields if field not in sent]
    if unsent and keys and keys[0].value not in documented.fields:
        yield places.replace(keys[0], _literal(unsent[0]), line)
    code = documented.code(ticket)
    for value in body.values:
        if code and isinstance(value, ast.Constant) and _CONSTANT.match(str(value.value)) and value.value != code:
            yield places.replace(value, _literal(code), line)
            return


def _import_edits(places: _Places, tree: ast.Module, documented: Documented) -> Iterator[Edit]:
    for statement in tree.body:
        if not isinstance(statement, ast.ImportFrom) or len(statement.names) != 1:
            continue
        imported = statement.names[0]
        wanted = next((name for package, name in documented.imports if package == statement.module), None)
        if wanted is None or wanted == imported.name or imported.asname:
            continue
        yield places.replace(imported, wanted, statement.lineno)
        for user in _simple_statements(tree):
            for node in ast.walk(user):
                if isinstance(node, ast.Name) and node.id == imported.name:
                    yield places.replace(node, wanted, user.lineno)


def _apply(source: str, edits: list[Edit], url: str | None) -> str:
    data = source.encode()
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    lines = data.decode().splitlines(keepends=True)
    for line in sorted({edit.line for edit in edits}, reverse=True) if url else ():
        indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        lines.insert(line - 1, f"{indent}# source: {url}\n")
    return "".join(lines)


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
