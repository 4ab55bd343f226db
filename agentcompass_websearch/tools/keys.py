"""Where a vendor's key comes from: the explicit parameter, else the first set one of the family's variables."""

from __future__ import annotations

import os

from agentcompass_websearch.references import variable_in
from agentcompass_websearch.tools.contract import Vendor


def find_key(vendor: Vendor, explicit: str | None = "") -> str:
    """Return the key to use, without surrounding white space; empty if there is none.

    Args:
        vendor: the family, whose `key_vars` are looked up in the environment, in order.
        explicit: what the user gave. ``${NAME}`` stands for an environment variable, as in the host's configuration; if
            that one is not set, the key is missing: falling back to another one might bill another account.
    """
    given = (explicit or "").strip()
    if given:
        variable = variable_in(given)
        return os.environ.get(variable, "").strip() if variable else given
    return next((key for name in vendor.key_vars if (key := os.environ.get(name, "").strip())), "")
