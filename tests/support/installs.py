"""Programs that a test runs, and distributions that it installs into a folder of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from agentcompass_websearch.plugins import VENDOR_GROUP


@dataclass(frozen=True)
class Finished:
    """A child process that ended."""

    code: int
    out: str
    err: str

    def ok(self) -> str:
        """Return stdout of a run that must have succeeded."""
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        return self.out


Run = Callable[..., Finished]


@dataclass(frozen=True)
class SiteFolder:
    """A folder of installed distributions that a test makes, usable by path or by PYTHONPATH."""

    path: Path

    def add(
        self,
        distribution: str,
        entry_points: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str] | None = None,
        version: str = "1.0",
    ) -> None:
        """Install a distribution with `entry_points` {group: {name: module}} and `modules` {name: source}."""
        info = self.path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        sections = (
            f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in names.items())
            for group, names in entry_points.items()
        )
        (info / "entry_points.txt").write_text("\n".join(sections))
        for name, source in (modules or {}).items():
            (self.path / f"{name}.py").write_text(dedent(source))

    def add_vendor(self, family: str, source: str, distribution: str | None = None) -> str:
        """Install a vendor plugin of the given source; return the name of its module."""
        distribution = distribution or f"{family}-plugin"
        module = f"{distribution.replace('-', '_')}_{family}"
        self.add(distribution, {VENDOR_GROUP: {family: module}}, {module: source})
        return module

    @property
    def env(self) -> dict[str, str]:
        """What to add to a child's environment so that it finds the folder."""
        return {"PYTHONPATH": os.pathsep.join([str(self.path), os.environ["PYTHONPATH"]])}


def vendor_source(family: str, *modes: str, default: str | None = None) -> str:
    """The source of a vendor plugin with the given mode names ("" is the bare family), the first its default."""
    names = modes or ("",)
    chosen = names[0] if default is None else default
    return f"""
from agentcompass_websearch.plugins import hookimpl
from agentcompass_websearch.tools.contract import Mode, Vendor

@hookimpl
def websearch_vendor():
    modes = {{n: Mode(n, "mode " + n, frozenset({{"search"}}), ("search-only",)) for n in {names!r}}}
    return Vendor({family!r}, {family!r}.title(), "https://x.example", modes, {chosen!r}, open=None)
"""
