"""The seam, on a tiny host of the same shape as the real one: what fires when, and what a broken plugin does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.installs import Finished, Run, SiteFolder

OFF = {"AGENTCOMPASS_WEBSEARCH_AUTOLOAD": "0"}
NAIVE_TOOLS = "agentcompass.harnesses.naive_search_agent.engine.tools.registry"

Python = Callable[..., Finished]


@pytest.fixture
def host(site_folder: SiteFolder) -> SiteFolder:
    """A folder that shadows the installed host with one that consists of the packages the seam waits for."""
    for package in ("", "benchmarks", "harnesses", "analyzers"):
        folder = site_folder.path / "agentcompass" / package
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text("names = []\n")
    tools = site_folder.path.joinpath("agentcompass", *NAIVE_TOOLS.split(".")[1:-1])
    tools.mkdir(parents=True)
    (tools / "registry.py").write_text("names = []\n")
    return site_folder


@pytest.fixture
def python(run: Run, host: SiteFolder) -> Python:
    """Return ``python(code, env={})``: run code in a new interpreter that finds the tiny host and its plugins."""

    def python(code: str, env: dict[str, str] | None = None, flags: tuple[str, ...] = ()) -> Finished:
        return run("python", *flags, "-c", code, env={**host.env, **(env or {})})

    return python


def register(target: str, name: str) -> str:
    """The source of a plugin that registers `name` with the tiny host's `target`."""
    return f"import {target} as host\nhost.names.append({name!r})\n"


def without_our_own(err: str) -> str:
    """What is on stderr apart from what this package's own components have to say of the tiny host."""
    return "".join(line for line in err.splitlines(True) if " of agentcompass-websearch " not in line)


@pytest.mark.parametrize(
    ("target", "group"),
    [
        ("agentcompass.benchmarks", "agentcompass.benchmarks"),
        ("agentcompass.harnesses", "agentcompass.harnesses"),
        ("agentcompass.analyzers", "agentcompass.analyzers"),
        (NAIVE_TOOLS, "agentcompass.naive_tools"),
    ],
)
def test_plugins_are_imported_right_after_their_package(
    python: Python, host: SiteFolder, target: str, group: str
) -> None:
    host.add("acme-one", {group: {"one": "acme_one"}}, {"acme_one": register(target, "one")})
    host.add("acme-two", {group: {"two": "acme_two:anything [extra]"}}, {"acme_two": register(target, "two")})
    done = python(f"import {target} as t; print(sorted(t.names))")
    assert done.ok() == "['one', 'two']\n"
    assert without_our_own(done.err) == ""


def test_an_interpreter_start_imports_nothing_of_the_package(python: Python) -> None:
    show = "import sys; print(*sorted(sys.modules))"
    assert python(show).ok() == python(show, env=OFF).ok()


def test_the_host_alone_imports_nothing_but_the_seam(python: Python) -> None:
    show = "import sys, agentcompass; print(*sorted(sys.modules))"
    with_seam, without = python(show).ok().split(), python(show, env=OFF).ok().split()
    assert set(with_seam) - set(without) == {"agentcompass_websearch", "agentcompass_websearch._seam"}


def test_metadata_is_read_only_when_a_target_is_imported(python: Python) -> None:
    read = "'importlib.metadata' in sys.modules"
    code = f"import sys, agentcompass; before = {read}; import agentcompass.analyzers; print(before, {read})"
    assert python(code).ok() == "False True\n"


def test_the_off_switch_leaves_the_interpreter_alone(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    code = "import sys, agentcompass.analyzers as t; print(t.names, 'agentcompass_websearch' in sys.modules)"
    assert python(code, env=OFF).ok() == "[] False\n"


def test_a_late_install_loads_plugins_of_packages_that_are_imported_already(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    code = """
import agentcompass.analyzers as t
before = list(t.names)
from agentcompass_websearch import _seam
_seam.install()
print(before, t.names)
"""
    assert python(code, env=OFF).ok() == "[] ['a']\n"


def test_install_twice_is_install_once(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    code = """
import sys
from agentcompass_websearch import _seam
_seam.install(); _seam.install()
print(sum(type(f).__module__ == "agentcompass_websearch._seam" for f in sys.meta_path))
import agentcompass.analyzers as t
_seam.install()
print(t.names)
"""
    assert python(code).ok() == "1\n['a']\n"


def test_a_plugin_imported_before_the_host_registers_once(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    done = python("import acme, agentcompass.analyzers as t; print(t.names)")
    assert done.ok() == "['a']\n"
    assert without_our_own(done.err) == ""


def test_two_threads_that_import_at_once_load_plugins_once_and_see_them_all(python: Python, host: SiteFolder) -> None:
    slow = "import time; time.sleep(0.05)\n" + register("agentcompass.analyzers", "a")
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": slow})
    code = """
import importlib, threading
seen, start = [], threading.Barrier(4)
def load():
    start.wait()
    seen.append(tuple(importlib.import_module("agentcompass.analyzers").names))
threads = [threading.Thread(target=load) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(set(seen))
"""
    assert python(code).ok() == "{('a',)}\n"


def test_a_host_package_that_fails_once_gets_its_plugins_when_it_loads(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    package = host.path / "agentcompass/analyzers/__init__.py"
    package.write_text("import builtins\nif not hasattr(builtins, 'ready'): raise RuntimeError\nnames = []\n")
    code = """
import builtins
try:
    import agentcompass.analyzers
except RuntimeError:
    builtins.ready = True
import agentcompass.analyzers as t
print(t.names)
"""
    assert python(code).ok() == "['a']\n"


def test_the_host_module_keeps_loader_source_and_file(python: Python, host: SiteFolder) -> None:
    code = """
import inspect, importlib.machinery, agentcompass.analyzers as t
print(type(t.__loader__) is importlib.machinery.SourceFileLoader, t.__spec__.origin == t.__file__, inspect.getsource(t))
"""
    assert python(code).ok() == "True True names = []\n\n"


def test_other_finders_are_asked_in_their_order(python: Python, host: SiteFolder) -> None:
    """A finder of another tool that wraps imports in the same way still gets its turn, and so do the plugins."""
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": register("agentcompass.analyzers", "a")})
    code = """
import importlib.util, sys
class Other:
    asked = []
    busy = False
    def find_spec(self, name, path=None, target=None):
        if self.busy or not name.startswith("agentcompass."):
            return None
        self.busy = True
        self.asked.append(name)
        try:
            return importlib.util.find_spec(name)
        finally:
            self.busy = False
class WithoutFindSpec: pass
sys.meta_path[:0] = [Other(), WithoutFindSpec()]
import agentcompass.analyzers as t
print(t.names, [name for name in Other.asked if name == "agentcompass.analyzers"])
"""
    assert python(code).ok() == "['a'] ['agentcompass.analyzers']\n"


BREAKAGES = {
    "raises": ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "syntax": ("def (", "SyntaxError: invalid syntax"),
    "missing": ("import not_installed_anywhere", "ModuleNotFoundError: No module named 'not_installed_anywhere'"),
    "escapes": ("raise ValueError('\\x1b[31mred' * 200)", "ValueError: ?[31mred"),
}


@pytest.mark.parametrize("kind", BREAKAGES)
def test_a_broken_plugin_is_one_line_on_stderr_and_harms_nobody(python: Python, host: SiteFolder, kind: str) -> None:
    source, error = BREAKAGES[kind]
    group = "agentcompass.analyzers"
    host.add("acme-broken", {group: {"bad": "acme_broken"}}, {"acme_broken": source}, version="2.1")
    host.add("zeta", {group: {"good": "zeta"}}, {"zeta": register("agentcompass.analyzers", "good")})
    done = python("import agentcompass.analyzers as t; print(t.names)")
    assert done.ok() == "['good']\n"
    (line,) = without_our_own(done.err).splitlines()
    named = "plugin 'bad' of acme-broken 2.1 (agentcompass.analyzers: acme_broken) was left out: "
    assert line.startswith(f"agentcompass-websearch: {named}{error}")
    assert "pip install --upgrade acme-broken" in line
    assert "pip uninstall acme-broken" in line
    assert "AGENTCOMPASS_WEBSEARCH_AUTOLOAD=0" in line
    assert len(line) < 700


@pytest.mark.parametrize("module", ["", ".relative", "no module at all!", "not_there"])
def test_an_entry_point_that_names_no_module_is_reported(python: Python, host: SiteFolder, module: str) -> None:
    host.add("acme", {"agentcompass.analyzers": {"bad": module}})
    done = python("import agentcompass.analyzers")
    assert done.code == 0
    assert "plugin 'bad' of acme 1.0" in done.err


def test_a_ctrl_c_while_a_plugin_loads_stops_the_program(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"a": "acme"}}, {"acme": "raise KeyboardInterrupt"})
    assert "KeyboardInterrupt" in python("import agentcompass.analyzers").err


def test_unreadable_metadata_of_one_distribution_hides_no_other(python: Python, host: SiteFolder) -> None:
    host.add("zeta", {"agentcompass.analyzers": {"a": "zeta"}}, {"zeta": register("agentcompass.analyzers", "a")})
    for name, content in {"cut": "[agentcompass.analyzers]\nno value here\n", "nameless": "[x]\na = b\n"}.items():
        info = host.path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(content)
    assert python("import agentcompass.analyzers as t; print(t.names)").ok() == "['a']\n"


def test_a_distribution_found_twice_on_the_path_is_loaded_once(
    python: Python, host: SiteFolder, tmp_path: Path
) -> None:
    second = SiteFolder(tmp_path / "second")
    for folder in (host, second):
        group = {"agentcompass.analyzers": {"a": "acme"}}
        folder.add("acme.search", group, {"acme": register("agentcompass.analyzers", "a")})
    (second.path / "acme.search-1.0.dist-info").rename(second.path / "acme_search-1.0.dist-info")
    path = host.env["PYTHONPATH"].split(":")
    code = """
from agentcompass_websearch import _discovery
print([p.name for p in _discovery.plugins("agentcompass.analyzers") if p.module == "acme"])
"""
    assert python(code, env={"PYTHONPATH": ":".join([path[0], str(second.path), *path[1:]])}).ok() == "['a']\n"


def test_no_stderr_is_no_failure(python: Python, host: SiteFolder) -> None:
    host.add("acme", {"agentcompass.analyzers": {"bad": "not_there"}})
    assert python("import sys; sys.stderr = None; import agentcompass.analyzers; print('fine')").ok() == "fine\n"


def test_python_without_the_host_is_unaffected(run: Run) -> None:
    """As in an environment from which the host was uninstalled and this package was not."""
    code = """
import sys
class NoHost:
    def find_spec(self, name, path=None, target=None):
        if name == "agentcompass":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoHost())
import json
try:
    import agentcompass.benchmarks
except ModuleNotFoundError as error:
    print(error)
"""
    assert run("python", "-c", code).ok() == "agentcompass\n"
