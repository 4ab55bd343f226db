"""Rules of the house that no tool checks: the product speaks of itself alone, and its files stay small and told."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[1]
PACKAGE = CHECKOUT / "agentcompass_websearch"
MAX_LINES = 400

MODULES = sorted(PACKAGE.rglob("*.py"))
TEXTS = sorted(
    path
    for place in ("agentcompass_websearch", "tests", "docs", "examples", "scripts", "perf", ".ci")
    for path in (CHECKOUT / place).rglob("*")
    if path.suffix in {"", ".py", ".md", ".toml", ".yaml", ".yml", ".sh", ".html", ".txt"}
    and path.is_file()
    and "__pycache__" not in path.parts
    and path != Path(__file__)
) + sorted(path for path in CHECKOUT.iterdir() if path.suffix in {".md", ".toml", ".pth"} or path.name == "Makefile")

FORBIDDEN = re.compile(
    r"""
      /work/ | /root/ | /home/(?!user/) | \bshared/ | /tmp/(?!\$)          # a machine's own paths
    | design\.md | judge_rules | host_contract | library_traps | style\.md # papers the reader does not have
    | \bBRIEF\b | \b(?:CX|JC|BC|EX)-\d\d | \bH\d\d?\.\d                    # and their marks
    | \b(?:TODO|FIXME|XXX|HACK)\b | pytest\.(?:mark\.)?(?:skip|xfail)      # work left undone
    """,
    re.VERBOSE,
)


def test_the_product_speaks_of_itself_alone() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}:{n}: {line.strip()}"
        for path in TEXTS
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert found == []


def test_no_module_is_too_long() -> None:
    lines = {str(path.relative_to(CHECKOUT)): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {path: n for path, n in lines.items() if n > MAX_LINES} == {}


def test_every_module_begins_by_saying_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(CHECKOUT))
        for path in MODULES
        if not (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0].strip()
    ]
    assert silent == []


def test_what_the_package_imports_it_declares_and_what_it_declares_it_imports() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for name in extras if name != "dev" for line in extras[name])]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    imported = {name for path in MODULES for name in _imported(path)} - sys.stdlib_module_names - {PACKAGE.name}
    owners = importlib.metadata.packages_distributions()
    # The libraries of some extras are not installed here; their modules bear their names.
    assert {canonicalize_name(owners.get(name, [name])[0]) for name in imported} == declared


def _imported(path: Path) -> set[str]:
    """The top-level names that a module imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
