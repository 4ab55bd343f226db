"""Data files of the Hub: which one, of which commit, offline, refused, interrupted."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.hub import download
from agentcompass_websearch.errors import UsageError
from tests.support.fake_hub import TOKEN, FakeHub, fake_hub
from tests.support.installs import Run

__all__ = ["fake_hub"]

REPO = "acme/tickets"
ROWS = '{"task_id": "t_01"}\n'
DOWNLOAD = """
import json, sys
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.hub import download
from agentcompass_websearch.errors import UsageError
for repository, revision, data_file in json.loads(sys.argv[1]):
    try:
        file = download(repository, revision=revision, data_file=data_file)
    except UsageError as error:
        print(json.dumps({"error": str(error)}))
    else:
        print(json.dumps({"commit": file.commit, "name": file.name, "text": file.path.read_text("utf-8")}))
"""


class Home:
    """One HF_HOME, and downloads in a process of its own that has it: huggingface_hub reads it when imported."""

    def __init__(self, run: Run, hub: FakeHub, path: Path) -> None:
        self.hub = hub
        self.path = path
        self._run = run

    def downloads(self, asked: Sequence[tuple[str, str | None, str | None]], **env: str) -> list[dict[str, Any]]:
        """Return what became of each (repository, revision, data file), asked for one after the other."""
        environ = self.hub.environ(self.path, **env)
        out = self._run("python", "-c", DOWNLOAD, json.dumps(asked), only_env=environ).ok()
        return [json.loads(line) for line in out.splitlines()]

    def download(self, *, revision: str | None = None, data_file: str | None = None, **env: str) -> dict[str, Any]:
        [result] = self.downloads([(REPO, revision, data_file)], **env)
        return result


@pytest.fixture
def home(run: Run, fake_hub: FakeHub, tmp_path: Path) -> Home:
    return Home(run, fake_hub, tmp_path / "hf")


def test_the_one_data_file_is_found_and_its_commit_recorded(home: Home) -> None:
    sha = home.hub.commit(REPO, {"README.md": "# t", "other.json": "[]", "data/tickets.jsonl": ROWS})
    assert home.download() == {"commit": sha, "name": "data/tickets.jsonl", "text": ROWS}


def test_a_revision_is_a_commit_a_branch_or_the_newest_of_main(home: Home) -> None:
    old = home.hub.commit(REPO, {"data/tickets.json": "[1]"})
    home.hub.commit(REPO, {"data/tickets.json": "[3]"}, branch="next")
    assert home.download() == {"commit": old, "name": "data/tickets.json", "text": "[1]"}
    new = home.hub.commit(REPO, {"data/tickets.json": "[2]"})
    found = home.downloads([(REPO, old, None), (REPO, None, None), (REPO, "next", None), (REPO, "v9", None)])
    assert [f.get("text") for f in found] == ["[1]", "[2]", "[3]", None]
    assert found[1]["commit"] == new
    assert "no revision 'v9'" in found[3]["error"]


def test_a_file_in_large_file_storage_on_another_host(home: Home) -> None:
    sha = home.hub.commit(REPO, {"data/tickets.jsonl": ROWS * 2000}, lfs=True)
    assert home.download() == {"commit": sha, "name": "data/tickets.jsonl", "text": ROWS * 2000}
    assert any(asked.startswith("GET /lfs/") for asked in home.hub.requests)


def test_several_data_files_are_listed_and_one_can_be_named(home: Home) -> None:
    home.hub.commit(REPO, {"data/v1.json": "[1]", "data/v2.jsonl": "{}\n", "data/notes.md": "x"})
    unnamed, named, wrong = home.downloads([(REPO, None, None), (REPO, None, "data/v2.jsonl"), (REPO, None, "v3.json")])
    assert unnamed["error"].endswith("several data files; set data_file to one of: data/v1.json, data/v2.jsonl")
    assert named["text"] == "{}\n"
    assert "no data file 'v3.json'; set data_file to one of: data/v1.json" in wrong["error"]
    assert not any("resolve" in asked and "v1" in asked for asked in home.hub.requests), "only the named one is fetched"


def test_data_files_elsewhere_or_nowhere(home: Home) -> None:
    home.hub.commit(REPO, {"rows.jsonl": ROWS})
    home.hub.commit("acme/empty", {"README.md": "x"})
    found = home.downloads([(REPO, None, None), (REPO, None, "rows.jsonl"), ("acme/empty", None, None)])
    assert "under data/; set data_file to one of: rows.jsonl" in found[0]["error"]
    assert found[1]["text"] == ROWS
    assert "holds no data file" in found[2]["error"]


@pytest.mark.parametrize("name", ["../../secret.json", "/etc/passwd.json", "data\\..\\x.json", "data/notes.md", ""])
def test_a_data_file_outside_the_repository_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="data_file"):
        download(REPO, data_file=name)


def test_files_that_would_leave_the_cache_are_not_seen(home: Home) -> None:
    home.hub.commit(REPO, {"data/../../../x.json": "[]", "/etc/y.json": "[]", "data/tickets.jsonl": ROWS})
    assert home.download()["name"] == "data/tickets.jsonl"


@pytest.mark.parametrize("repository", ["acme", "acme/a/b", "../acme/x", "acme/..", "a b/c", "", "acme/x\n"])
def test_what_is_not_owner_and_name_is_refused(repository: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        download(repository)


@pytest.mark.parametrize("repository", ["acme/" + "x" * 100, "acme/tickets.git", "acme/a--b", "acme/x-"])
def test_what_the_hub_itself_would_not_name_so_is_refused(repository: str) -> None:
    with pytest.raises(UsageError, match="the Hub has no such names"):
        download(repository)


def test_a_gated_set_says_where_to_ask_and_opens_with_a_token(home: Home) -> None:
    sha = home.hub.commit(REPO, {"data/tickets.jsonl": ROWS}, gated=True)
    error = home.download()["error"]
    assert "gated" in error
    assert "HF_TOKEN" in error
    assert f"https://huggingface.co/datasets/{REPO}" in error
    assert home.download(HF_TOKEN=TOKEN)["commit"] == sha


def test_a_missing_or_private_set(home: Home) -> None:
    home.hub.commit("acme/private", {"data/tickets.jsonl": ROWS}, private=True)
    for found in home.downloads([(REPO, None, None), ("acme/private", None, None)], HF_TOKEN="hf_other_secret"):
        assert "does not exist, or it is private" in found["error"]
        assert "HF_TOKEN" in found["error"]
        assert "hf_other_secret" not in found["error"]


def test_the_cache_serves_without_the_hub(home: Home) -> None:
    sha = home.hub.commit(REPO, {"data/tickets.jsonl": ROWS})
    home.download()
    asked = len(home.hub.requests)
    for env in ({"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}):
        by_branch, by_commit, other = home.downloads(
            [(REPO, None, None), (REPO, sha, None), ("a/b", None, None)], **env
        )
        assert by_branch == by_commit == {"commit": sha, "name": "data/tickets.jsonl", "text": ROWS}
        assert f"not in the cache {home.path}" in other["error"]
        assert ("HF_HUB_OFFLINE is set" in other["error"]) == ("HF_HUB_OFFLINE" in env)
    assert len(home.hub.requests) == asked
    home.hub.status = 503
    assert home.download()["commit"] == sha


def test_a_hub_that_refuses_says_how(home: Home) -> None:
    home.hub.status = 429
    error = home.download()["error"]
    assert "HTTP 429" in error
    assert f"https://huggingface.co/datasets/{REPO}" in error


LONG = "".join(f'{{"task_id": "t_{n:05}"}}\n' for n in range(20_000))


def test_a_download_that_breaks_off_starts_again_cleanly(home: Home) -> None:
    sha = home.hub.commit(REPO, {"data/tickets.jsonl": LONG}, lfs=True)
    home.hub.cut_after = 50_000
    assert "data/tickets.jsonl failed" in home.download()["error"]
    assert "holds no data file" in home.download(HF_HUB_OFFLINE="1")["error"], "a part is never taken for the whole"
    home.hub.cut_after = None
    assert home.download() == {"commit": sha, "name": "data/tickets.jsonl", "text": LONG}


def test_a_killed_download_starts_again_cleanly(home: Home) -> None:
    sha = home.hub.commit(REPO, {"data/tickets.jsonl": LONG})
    home.hub.cut_after, home.hub.stall = 50_000, True
    asked = json.dumps([(REPO, None, None)])
    with Popen([sys.executable, "-c", DOWNLOAD, asked], stdout=PIPE, env=home.hub.environ(home.path)) as child:
        assert home.hub.stalled.wait(30)
        child.kill()
    home.hub.cut_after = None
    assert home.download() == {"commit": sha, "name": "data/tickets.jsonl", "text": LONG}


def test_the_stand_in_serves_a_folder_as_a_process(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "hub" / "acme" / "tickets" / "data"
    data.mkdir(parents=True)
    (data / "tickets.jsonl").write_text(ROWS)
    command = [sys.executable, "-m", "tests.support.fake_hub", "--root", str(tmp_path / "hub")]
    with Popen(command, stdout=PIPE, text=True, cwd=Path(__file__).parents[3]) as served:
        try:
            assert served.stdout is not None
            endpoint = json.loads(served.stdout.readline())["endpoint"]
            assert home.download(HF_ENDPOINT=endpoint)["text"] == ROWS
        finally:
            served.kill()
