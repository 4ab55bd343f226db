"""``agentcompass-websearch doctor``: the real installation, and each fault that it is there to find."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from agentcompass_websearch import _discovery, _seam
from agentcompass_websearch.cli import _host
from agentcompass_websearch.cli.checks import Finding, installation, settings, vendors
from tests.support.installs import Run, SiteFolder, vendor_source

KEYED = vendor_source("acme").replace("open=None", 'open=None, key_vars=("ACME_API_KEY", "ACME_KEY")')


def found(findings: Iterable[Finding], level: str) -> list[Finding]:
    return [finding for finding in findings if finding.level == level]


def only(findings: Iterable[Finding]) -> Finding:
    (finding,) = findings
    return finding


# The whole, on the real host


def test_an_installation_that_works(run: Run) -> None:
    done = run("python", "-m", "agentcompass_websearch", "doctor", "--json", env={"EXA_API_KEY": "canary-0123456789"})
    report = json.loads(done.ok())
    assert report["works"] is True
    assert done.err == ""
    assert [f for f in report["findings"] if f["level"] not in ("ok", "note")] == [
        f for f in report["findings"] if "HF_HUB_OFFLINE" in f["message"]
    ]
    messages = "\n".join(f["message"] for f in report["findings"])
    for said in (
        "the host finds plugins by itself",
        "the host knows ob-code-websearch (agentcompass.benchmarks)",
        "the host knows coding_agent (agentcompass.harnesses)",
        "vendor families load: brave, ",
        "exa: EXA_API_KEY is set",
        "the host reads no configuration file in this folder",
    ):
        assert said in messages
    assert "canary" not in done.out


def test_an_installation_with_faults_and_the_fix_of_each(run: Run, site_folder: SiteFolder, tmp_path: Path) -> None:
    group = {"agentcompass.analyzers": {"bad": "acme_bad"}}
    site_folder.add("acme-bad", group, {"acme_bad": "raise RuntimeError('no luck')"})
    (tmp_path / "config.yaml").write_text("models: []\n")
    env = {**site_folder.env, "AGENTCOMPASS_WEBSEARCH_AUTOLOAD": "0"}
    done = run("python", "-m", "agentcompass_websearch", "doctor", env=env)
    assert done.code == 1
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[-1] == "Something is broken: 2 fault(s) above, each with its fix."
    for start, fix in {
        "warning  plugins   switched off by AGENTCOMPASS_WEBSEARCH_AUTOLOAD=0": "unset AGENTCOMPASS_WEBSEARCH_AUTOLOAD",
        "fault    plugins   plugin 'bad' of acme-bad 1.0": "pip install --upgrade acme-bad",
        "fault    config    no agentcompass command works in this folder: ValueError": f"{tmp_path}/config.yaml",
    }.items():
        (n,) = [n for n, line in enumerate(lines) if line.startswith(start)]
        assert lines[n + 1].strip().startswith("fix: ")
        assert fix in lines[n + 1]


# Check by check


def test_a_python_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installation.python().level == "ok"
    monkeypatch.setattr(sys, "version_info", (3, 11, 9))
    assert installation.python().level == "fault"


@pytest.mark.parametrize(
    ("version", "level"), [("1.0.1", "ok"), ("1.0.9", "ok"), ("1.0.0", "fault"), ("1.1.0", "fault"), ("2.0", "fault")]
)
def test_the_host_version_against_the_declared_range(version: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", {"agentcompass": version}.__getitem__)
    finding = next(installation.host())
    assert finding.level == level
    assert version in finding.message
    assert finding.fix == ("" if level == "ok" else "pip install 'agentcompass<1.1,>=1.0.1'")


def test_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    finding = only(installation.host())
    assert (finding.level, finding.message) == ("fault", "agentcompass is not installed")


def test_a_command_of_another_environment_is_first_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    for folder in (here, other):
        folder.mkdir()
        (folder / "agentcompass").write_text("")
    monkeypatch.setattr(sys, "executable", str(here / "python"))
    monkeypatch.setattr(shutil, "which", lambda name: str(other / name))
    assert str(other / "agentcompass") in only(found(installation.host(), "warning")).message
    monkeypatch.setattr(shutil, "which", lambda name: str(here / name))
    assert found(installation.host(), "warning") == []


def test_a_pth_file_that_python_did_not_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_seam, "installed", lambda: False)
    finding = installation.seam()
    assert finding.level == "fault"
    assert "agentcompass-websearch host" in finding.fix


def test_a_host_without_a_package_that_the_seam_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_seam, "TARGETS", {"agentcompass.renamed": "agentcompass.benchmarks"})
    monkeypatch.setattr(_discovery, "plugins", lambda group: [])
    finding = only(installation.components())
    assert finding.level == "fault"
    assert "agentcompass.renamed cannot be imported: ModuleNotFoundError" in finding.message


@pytest.mark.parametrize(
    ("names", "level", "message"),
    [
        (["mine"], "ok", "the host knows mine"),
        ([], "fault", "the host does not know mine"),
        (None, "fault", "no names"),
    ],
)
def test_whether_the_host_knows_our_components(
    names: list[str] | None, level: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def registered(group: str) -> list[str]:
        if names is None:
            raise _host.HostChanged("no names")
        return names

    mine = _discovery.Plugin("agentcompass.benchmarks", "mine", "mine.module", "agentcompass-websearch", "0.1.0")
    others = _discovery.Plugin("agentcompass.benchmarks", "theirs", "theirs", "somebody-else", "1.0")
    monkeypatch.setattr(_seam, "TARGETS", {})
    monkeypatch.setattr(_discovery, "plugins", lambda group: [mine, others] if group == mine.group else [])
    monkeypatch.setattr(_host, "registered", registered)
    finding = only(installation.components())
    assert finding.level == level
    assert finding.message.startswith(message)


def test_a_broken_vendor_and_a_conflict(installed_here: SiteFolder) -> None:
    installed_here.add_vendor("broken", "raise RuntimeError")
    for distribution in ("one-dist", "other-dist"):
        installed_here.add_vendor("twice", vendor_source("twice"), distribution)
    broken, twice = found(vendors.families(), "fault")
    assert (broken.message[:22], broken.fix) == ("vendor family 'broken'", "pip install --upgrade broken-plugin")
    assert "one-dist 1.0" in twice.message
    assert "other-dist 1.0" in twice.message


@pytest.mark.parametrize(
    ("env", "level", "message"),
    [
        ({}, "note", "acme: ACME_API_KEY or ACME_KEY is not set"),
        ({"ACME_API_KEY": ""}, "note", "acme: ACME_API_KEY or ACME_KEY is not set"),
        ({"ACME_KEY": "canary-1"}, "ok", "acme: ACME_KEY is set"),
        ({"ACME_API_KEY": "canary-1", "ACME_KEY": "x"}, "ok", "acme: ACME_API_KEY is set"),
        ({"ACME_KEY": "canary-1\n"}, "warning", "acme: ACME_KEY holds white space or quotes, which no key has"),
        ({"ACME_KEY": "'canary-1'"}, "warning", "acme: ACME_KEY holds white space or quotes, which no key has"),
    ],
)
def test_keys_are_set_or_not_and_never_shown(
    env: dict[str, str], level: str, message: str, installed_here: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_here.add_vendor("acme", KEYED)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    finding = only(f for f in vendors.key_variables() if f.message.startswith("acme"))
    assert (finding.level, finding.message) == (level, message)
    assert "canary" not in finding.fix


def test_hugging_face(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert [f.level for f in settings.hub()] == ["note"]
    monkeypatch.setenv("HF_TOKEN", "hf_canary")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    token, offline = settings.hub()
    assert (token.level, token.message) == ("ok", "HF_TOKEN is set")
    assert offline.level == "warning"


@pytest.mark.parametrize(
    ("variable", "url", "level"),
    [
        ("HTTPS_PROXY", "http://user:canary@proxy.example:3128", "ok"),
        ("http_proxy", "proxy.example:3128", "ok"),
        ("ALL_PROXY", "socks5h://proxy.example:1080", "fault"),
        ("HTTPS_PROXY", "socks4://proxy.example:1080", "fault"),
        ("HTTPS_PROXY", "ftp://proxy.example", "fault"),
    ],
)
def test_proxies(variable: str, url: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv(variable, url)
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    finding = only(settings.proxies())
    assert finding.level == level
    assert finding.message.startswith(f"{variable.upper()} is")
    assert "canary" not in finding.message
    assert (level == "fault") == bool(finding.fix)


def test_a_socks_proxy_with_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "socksio" or None)
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.example:1080")
    monkeypatch.setenv("NO_PROXY", "*")
    assert only(settings.proxies()).level == "ok"


def test_a_proxy_that_would_be_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(settings.proxies()) == []
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    assert "NO_PROXY" in only(found(settings.proxies(), "warning")).message


@pytest.mark.parametrize(
    ("place", "content", "level", "message"),
    [
        (None, "", "ok", "the host reads no configuration file"),
        ("here", "execution: {task_concurrency: 4}\n", "ok", "the host reads {path}"),
        ("here", "title: my blog\n", "warning", "the host reads {path}, which has none of its sections"),
        ("above", "title: my blog\n", "warning", "the host reads {path}, which has none of its sections"),
        ("above", "", "warning", "the host reads {path}, from a folder above this one"),
        ("here", "", "ok", "the host reads {path}"),
        ("above", "runtime: {}\n", "warning", "the host reads {path}, from a folder above this one"),
        ("above", "a: [", "fault", "no agentcompass command works in this folder: ValueError: Invalid YAML"),
        ("above", "- a\n", "fault", "no agentcompass command works in this folder: ValueError"),
        ("above", "theme: x-${NAME}\n", "fault", "no agentcompass command works in this folder: ValueError"),
    ],
)
def test_configuration_files_here_and_above(
    place: str | None, content: str, level: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "project" / "sub"
    here.mkdir(parents=True)
    path = (here if place == "here" else here.parent) / "config.yaml"
    if place:
        path.write_text(content)
    monkeypatch.chdir(here)
    finding = only(settings.config_files())
    assert finding.level == level
    assert finding.message.startswith(message.format(path=path))
    assert level != "fault" or str(path) in finding.fix


def test_the_model_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [f.level for f in settings.model()] == ["note"]
    for name in ("MODEL_NAME", "MODEL_API_KEY"):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("MODEL_BASE_URL", "localhost:8000/v1")
    finding = only(settings.model())
    assert (finding.level, finding.message[:30]) == ("warning", "MODEL_BASE_URL does not begin ")
    monkeypatch.setenv("MODEL_BASE_URL", "http://localhost:8000/v1")
    assert list(settings.model()) == []


# The host's names that the command line relies on


def test_the_host_still_has_every_name_that_is_used() -> None:
    """Fails when a new host lacks one of them: then `_host` must follow it."""
    import agentcompass.analyzers  # noqa: F401

    assert callable(_host._attribute("agentcompass.cli", "main"))
    assert all(isinstance(_host.registered(group), list) for group in _host._REGISTRIES)
    assert _host.registered("agentcompass.analyzers")
    assert isinstance(_host.config_files(), list)
    assert _seam.TARGETS.keys() - {"agentcompass.benchmarks", "agentcompass.harnesses", "agentcompass.analyzers"} == {
        "agentcompass.harnesses.naive_search_agent.engine.tools.registry"
    }


def test_a_host_that_lacks_a_name_is_told_with_the_version_to_install() -> None:
    for module, name in (("agentcompass.cli", "gone"), ("agentcompass.gone", "main")):
        with pytest.raises(_host.HostChanged, match=rf"no {module}.{name} .*pip install 'agentcompass<1.1,>=1.0.1'"):
            _host._attribute(module, name)
