"""The checks of ``doctor``. Each yields findings; none raises, tells a secret, or sends anything."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from agentcompass_websearch.cli.checks import installation, settings, vendors
from agentcompass_websearch.cli.checks.finding import Finding

__all__ = ["Finding", "examine"]


def examine() -> Iterator[Finding]:
    """Examine the installation that runs this process, in an order in which earlier faults explain later ones."""
    yield installation.python()
    yield from installation.host()
    if importlib.util.find_spec("agentcompass") is not None:
        yield installation.seam()
        yield from installation.components()
        yield from settings.config_files()
    yield from vendors.families()
    yield from vendors.key_variables()
    yield from settings.hub()
    yield from settings.proxies()
    yield from settings.model()
