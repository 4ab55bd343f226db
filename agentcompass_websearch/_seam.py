"""Lets the host find installed components: a post-import hook on the host's packages.

The host has no plugin discovery. Right after it imports one of its component packages, this hook imports the modules
that installed distributions name in the matching entry-point group; importing them is what registers them.

``agentcompass_websearch.pth`` calls `install` when the host itself is first imported. A start of Python that has
nothing to do with the host imports nothing of this package, and entry points are read only when a component package of
the host is.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

TARGETS = {
    "agentcompass.benchmarks": "agentcompass.benchmarks",
    "agentcompass.harnesses": "agentcompass.harnesses",
    "agentcompass.analyzers": "agentcompass.analyzers",
    "agentcompass.harnesses.naive_search_agent.engine.tools.registry": "agentcompass.naive_tools",
}
"""Package of the host -> entry-point group whose modules are imported right after it."""


class _Finder:
    """Finds nothing itself: for a target it takes what the other finders find and adds a step after its execution."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name not in TARGETS:
            return None
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    _load_plugins_after(spec)
                    return spec
        return None


_finder = _Finder()


def install() -> None:
    """Install the hook, once; packages of the host that are imported already get their plugins now."""
    if installed():
        return
    sys.meta_path.insert(0, _finder)
    for name, group in TARGETS.items():
        if name in sys.modules:
            _load(group)


def installed() -> bool:
    """Whether the hook is in place in this interpreter."""
    return _finder in sys.meta_path


def _load_plugins_after(spec: "ModuleSpec") -> None:
    loader = spec.loader
    if loader is None:
        return
    execute = loader.exec_module

    def exec_module(module: "ModuleType") -> None:
        execute(module)
        # One loader may serve several modules (a zip file does).
        if module.__name__ == spec.name:
            _load(TARGETS[spec.name])

    loader.exec_module = exec_module  # type: ignore[method-assign]


def _load(group: str) -> None:
    from agentcompass_websearch import _discovery

    _discovery.load_group(group)
