"""A stand-in for the Hugging Face Hub on loopback: dataset repositories that the real huggingface_hub can download.

In a test, `FakeHub` as a context manager or the fixture `fake_hub`; in a shell, a folder of ``owner/name/...`` trees is
served by ``python -m tests.support.fake_hub --root DIR``, which prints ``{"endpoint": ...}`` and runs until killed.
huggingface_hub reads HF_ENDPOINT and HF_HOME when it is imported, so what is tested runs in a process of its own, with
the environment that `FakeHub.environ` returns.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

import pytest

TOKEN = "hf_stand_in_for_tests"
"""What a gated or private repository wants to see."""

_INFO = re.compile(r"/api/datasets/(?P<repo>[^/]+/[^/]+)(?:/revision/(?P<rev>[^/]+))?")
_TREE = re.compile(r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tree/(?P<rev>[^/]+)")
_FILE = re.compile(r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)")
_LFS = re.compile(r"/lfs/(?P<sha256>[0-9a-f]{64})")
_RANGE = re.compile(r"bytes=(\d+)-")


@dataclass
class Repository:
    """One dataset repository: its commits, the branches that name them, and who may read it."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    gated: bool = False
    private: bool = False
    lfs: bool = False


class FakeHub:
    """The Hub's dataset API on a loopback port. Everything it was asked stands in `requests` as ``METHOD path``."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.requests: list[str] = []
        self.status: int | None = None
        """Answer everything with this status, as a Hub that is down or overloaded."""
        self.cut_after: int | None = None
        """Send only so many bytes of a file; then break off, or with `stall` wait until the client is gone."""
        self.stall = False
        self.stalled = threading.Event()
        """Set when a client waits for the rest of a file."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def endpoint(self) -> str:
        """What HF_ENDPOINT must be."""
        return f"http://127.0.0.1:{self.port}"

    def environ(self, home: Path, **more: str) -> dict[str, str]:
        """Return an environment in which huggingface_hub talks to this stand-in only and keeps its cache in `home`."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
        ours = {
            "HF_ENDPOINT": self.endpoint,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": "*",
        }
        return inherited | ours | more

    def commit(
        self,
        repo_id: str,
        files: Mapping[str, bytes | str],
        *,
        branch: str = "main",
        gated: bool = False,
        private: bool = False,
        lfs: bool = False,
    ) -> str:
        """Put `files` into the repository as a new commit of `branch` and return its 40-digit hash."""
        tree = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
        digest = hashlib.sha1(repo_id.encode())
        for name in sorted(tree):
            digest.update(name.encode() + b"\0" + tree[name] + b"\0")
        sha = digest.hexdigest()
        repository = self.repositories.setdefault(repo_id, Repository())
        repository.commits[sha] = tree
        repository.branches[branch] = sha
        repository.gated, repository.private, repository.lfs = gated, private, lfs
        return sha

    def load(self, root: Path) -> None:
        """Commit each ``owner/name`` folder under `root` as the main branch of a repository."""
        for folder in sorted(p for p in root.glob("*/*") if p.is_dir()):
            files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
            self.commit(folder.relative_to(root).as_posix(), files)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> None:
        """Serve until the process is killed."""
        self._thread.join()


@dataclass(frozen=True)
class _Reply:
    """What one request is answered with."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def _json(body: object) -> _Reply:
    return _Reply(200, json.dumps(body).encode(), {"Content-Type": "application/json"})


def _error(status: int, code: str) -> _Reply:
    body = json.dumps({"error": code}).encode()
    return _Reply(status, body, {"Content-Type": "application/json", "X-Error-Code": code, "X-Error-Message": code})


def _answer(hub: FakeHub, path: str, authorization: str) -> _Reply:
    """Return the reply to a GET of `path`."""
    if hub.status is not None:
        return _Reply(hub.status)
    if blob := _LFS.fullmatch(path):
        return _lfs_blob(hub, blob["sha256"])
    match = _TREE.fullmatch(path) or _INFO.fullmatch(path) or _FILE.fullmatch(path)
    if match is None:
        return _Reply(404)
    parts = match.groupdict()
    repository = hub.repositories.get(parts["repo"])
    allowed = authorization == f"Bearer {TOKEN}"
    if repository is None or (repository.private and not allowed):
        return _error(401, "RepoNotFound")
    revision = parts["rev"] or "main"
    sha = repository.branches.get(revision, revision)
    tree = repository.commits.get(sha)
    if tree is None:
        return _error(404, "RevisionNotFound")
    if match.re is _INFO:
        gated = "manual" if repository.gated else False
        siblings = [{"rfilename": name} for name in tree]
        return _json({"id": parts["repo"], "sha": sha, "gated": gated, "private": False, "siblings": siblings})
    if repository.gated and not allowed:
        return _error(401, "GatedRepo")
    if match.re is _TREE:
        entries = [{"type": "file", "path": name, "size": len(data), "oid": _oid(data)} for name, data in tree.items()]
        return _json(entries)
    data = tree.get(parts["path"])
    if data is None:
        return _error(404, "EntryNotFound")
    return _file(hub, repository, sha, data)


def _file(hub: FakeHub, repository: Repository, sha: str, data: bytes) -> _Reply:
    commit = {"X-Repo-Commit": sha}
    if not repository.lfs:
        return _Reply(200, data, commit | {"ETag": f'"{_oid(data)}"', "Accept-Ranges": "bytes"})
    sha256 = hashlib.sha256(data).hexdigest()
    linked = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(len(data))}
    return _Reply(302, b"", commit | linked | {"Location": f"http://localhost:{hub.port}/lfs/{sha256}"})


def _lfs_blob(hub: FakeHub, sha256: str) -> _Reply:
    blobs = (data for repo in hub.repositories.values() for tree in repo.commits.values() for data in tree.values())
    for data in blobs:
        if hashlib.sha256(data).hexdigest() == sha256:
            return _Reply(200, data, {"ETag": f'"{sha256}"', "Accept-Ranges": "bytes"})
    return _Reply(404)


def _oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve(with_body=True)

        def do_HEAD(self) -> None:
            self._serve(with_body=False)

        def _serve(self, *, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.requests.append(f"{self.command} {path}")
            reply = _answer(hub, path, self.headers.get("Authorization", ""))
            status, body, headers = reply.status, reply.body, dict(reply.headers)
            wanted = _RANGE.match(self.headers.get("Range", ""))
            if wanted and status == 200 and "Accept-Ranges" in headers:
                start = int(wanted[1])
                headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
                status, body = 206, body[start:]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if with_body:
                cut = hub.cut_after if "Accept-Ranges" in headers else None
                self.wfile.write(body[:cut])
                self.close_connection = cut is not None
                if cut is not None and hub.stall:
                    hub.stalled.set()
                    self.rfile.read(1)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: `requests` is the log."""

    return Handler


@pytest.fixture
def fake_hub() -> Iterator[FakeHub]:
    """A running stand-in without repositories."""
    with FakeHub() as hub:
        yield hub


def main() -> None:
    """Serve the repositories under ``--root`` until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder of owner/name/... trees")
    root: Path = parser.parse_args().root
    with FakeHub() as hub:
        hub.load(root)
        print(json.dumps({"endpoint": hub.endpoint}), flush=True)
        hub.wait()


if __name__ == "__main__":
    main()
