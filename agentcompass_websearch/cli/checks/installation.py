"""Checks of what is installed: Python, the host, and whether the host gets the components of all plugins."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from agentcompass_websearch import _discovery, _seam
from agentcompass_websearch.cli import _host
from agentcompass_websearch.cli.checks.finding import Finding
from agentcompass_websearch.errors import WebSearchError

_OURS = "agentcompass-websearch"
_MIN_PYTHON = (3, 12)


def python() -> Finding:
    """This Python is one that the package supports."""
    message = f"Python {platform.python_version()} ({sys.executable})"
    if sys.version_info < _MIN_PYTHON:
        return Finding("fault", "python", message, "install both packages under Python 3.12 or newer")
    return Finding("ok", "python", message)


def host() -> Iterator[Finding]:
    """The host is installed, in a version that this package knows, and the command on the path belongs to it."""
    wanted = _host.requirement()
    try:
        version = importlib.metadata.version(_host.DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        yield Finding("fault", "host", f"{_host.DISTRIBUTION} is not installed", f"pip install '{wanted}'")
        return
    if wanted.specifier.contains(version, prereleases=True):
        yield Finding("ok", "host", f"{_host.DISTRIBUTION} {version}")
    else:
        message = f"{_host.DISTRIBUTION} {version} is outside the supported range {wanted.specifier}"
        yield Finding("fault", "host", message, f"pip install '{wanted}'")
    command, here = shutil.which("agentcompass"), Path(sys.executable).parent
    if command and Path(command).parent != here and (here / "agentcompass").exists():
        message = f"the command agentcompass on the path is {command}, of another environment than this one"
        yield Finding("warning", "host", message, f"put {here} first on the path, or run {here / 'agentcompass'}")


def seam() -> Finding:
    """The post-import hook is put in place by the package's .pth file, once the host is looked for."""
    if _seam.installed():
        return Finding("ok", "plugins", "the host finds plugins by itself")
    if os.environ.get(_discovery.OFF_SWITCH) == "0":
        return Finding(
            "warning",
            "plugins",
            f"switched off by {_discovery.OFF_SWITCH}=0: agentcompass does not see any plugin",
            f"unset {_discovery.OFF_SWITCH}, or start the host with: {_OURS} host",
        )
    return Finding(
        "fault",
        "plugins",
        "Python did not process agentcompass_websearch.pth, so agentcompass does not see any plugin",
        f"pip install {_OURS} into this environment (not with --target or PYTHONPATH, and without python -S), "
        f"or start the host with: {_OURS} host",
    )


def components() -> Iterator[Finding]:
    """The host still has the packages that the hook waits for, and gets every component of every plugin."""
    _seam.install()
    for target in _seam.TARGETS:
        try:
            # The seam reports broken plugins there; they are findings here.
            with contextlib.redirect_stderr(io.StringIO()):
                importlib.import_module(target)
        except Exception as error:  # noqa: BLE001 - a host in whatever state
            yield Finding(
                "fault",
                "host",
                f"{target} cannot be imported: {_discovery.one_line(error)}",
                f"pip install --force-reinstall '{_host.requirement()}'",
            )
    broken = {problem.plugin for problem in _discovery.problems}
    for problem in _discovery.problems:
        yield Finding("fault", "plugins", problem.message, problem.fix)
    for group in ("agentcompass.benchmarks", "agentcompass.harnesses"):
        for plugin in _discovery.plugins(group):
            if plugin.distribution == _OURS and plugin not in broken:
                yield _registered(plugin)


def _registered(plugin: _discovery.Plugin) -> Finding:
    try:
        if plugin.name in _host.registered(plugin.group):
            return Finding("ok", "plugins", f"the host knows {plugin.name} ({plugin.group})")
    except WebSearchError as error:
        return Finding("fault", "host", str(error), f"pip install '{_host.requirement()}'")
    return Finding(
        "fault",
        "plugins",
        f"the host does not know {plugin.name} ({plugin.group}), although {plugin.module} was imported",
        f"pip install --force-reinstall {_OURS} '{_host.requirement()}'",
    )
