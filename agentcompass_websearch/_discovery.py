"""Entry points of all installed distributions, read so that one broken distribution harms no other.

Standard library only, since the seam uses it inside the host's imports. Nothing here imports a plugin except
`load_group`.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import sys
from dataclasses import dataclass
from typing import Final

OFF_SWITCH: Final = "AGENTCOMPASS_WEBSEARCH_AUTOLOAD"
_MAX_ERROR_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point: the `module` that a distribution names under `group`, without the module being imported."""

    group: str
    name: str
    module: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.name!r} of {self.distribution} {self.version} ({self.group}: {self.module})"


@dataclass(frozen=True, slots=True)
class Problem:
    """A plugin that could not be loaded: what is wrong, and what mends it, one line each."""

    plugin: Plugin
    error: str

    @property
    def message(self) -> str:
        """What is wrong."""
        return f"plugin {self.plugin} was left out: {self.error}"

    @property
    def fix(self) -> str:
        """What mends it."""
        name = self.plugin.distribution
        return f"pip install --upgrade {name}, or pip uninstall {name}; {OFF_SWITCH}=0 starts without any plugin"


problems: list[Problem] = []
"""What `load_group` and `report` met in this process."""


def plugins(group: str) -> list[Plugin]:
    """Return the entry points of `group` in the order of the search path, those of one distribution only once.

    A distribution whose metadata cannot be read has no entry points here: it must not hide the others'.
    """
    found: dict[tuple[str, str], Plugin] = {}
    for distribution in importlib.metadata.distributions():
        for plugin in _entries(distribution, group):
            found.setdefault((re.sub(r"[-_.]+", "-", plugin.distribution).lower(), plugin.name), plugin)
    return list(found.values())


def load_group(group: str) -> None:
    """Import every module named in `group`. One that fails is reported on stderr and left out; nothing is raised."""
    for plugin in plugins(group):
        try:
            importlib.import_module(plugin.module)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the host must go on without it
            report(plugin, error)


def report(plugin: Plugin, error: BaseException) -> None:
    """Say on stderr, in one line, which plugin is broken, how, and what mends it; keep it in `problems`."""
    problem = Problem(plugin, one_line(error))
    problems.append(problem)
    if sys.stderr is not None:
        print(f"agentcompass-websearch: {problem.message}. To mend it: {problem.fix}", file=sys.stderr)


def one_line(error: BaseException) -> str:
    """Return ``Type: message`` as one printable line of bounded length."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return "".join(c if c.isprintable() else "?" for c in text[:_MAX_ERROR_CHARS]).rstrip(" :.")


def _entries(distribution: importlib.metadata.Distribution, group: str) -> list[Plugin]:
    try:
        return [
            Plugin(group, entry.name, _module(entry.value), str(distribution.name), str(distribution.version))
            for entry in distribution.entry_points.select(group=group)
        ]
    except Exception:  # noqa: BLE001 - files of somebody else, in whatever state
        return []


def _module(value: str) -> str:
    """The module of an entry point ``module:attribute [extras]``, where the value is of that form."""
    return value.partition("[")[0].partition(":")[0].strip()
