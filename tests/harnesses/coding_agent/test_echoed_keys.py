"""Whole runs with vendors that repeat all that they are sent: no byte that a run leaves holds a secret."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.sample.stand_in.server import StandInServer
from agentcompass_websearch.sample.stand_in.wire import MODEL
from agentcompass_websearch.tools.testing import LoopbackServer, Reply, Request, in_thread, json_reply
from tests.support.host_commands import Command, run_commands

KEY = "canary/3f+9&a7=<Zq>0123"
PASSWORD = "canary-pass-0123"
TICKET = next(iter(sample.rows()))["task_id"]
# Where the key goes: in a header, in the URL, behind "Bearer".
ARMS = {"exa_auto": "200", "serpapi": "200", "tavily_basic": "400", "google_cse": "403"}
# The libraries of model servers read these at their import; then they and httpx log what they send.
LOUD = {"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"}


def echo(request: Request) -> Reply:
    """Repeat the request in every place that a vendor's answer has, in the form that the path names."""
    said = f"{request.method} {request.path} {dict(request.query)} {dict(request.headers)} {request.body!r} {KEY}"
    form = request.path.split("/")[2]
    headers = {"x-request-id": KEY, "x-echo": said}
    if form != "200":
        error = {"error": {"code": KEY, "message": said, "next_actions": [said]}, "detail": said}
        return json_reply(error, int(form), headers)
    row = {"url": f"https://docs.acme.example/?k={KEY}", "title": said, "snippet": said, "content": said, "text": said}
    found = {"results": [row | {"raw_content": said}], "organic_results": [row | {"link": row["url"]}]}
    told = {"requestId": KEY, "search_metadata": {"id": KEY}, "warnings": [said], "notices": [said]}
    return json_reply(found | told, 200, headers)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All that the runs have left, by where: files, and what went to standard error."""
    folder = tmp_path_factory.mktemp("runs")
    with in_thread(LoopbackServer(echo)) as server, StandInServer(variation=4) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        commands = [_command(folder / name, name, form, server.url, model.base_url) for name, form in ARMS.items()]
        done = run_commands(commands, env={**os.environ, **LOUD})
        model.shutdown()
        assert not server.errors
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return files | {f"{name}: stderr": run.err.encode() for name, run in zip(ARMS, done, strict=True)}


def _command(folder: Path, vendor: str, form: str, server_url: str, model_url: str) -> Command:
    folder.mkdir()
    url = server_url.replace("//", f"//user:{PASSWORD}@") + f"/{PASSWORD}/{form}"
    options = {"base_url": "${VENDOR_URL}"} | ({"cx": "1"} if vendor == "google_cse" else {})
    params = {"vendor": vendor, "vendor_api_key": "${VENDOR_KEY}", "vendor_options": options}
    words = [
        *("run", "ob-code-websearch", "coding_agent", MODEL),
        *("--benchmark-params", json.dumps({"dataset": "sample", "sample_ids": [TICKET]})),
        *("--harness-params", json.dumps(params)),
        *("--model-base-url", model_url, "--model-api-key", "none", "--model-api-protocol", "openai-chat"),
        *("--results-dir", str(folder), "--progress", "none", "--log-level", "DEBUG", "--file-log-level", "DEBUG"),
    ]
    return Command(words, folder, {"VENDOR_URL": url, "VENDOR_KEY": KEY})


def test_no_file_and_no_log_line_holds_a_secret(left: dict[str, bytes]) -> None:
    assert {name.split("/")[0] for name in left if name.endswith("result.json")} == ARMS.keys()
    holding = {name for name, data in left.items() if b"canary" in data.lower()}
    assert not holding


@pytest.mark.parametrize("vendor", ARMS)
def test_the_vendor_was_asked_and_did_repeat_it(left: dict[str, bytes], vendor: str) -> None:
    (result,) = (data for name, data in left.items() if name.startswith(f"{vendor}/") and name.endswith("result.json"))
    assert b"********" in result
