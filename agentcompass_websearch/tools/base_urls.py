"""Where a vendor's HTTP API is: its own address, or the one that the user gives in ``vendor_options``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Operation

ENV_PROXIES: Final = "env_proxies"
OPTIONS: Final[Mapping[str, str]] = {
    "base_url": "address of the API instead of the vendor's own, such as a gateway or a stand-in",
    "search_base_url": "the same for searches only",
    "fetch_base_url": "the same for fetches only",
    ENV_PROXIES: "false: do not use the proxies of the environment (HTTPS_PROXY, ALL_PROXY)",
}


def user_base_url(options: Mapping[str, Any], op: Operation) -> str | None:
    """Return the base URL that the user gave for an operation, None for the vendor's own."""
    url = options.get(f"{op}_base_url") or options.get("base_url")
    return str(url).rstrip("/") if url else None


def check(options: Mapping[str, Any], family: str) -> None:
    """Check the values of the options in `OPTIONS`.

    Raises:
        UsageError: a URL is not an absolute http(s) URL without query, or `env_proxies` is no boolean.
    """
    for name in ("base_url", "search_base_url", "fetch_base_url"):
        if options.get(name) is not None:
            check_url(options[name], f"vendor_options.{name} of {family}")
    if not isinstance(options.get(ENV_PROXIES, True), bool):
        raise UsageError(f"vendor_options.{ENV_PROXIES} of {family} must be true or false")


def refuse_credentials(options: Mapping[str, Any], where: str = "vendor_options") -> None:
    """Check that no base URL, as the user wrote it, holds credentials: the host writes all parameters to its files.

    Raises:
        UsageError: one does.
    """
    for name, value in options.items():
        if isinstance(value, Mapping):
            refuse_credentials(value, f"{where}.{name}")
        elif name.endswith("base_url") and isinstance(value, str) and "@" in value.partition("//")[2].partition("/")[0]:
            raise UsageError(
                f"{where}.{name} holds a user name or password, which would be written into the files of the run: put "
                "the whole address into an environment variable, and give ${NAME} of that on the command line"
            )


def check_url(url: Any, where: str) -> None:
    """Check that a base URL is an absolute http(s) URL without query.

    Raises:
        UsageError: it is not; the message begins with `where`.
    """
    example = "give an absolute http(s) URL such as http://127.0.0.1:8080/v1"
    if not isinstance(url, str):
        raise UsageError(f"{where} must be text, not {type(url).__name__}; {example}")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(c.isspace() for c in url):
        raise UsageError(f"{where} is not usable; {example}")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise UsageError(f"{where} must have no query and no fragment; {example}")
