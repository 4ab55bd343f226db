"""All that the command line needs of the host, in one place: its entry points, registries and configuration files.

A host that lacks one of these names is a host that this version does not know: `HostChanged` says so.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement

from agentcompass_websearch.errors import WebSearchError

DISTRIBUTION: Final = "agentcompass"
_REGISTRIES: Final = {
    "agentcompass.benchmarks": "BENCHMARKS",
    "agentcompass.harnesses": "HARNESSES",
    "agentcompass.analyzers": "ANALYZERS",
}


class HostChanged(WebSearchError):
    """The installed host lacks a name that this package relies on."""


def main(args: list[str]) -> int:
    """Run the host's command line with `args` and return its exit code."""
    run: Callable[[list[str]], int] = _attribute("agentcompass.cli", "main")
    return run(args)


async def evaluate(**request: Any) -> dict[str, Any]:
    """Run one evaluation through the host's Python API, with its arguments, and return what it returns."""
    result: dict[str, Any] = await _attribute("agentcompass", "async_run_evaluation")(**request)
    return result


def registered(group: str) -> list[str]:
    """Return the ids that the host knows in the registry of an entry-point group ("agentcompass.benchmarks", ...).

    Only what has been imported is registered: import the host's package of the same name first.
    """
    names: list[str] = _attribute("agentcompass.runtime.registry", _REGISTRIES[group]).names()
    return names


def config_files() -> list[Path]:
    """Return the configuration files that every host command reads when started here, the weakest first.

    Raises:
        ValueError: one of them cannot be parsed or used; every command of the host fails then.
    """
    return list(_attribute("agentcompass.runtime.config.loader", "load_run_config")().paths)


def _attribute(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise HostChanged(
            f"the installed host has no {module}.{name} ({error}). "
            f"Install one that this version knows: pip install '{requirement()}'"
        ) from error


def requirement() -> Requirement:
    """Return the requirement on the host that this package declares: ``agentcompass<1.1,>=1.0.1``."""
    declared = map(Requirement, importlib.metadata.requires("agentcompass-websearch") or ())
    return next(each for each in declared if each.name == DISTRIBUTION)
