"""Reads gold code for derived needles: the names it uses, the names it binds, and where it only talks to people."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_names import LIBRARY_MODULES

_LOG_METHODS: Final = frozenset(
    {"critical", "debug", "error", "exception", "fatal", "info", "log", "notice", "success", "trace", "warn", "warning"}
)
_TALK: Final = frozenset(
    {"add_argument", "echo", "exit", "getLogger", "getenv", "pprint", "print", "strftime", "strptime", "warn", "write"}
)
_TALKING_MODULES: Final = frozenset({"logging", "warnings", "re"})
_LOGGER_NAME = re.compile(r"(?:^|_|get)(?:log|logger|logging|console)$", re.IGNORECASE)
_AUTHORS_HEADERS: Final = frozenset(
    {
        *("accept-charset", "accept-encoding", "accept-language", "cache-control", "connection", "content-encoding"),
        *("content-language", "content-length", "host", "user-agent"),
    }
)
_SILENT_FIELDS: Final = frozenset({"annotation", "returns", "msg"})
_NAMESPACE = re.compile(r"urn:|https?://")
_EXCEPTION_NAME = re.compile(r"[A-Z]\w*(?:Error|Exception|Warning)$")
_STREAMS: Final = frozenset({"stdout", "stderr"})


@dataclass(frozen=True, slots=True)
class Use:
    """A name that the code uses, and where it stands: line from 1, column in bytes of UTF-8."""

    name: str
    line: int
    column: int


def silence(tree: ast.Module) -> None:
    """Take out of a tree what names nothing that is documented, since the author worded it.

    That is log and print calls, raised and asserted messages, names of environment variables, formats of dates,
    regular expressions, annotations, and what stands in headers such as User-Agent. (Strings that are statements,
    docstrings too, and format specifications are no values to the judge.)
    """
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys, values=values):
                for number, key in enumerate(keys):
                    if _is_authors_header(key):
                        values[number] = _nothing(values[number])
            case ast.Assign(targets=[ast.Subscript(slice=key)]) if _is_authors_header(key):
                node.value = _nothing(node.value)
        for name, child in ast.iter_fields(node):
            if isinstance(child, ast.expr):
                if name in _SILENT_FIELDS or isinstance(node, ast.Raise) or _is_silent(child):
                    setattr(node, name, _nothing(child))
            elif isinstance(child, list):
                child[:] = [_nothing(c) if isinstance(c, ast.expr) and _is_silent(c) else c for c in child]


def used_names(tree: ast.Module) -> Iterator[Use]:
    """Yield imported names, module paths, attribute and keyword names, without those of the libraries.

    What is reached through an imported library module, and what is given to it by keyword, is the library's.
    """
    libraries = _names_from_libraries(tree)
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    if not _is_library(alias.name):
                        modules.add(alias.name)
                        yield Use(alias.name, alias.lineno, alias.col_offset)
            case ast.ImportFrom(module=str(module), level=0, names=names) if not _is_library(module):
                yield Use(module, node.lineno, node.col_offset)
                yield from (Use(alias.name, alias.lineno, alias.col_offset) for alias in names if alias.name != "*")
            case ast.Attribute(attr=name) if _root(node) not in libraries:
                if not _is_part_of(node, modules):
                    yield Use(name, node.end_lineno or 1, (node.end_col_offset or 0) - len(name.encode()))
            case ast.Call(keywords=keywords) if _root(node.func) not in libraries:
                yield from (Use(keyword.arg, keyword.lineno, keyword.col_offset) for keyword in keywords if keyword.arg)


def namespace_keys(tree: ast.Module) -> frozenset[str]:
    """Return the keys of mappings from XML prefixes to namespaces, as XML libraries take them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                match key, value:
                    case ast.Constant(value=str(prefix)), ast.Constant(value=str(uri)) if _NAMESPACE.match(uri):
                        found.add(prefix)
    return frozenset(found - {""})


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that the code itself gives: assignments, parameters, definitions, ``self.x =``; no imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.arg(arg=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)) | ast.TypeVar(name=name):
                found.add(name)
    return frozenset(found)


def _nothing(node: ast.expr) -> ast.Constant:
    return ast.copy_location(ast.Constant(None), node)


def _is_authors_header(key: ast.expr | None) -> bool:
    """Whether a key is a header whose value every client words for itself."""
    return isinstance(key, ast.Constant) and str(key.value).lower() in _AUTHORS_HEADERS


def _is_silent(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=function):
            return _talks(function)
        case ast.Subscript(value=ast.Attribute(attr="environ")):
            return True
    return False


def _talks(function: ast.expr) -> bool:
    """Whether a call logs, prints, warns, formats a date, reads the environment or matches text."""
    match function:
        case ast.Name(id=name):
            return name in _TALK or name in _LOG_METHODS or _EXCEPTION_NAME.match(name) is not None
        case ast.Attribute(value=owner, attr=name):
            root = _root(function)
            logs = name in _LOG_METHODS and _is_logger(owner)
            talks = name in _TALK and (name != "write" or _is_stream(owner))
            raises = _EXCEPTION_NAME.match(name) is not None
            return logs or talks or raises or root in _TALKING_MODULES or _name_of(owner) == "environ"
    return False


def _is_logger(owner: ast.expr) -> bool:
    return _LOGGER_NAME.search(_name_of(owner.func if isinstance(owner, ast.Call) else owner)) is not None


def _is_stream(owner: ast.expr) -> bool:
    return _name_of(owner) in _STREAMS


def _is_part_of(node: ast.Attribute, modules: Collection[str]) -> bool:
    """Whether a chain of attributes is the path of an imported module, or the beginning of one."""
    names: list[str] = []
    chain: ast.expr = node
    while isinstance(chain, ast.Attribute):
        names.append(chain.attr)
        chain = chain.value
    if not isinstance(chain, ast.Name):
        return False
    dotted = ".".join([chain.id, *reversed(names), ""])
    return any(f"{module}.".startswith(dotted) for module in modules)


def _name_of(node: ast.expr) -> str:
    """Return the last name of ``x`` or ``a.x``; nothing for other expressions."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARY_MODULES


def _names_from_libraries(tree: ast.Module) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found.update(a.asname or a.name.partition(".")[0] for a in names if _is_library(a.name))
            case ast.ImportFrom(module=str(module), names=names) if _is_library(module):
                found.update(a.asname or a.name for a in names)
    return frozenset(found)


def _root(node: ast.expr) -> str:
    """Return the name at the left end of a chain of attributes and calls; nothing if there is no name there."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
