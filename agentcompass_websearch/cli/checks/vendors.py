"""Checks of the vendor families: that each loads, and which keys are set."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentcompass_websearch import plugins
from agentcompass_websearch.cli.checks.finding import Finding


def families() -> Iterator[Finding]:
    """Every installed vendor family loads, and one distribution owns it."""
    loaded = []
    for family in plugins.families():
        try:
            loaded.append(plugins.load(family).family)
        except plugins.PluginError as error:
            yield Finding("fault", "vendors", error.problem, error.fix)
    yield Finding("ok", "vendors", f"{len(loaded)} vendor families load: {', '.join(loaded)}")


def key_variables() -> Iterator[Finding]:
    """Which key variables are set; never what is in them."""
    for vendor in plugins.all_vendors()[0]:
        if not vendor.key_vars:
            continue
        used = next((name for name in vendor.key_vars if os.environ.get(name)), None)
        if used is None:
            yield Finding("note", "keys", f"{vendor.family}: {' or '.join(vendor.key_vars)} is not set")
        elif _is_clean(os.environ[used]):
            yield Finding("ok", "keys", f"{vendor.family}: {used} is set")
        else:
            yield Finding(
                "warning",
                "keys",
                f"{vendor.family}: {used} holds white space or quotes, which no key has",
                f"export {used} again, without them",
            )


def _is_clean(key: str) -> bool:
    return not any(c.isspace() or c in "\"'" for c in key)
