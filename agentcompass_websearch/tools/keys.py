"""Where a vendor's key comes from: the explicit parameter, else the first set one of the family's variables."""

from __future__ import annotations

import os

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.references import variable_in
from agentcompass_websearch.text import fits_header
from agentcompass_websearch.tools.contract import Vendor


def find_key(vendor: Vendor, explicit: str | None = "") -> str:
    """Return the key to use, without surrounding white space; empty if there is none.

    Raises:
        UsageError: no request could carry the key, or it holds a reference and more.

    Args:
        vendor: the family, whose `key_vars` are looked up in the environment, in order.
        explicit: what the user gave. ``${NAME}`` stands for an environment variable, as in the host's configuration; if
            that one is not set, the key is missing: falling back to another one might bill another account.
    """
    given = (explicit or "").strip()
    if not given:
        found = ((name, os.environ.get(name, "").strip()) for name in vendor.key_vars)
        return next((checked_key(key, name) for name, key in found if key), "")
    if variable := variable_in(given):
        return checked_key(os.environ.get(variable, "").strip(), variable)
    if "${" in given:
        raise UsageError(f"the key given for {vendor.family} holds ${{...}} and more; only a whole ${{NAME}} is read")
    return checked_key(given, f"the key given for {vendor.family}")


def how_to_give(vendor: Vendor, explicit: str | None, parameter: str) -> str:
    """Say what to do about a key that `find_key` did not find; `explicit` is what the user gave as `parameter`."""
    variable = variable_in(explicit)
    unset = f" (it names the environment variable {variable}, which is not set)" if variable else ""
    return f"set {' or '.join(vendor.key_vars)}, or give the harness parameter {parameter}{unset}"


def checked_key(key: str, where: str) -> str:
    """Return `key`, which `where` names, if a request can carry it.

    Raises:
        UsageError: none can.
    """
    if not fits_header(key):
        raise UsageError(f"{where} holds a line break or a character that no request can carry; copy the key anew")
    return key
