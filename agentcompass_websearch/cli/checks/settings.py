"""Checks of what a run takes from its surroundings: Hugging Face, proxies, configuration files, the model."""

from __future__ import annotations

import importlib.util
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from agentcompass_websearch._discovery import one_line
from agentcompass_websearch.cli import _host
from agentcompass_websearch.cli.checks.finding import Finding

_PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")
_HOST_SECTIONS = {"runtime", "execution", "benchmarks", "harnesses", "environments"}
_MODEL_VARS = ("MODEL_NAME", "MODEL_BASE_URL", "MODEL_API_KEY")


def hub() -> Iterator[Finding]:
    """What the Hugging Face client will do: with a token or without, offline or not."""
    if os.environ.get("HF_TOKEN"):
        yield Finding("ok", "hub", "HF_TOKEN is set")
    else:
        yield Finding("note", "hub", "HF_TOKEN is not set: gated and private datasets need it, or a saved login")
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        yield Finding(
            "warning",
            "hub",
            "HF_HUB_OFFLINE is set: only datasets that are in the cache already can be used",
            "unset HF_HUB_OFFLINE to download others",
        )


def proxies() -> Iterator[Finding]:
    """Every proxy variable is one that the HTTP client can use, and local servers are reached without it."""
    found = {scheme: url for scheme, url in urllib.request.getproxies().items() if scheme in ("http", "https", "all")}
    for scheme, url in found.items():
        yield _proxy(f"{scheme.upper()}_PROXY", url)
    if found and not all(urllib.request.proxy_bypass(name) for name in ("localhost", "127.0.0.1")):
        yield Finding(
            "warning",
            "proxies",
            "NO_PROXY does not name localhost and 127.0.0.1: a model server on this machine is asked for by proxy",
            "export NO_PROXY=localhost,127.0.0.1",
        )


def _proxy(variable: str, url: str) -> Finding:
    scheme = urlsplit(url if "://" in url else f"http://{url}").scheme
    if scheme not in _PROXY_SCHEMES:
        fix = f"use one of {', '.join(f'{each}://' for each in _PROXY_SCHEMES)}"
        return Finding("fault", "proxies", f"{variable} is of a kind that cannot be used: {scheme}://", fix)
    if scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        message = f"{variable} is a SOCKS proxy, and the package for that is not installed: every request fails"
        return Finding("fault", "proxies", message, "pip install 'httpx[socks]'")
    return Finding("ok", "proxies", f"{variable} is set ({scheme}://)")


def config_files() -> Iterator[Finding]:
    """The configuration files that the host reads in this folder can be read, and are meant for it."""
    nearest = _nearest_config()
    try:
        paths = _host.config_files()
    except Exception as error:  # noqa: BLE001 - any file at all may lie in a parent folder
        yield Finding(
            "fault",
            "config",
            f"no agentcompass command works in this folder: {one_line(error)}",
            f"mend the file ({nearest or 'of yours'}), or work in a folder with no config.yaml in or above it",
        )
        return
    sections = _top_level(nearest) if nearest is not None else set()
    if sections and not _HOST_SECTIONS & sections:
        yield Finding(
            "warning",
            "config",
            f"the host reads {nearest}, which has none of its sections: it seems to be of another program",
            "work in a folder with no config.yaml in or above it, lest a section of the same name change a run",
        )
    elif nearest is not None and nearest.parent != Path.cwd():
        message = f"the host reads {nearest}, from a folder above this one"
        yield Finding("warning", "config", message, f"if that is not meant, put a config.yaml into {Path.cwd()}")
    else:
        read = ", ".join(map(str, paths)) or "no configuration file in this folder"
        yield Finding("ok", "config", f"the host reads {read}")


def _nearest_config() -> Path | None:
    """The project's configuration as the host finds it: in this folder or the nearest one above."""
    here = Path.cwd()
    return next((path for folder in (here, *here.parents) if (path := folder / "config.yaml").exists()), None)


def _top_level(path: Path) -> set[str]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return set(content) if isinstance(content, dict) else set()


def model() -> Iterator[Finding]:
    """The variables that the examples take the model from."""
    unset = [name for name in _MODEL_VARS if not os.environ.get(name)]
    if unset:
        yield Finding("note", "model", f"{', '.join(unset)} not set: the examples pass them on as options")
    url = os.environ.get("MODEL_BASE_URL", "")
    if url and urlsplit(url).scheme not in ("http", "https"):
        yield Finding(
            "warning", "model", "MODEL_BASE_URL does not begin with http:// or https://", "export it with its scheme"
        )
