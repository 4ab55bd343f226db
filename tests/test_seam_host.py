"""The seam on the real host: each way into it knows our components, and those of any other distribution.

``run``, ``summary`` and ``analysis`` load components the way the Python API below does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.installs import Run, SiteFolder

OURS = ("ob-code-websearch", "coding_agent")
CLI = ("python", "-m", "agentcompass.cli")
OFF = {"AGENTCOMPASS_WEBSEARCH_AUTOLOAD": "0"}

BENCHMARK = """
from agentcompass.runtime.base import BaseBenchmark
from agentcompass.runtime.registry import BENCHMARKS

@BENCHMARKS.register()
class ProbeBenchmark(BaseBenchmark):
    id = "probe-benchmark"
    description = "A benchmark of another distribution."
"""
HARNESS = """
from agentcompass.runtime.base import BaseHarness
from agentcompass.runtime.registry import HARNESSES

@HARNESSES.register()
class ProbeHarness(BaseHarness):
    id = "probe_harness"
    description = "A harness of another distribution."
"""
ANALYZER = """
from agentcompass.analyzers import TruncationAnalyzer
from agentcompass.runtime.registry import ANALYZERS

ANALYZERS.register("ProbeAnalyzer")(TruncationAnalyzer)
"""
NAIVE_TOOL = """
from agentcompass.harnesses.naive_search_agent.engine.tools.registry import _TOOL_BUILDERS

_TOOL_BUILDERS["probe_search"] = lambda registry, config: None
"""


@pytest.fixture
def probe(site_folder: SiteFolder) -> dict[str, str]:
    """The environment of a child in which a distribution with one component of each kind is installed."""
    kinds = {"benchmarks": BENCHMARK, "harnesses": HARNESS, "analyzers": ANALYZER, "naive_tools": NAIVE_TOOL}
    site_folder.add(
        "acme-components",
        {f"agentcompass.{kind}": {"probe": f"acme_{kind}"} for kind in kinds},
        {f"acme_{kind}": source for kind, source in kinds.items()},
    )
    return site_folder.env


def test_list_benchmark_by_the_hosts_own_script(run: Run, probe: dict[str, str]) -> None:
    done = run(Path(sys.executable).parent / "agentcompass", "list", "benchmark", env=probe)
    assert "│ ob-code-websearch " in done.ok()
    assert "│ probe-benchmark " in done.out
    assert done.err == ""


def test_list_harness_by_python_m(run: Run, probe: dict[str, str]) -> None:
    done = run(*CLI, "list", "harness", env=probe)
    assert "│ coding_agent " in done.ok()
    assert "│ probe_harness " in done.out
    assert done.err == ""


def test_list_dump(run: Run, probe: dict[str, str], tmp_path: Path) -> None:
    run(*CLI, "list", "dump", env=probe, cwd=tmp_path).ok()
    (dump,) = tmp_path.glob("*.md")
    text = dump.read_text()
    assert [name for name in (*OURS, "probe-benchmark", "probe_harness", "ProbeAnalyzer") if name not in text] == []


def test_config_docs_and_show(run: Run) -> None:
    assert "dataset" in run(*CLI, "config", "docs", "benchmark", OURS[0]).ok()
    shown = run(*CLI, "config", "show", "--harness", OURS[1]).ok()
    assert "vendor" in shown
    assert "max_searches" in shown


def test_launch_dry_run(run: Run, tmp_path: Path) -> None:
    orchestration = tmp_path / "two.yaml"
    orchestration.write_text(
        """
defaults:
  benchmark: {id: ob-code-websearch, dataset: sample}
  environment: {id: host_process}
  model: {id: m, base_url: "http://127.0.0.1:9/v1"}
requests:
  - {name: local, harness: {id: coding_agent, vendor: local}}
  - {name: none, harness: {id: coding_agent, vendor: none}}
"""
    )
    done = run(*CLI, "launch", orchestration, "--dry-run", cwd=tmp_path)
    assert "coding_agent" in done.ok()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["two.yaml"]


def test_isolated_python(run: Run) -> None:
    """``python -I`` ignores PYTHONPATH and the user's site folder, not the environment's own .pth files."""
    assert "│ ob-code-websearch " in run("python", "-I", "-m", "agentcompass.cli", "list", "benchmark").ok()


def test_a_child_with_an_empty_environment(run: Run) -> None:
    done = run(*CLI, "config", "docs", "benchmark", OURS[0], only_env={})
    assert OURS[0] in done.ok()


def test_python_api(run: Run, probe: dict[str, str]) -> None:
    code = """
import agentcompass
from agentcompass.runtime.registry import ANALYZERS, BENCHMARKS, HARNESSES, load_builtin_components
load_builtin_components()
from agentcompass.harnesses.naive_search_agent.engine.tools.registry import _TOOL_BUILDERS
wanted = {
    "ob-code-websearch": BENCHMARKS.names(),
    "probe-benchmark": BENCHMARKS.names(),
    "coding_agent": HARNESSES.names(),
    "probe_harness": HARNESSES.names(),
    "ProbeAnalyzer": ANALYZERS.names(),
    "probe_search": list(_TOOL_BUILDERS),
}
print([name for name, names in wanted.items() if names.count(name) != 1])
"""
    done = run("python", "-c", code, env=probe)
    assert done.ok() == "[]\n"
    assert done.err == ""


def test_switched_off_the_host_is_as_without_the_package_and_the_own_command_still_works(run: Run) -> None:
    argv = ("list", "benchmark")
    assert "ob-code-websearch" not in run(*CLI, *argv, env=OFF).ok()
    assert "│ ob-code-websearch " in run("python", "-m", "agentcompass_websearch", "host", *argv, env=OFF).ok()


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["--version"], [], ["list", "nonsense"]])
def test_the_own_command_passes_everything_through(run: Run, argv: list[str]) -> None:
    assert run("python", "-m", "agentcompass_websearch", "host", *argv) == run(*CLI, *argv)
