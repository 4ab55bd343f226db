"""What all tests stand on: an offline machine, an empty home, no keys, and helpers to run programs and add plugins."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.installs import Finished, Run, SiteFolder

OFFLINE = Path(__file__).parent / "offline"
_HOME = pytest.StashKey[tempfile.TemporaryDirectory[str]]()
_STRIPPED = re.compile(
    r".*(_KEY|_TOKEN|_SECRET|_PASSWORD)$|.*_PROXY$|(HF|HUGGINGFACE|AGENTCOMPASS|OPENAI|ANTHROPIC|MODEL|XDG|LITELLM)_.*"
    r"|PYTHON(PATH|HOME|STARTUP|SAFEPATH|DONTWRITEBYTECODE)$",
    re.IGNORECASE,
)


def pytest_configure(config: pytest.Config) -> None:
    """Isolate this process, and through its environment every child, before any test module is imported."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # Shells start background jobs so, and every child of the tests would be deaf to Ctrl-C too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in list(os.environ):
        if _STRIPPED.match(name):
            del os.environ[name]
    home = config.stash[_HOME] = tempfile.TemporaryDirectory(prefix="websearch-home-")
    os.environ |= {
        "HOME": home.name,
        "XDG_CONFIG_HOME": f"{home.name}/.config",
        "PYTHONPATH": str(OFFLINE),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HF_HUB_OFFLINE": "1",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    sys.path.insert(0, str(OFFLINE))
    import loopback_only

    loopback_only.install()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the home folder of the tests."""
    config.stash[_HOME].cleanup()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a test by the length of its bytes: a time stamp in them would name it anew in each process."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return ``run(*argv, env={...}, cwd=...)``: run a program to its end, in an empty folder unless told otherwise.

    ``env`` is added to this process' isolated environment; ``only_env`` replaces it. The first word ``python`` means
    this interpreter.
    """
    empty = tmp_path / "cwd"

    def run(
        *argv: str | Path,
        env: Mapping[str, str] | None = None,
        only_env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout_s: float = 300,
    ) -> Finished:
        empty.mkdir(exist_ok=True)
        words = [str(word) for word in argv]
        done = subprocess.run(
            [sys.executable if words[0] == "python" else words[0], *words[1:]],
            env=dict(only_env) if only_env is not None else {**os.environ, **(env or {})},
            cwd=cwd or empty,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def site_folder(tmp_path: Path) -> SiteFolder:
    """An empty folder for distributions; put its path on ``sys.path`` or its ``env`` into a child to install them."""
    path = tmp_path / "site"
    path.mkdir()
    return SiteFolder(path)


@pytest.fixture
def installed_here(site_folder: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> Iterator[SiteFolder]:
    """A `site_folder` whose distributions are installed in this process; its modules are forgotten afterwards."""
    from agentcompass_websearch import _discovery, plugins

    def forget() -> None:
        for cached in (plugins.families, plugins.load, plugins._observers):
            cached.cache_clear()
        _discovery.problems.clear()
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(str(site_folder.path)):
                del sys.modules[name]

    forget()
    monkeypatch.syspath_prepend(str(site_folder.path))
    yield site_folder
    forget()
