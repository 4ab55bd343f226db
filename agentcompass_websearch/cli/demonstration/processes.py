"""The demo's child processes: the stand-in for a model, and the host. Both end when the demo does, however it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from agentcompass_websearch.errors import WebSearchError

MODEL_MODULE: Final = "agentcompass_websearch.sample.scripted_model"
WORKER_MODULE: Final = "agentcompass_websearch.cli.demonstration.worker"
VARIATION: Final = 7
GRACE_S: Final = 5.0

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PROXY", re.IGNORECASE)


class DemoFailed(WebSearchError):
    """A process of the demo did not do its part."""


@contextmanager
def stand_in() -> Iterator[Mapping[str, str]]:
    """Run the scripted model; yield its ``base_url`` and ``model``."""
    with tempfile.TemporaryDirectory(prefix="websearch-demo-") as folder:
        options = ["--port", "0", "--variation", str(VARIATION), "--until-eof"]
        with _child(MODEL_MODULE, *options, folder=Path(folder), log=subprocess.DEVNULL) as process:
            try:
                told: dict[str, str] = json.loads(_out(process).readline())
            except ValueError as error:
                raise DemoFailed("the stand-in for a model did not start") from error
            yield told


@contextmanager
def runs(requests: Mapping[str, Any], log: IO[bytes]) -> Iterator[Iterator[dict[str, Any]]]:
    """Let the host carry `requests` out in a process of its own; yield its events. What it says besides goes to `log`.

    The host reads configuration from the folder it is started in, from its parents and from the home folder. The demo
    uses none: its process starts in an empty folder with an empty configuration.
    """
    with tempfile.TemporaryDirectory(prefix="websearch-demo-") as name:
        folder = Path(name)
        (folder / "config.yaml").write_text("{}\n", encoding="utf-8")
        with _child(WORKER_MODULE, folder=folder, log=log) as process:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"requests": requests}) + "\n")
            process.stdin.flush()
            yield map(json.loads, _out(process))


def _out(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


@contextmanager
def _child(module: str, *options: str, folder: Path, log: IO[bytes] | int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", module, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env=_environment(folder),
        # Ctrl-C reaches this process alone, which then ends its children in order.
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
    process.communicate()


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a child: without keys and proxies, since the demo talks to this machine alone."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return kept | {
        "XDG_CONFIG_HOME": str(folder),
        "NO_PROXY": "127.0.0.1,localhost",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HF_HUB_OFFLINE": "1",
    }
