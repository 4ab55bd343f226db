"""Brings the data file of a Hugging Face dataset onto this machine, and says which commit it is of."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from agentcompass_websearch.errors import UsageError

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

DATA_FOLDER: Final = "data"
DATA_SUFFIXES: Final = (".json", ".jsonl", ".parquet")

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DEFAULT_REVISION: Final = "main"
_LISTING_TIMEOUT_S: Final = 30.0

_log = logging.getLogger("agentcompass.plugins.ob_code_websearch.hub")


@dataclass(frozen=True, slots=True)
class HubFile:
    """One data file of a dataset repository, as it lies in the local cache.

    `commit` is the 40-digit hash that the revision stood for, `name` the file's path inside the repository.
    """

    repository: str
    commit: str
    name: str
    path: Path


def download(repository: str, *, revision: str | None = None, data_file: str | None = None) -> HubFile:
    """Return the data file of a dataset repository, downloaded or from huggingface_hub's cache.

    Without `data_file` the repository must hold exactly one JSON, JSONL or Parquet file under ``data/``. With
    ``HF_HUB_OFFLINE=1``, or when the Hub does not answer, what is in the cache is used.

    Args:
        repository: ``owner/name``.
        revision: a branch, tag or commit; None is the main branch as it is now.
        data_file: the file's path inside the repository.

    Raises:
        UsageError: the repository, revision or file does not exist or may not be read with the present HF_TOKEN; there
            are several data files and none was named; or nothing is cached and the Hub does not answer.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise UsageError(f"dataset hf:{repository}: a Hub dataset is named owner/name, such as hf:acme/tickets")
    if data_file is not None:
        _check_data_file(data_file)
    wanted = revision or _DEFAULT_REVISION
    where = f"dataset hf:{repository}"
    names = _list_files(repository, wanted)
    if names is not None:
        name = _choose(where, names, data_file)
        path = _fetch(repository, wanted, name)
    else:
        snapshot = _cached_snapshot(repository, wanted)
        names = [p.relative_to(snapshot).as_posix() for p in snapshot.rglob("*") if p.is_file()]
        name = _choose(f"{where}, the part of it in the cache (the Hub was not reached)", names, data_file)
        path = snapshot / name
    return HubFile(repository, _commit_of(path, name), name, path)


def _check_data_file(name: str) -> None:
    path = PurePosixPath(name)
    if not _is_inside(name):
        raise UsageError(f"data_file {name!r}: must be a path inside the repository, such as data/tickets.jsonl")
    if path.suffix not in DATA_SUFFIXES:
        raise UsageError(f"data_file {name!r}: must end in {', '.join(DATA_SUFFIXES)}")


def _is_inside(name: str) -> bool:
    """Whether a file name stays inside the folder that it is put into."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _choose(where: str, names: Iterable[str], data_file: str | None) -> str:
    """Return the name of the one file to read."""
    files = sorted(n for n in names if PurePosixPath(n).suffix in DATA_SUFFIXES and _is_inside(n))
    if data_file is not None:
        name = PurePosixPath(data_file).as_posix()
        if name not in files:
            raise UsageError(f"{where}: no data file {data_file!r}; {_listing(files)}")
        return name
    in_folder = [n for n in files if PurePosixPath(n).parts[0] == DATA_FOLDER]
    if not in_folder:
        raise UsageError(f"{where}: no {', '.join(DATA_SUFFIXES)} file under {DATA_FOLDER}/; {_listing(files)}")
    if len(in_folder) > 1:
        raise UsageError(f"{where}: several data files; {_listing(in_folder)}")
    return in_folder[0]


def _listing(files: Sequence[str]) -> str:
    if not files:
        return "it holds no data file"
    return "set data_file to one of: " + ", ".join(files)


def _list_files(repository: str, revision: str) -> list[str] | None:
    """Return the names of all files of the revision; None if the Hub may not be asked or does not answer."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    try:
        info = HfApi().dataset_info(repository, revision=revision, timeout=_LISTING_TIMEOUT_S)
    except OfflineModeIsEnabled:
        return None
    except HFValidationError as error:
        raise UsageError(f"dataset hf:{repository}: the Hub has no such names: {error}") from error
    except _network_errors() as error:
        if isinstance(error, HfHubHTTPError) and error.response.status_code < 500:
            raise _refusal(error, repository, revision) from error
        _log.warning("The Hub does not answer (%s); using what is cached of hf:%s", type(error).__name__, repository)
        return None
    return [sibling.rfilename for sibling in info.siblings or ()]


def _cached_snapshot(repository: str, revision: str) -> Path:
    """Return the folder in the cache that holds what was downloaded of the revision."""
    from huggingface_hub import constants, snapshot_download

    try:
        # No pattern matches, so that a snapshot of which only the data file was downloaded counts as complete.
        folder = snapshot_download(
            repository, repo_type="dataset", revision=revision, local_files_only=True, allow_patterns=[]
        )
    except _network_errors() as error:
        how = "HF_HUB_OFFLINE is set: unset it" if constants.HF_HUB_OFFLINE else "check the network connection"
        raise UsageError(
            f"dataset hf:{repository}: revision {revision!r} is not in the cache {constants.HF_HUB_CACHE}, and the Hub "
            f"was not reached; {how}, or run once where there is a network"
        ) from error
    return Path(folder)


def _fetch(repository: str, revision: str, name: str) -> Path:
    """Return the file's path in the cache after a download, if one was needed.

    The file is asked for by branch or tag rather than by commit: only so does the cache learn what the revision stands
    for, without which it cannot be found again offline.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(repository, name, repo_type="dataset", revision=revision))
    except _network_errors() as error:
        if isinstance(error, HfHubHTTPError) and error.response is not None and error.response.status_code < 500:
            raise _refusal(error, repository, revision) from error
        raise UsageError(
            f"dataset hf:{repository}: the download of {name} failed ({type(error).__name__}); run again"
        ) from error


def _refusal(error: HfHubHTTPError, repository: str, revision: str) -> UsageError:
    """Say what the Hub's refusal means and what to do about it."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    page = f"https://huggingface.co/datasets/{repository}"
    where = f"dataset hf:{repository}"
    if isinstance(error, GatedRepoError):
        return UsageError(f"{where} is gated: ask for access at {page} and set HF_TOKEN to a token of that account")
    if isinstance(error, RepositoryNotFoundError):
        return UsageError(
            f"{where} does not exist, or it is private or HF_TOKEN is not valid: check the name at {page}; for a "
            "private one set HF_TOKEN to a token that may read it (https://huggingface.co/settings/tokens)"
        )
    if isinstance(error, RevisionNotFoundError):
        return UsageError(f"{where} has no revision {revision!r}: name a branch, tag or commit of {page}/commits")
    return UsageError(f"{where}: the Hub refused with HTTP {error.response.status_code}; see {page}")


def _commit_of(path: Path, name: str) -> str:
    """Return the commit in a cache path ``.../snapshots/COMMIT/NAME``."""
    commit = path.parents[len(PurePosixPath(name).parts) - 1].name
    if not _COMMIT.fullmatch(commit):
        raise RuntimeError(f"not a path of the Hub cache: {path}")
    return commit


def _network_errors() -> tuple[type[Exception], ...]:
    """Return all that a call to the Hub may raise; the HTTP library differs between versions of huggingface_hub."""
    from huggingface_hub.errors import HfHubHTTPError

    return (HfHubHTTPError, *(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception)), OSError)
