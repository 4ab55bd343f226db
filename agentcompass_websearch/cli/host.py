"""``agentcompass-websearch host ARGS...``: the host's own command line, with the plugins loaded for certain."""

from __future__ import annotations

from agentcompass_websearch import _seam
from agentcompass_websearch.cli import _host


def host(*args: str) -> int:
    """Run ``agentcompass ARGS...`` with the plugins loaded.

    The same arguments, output and exit codes as ``agentcompass``. Needed only where Python does not process the
    package's .pth file (pip install --target, zip files, python -S) or AGENTCOMPASS_WEBSEARCH_AUTOLOAD=0 is set.

    For example:

        agentcompass-websearch host list benchmark
    """
    _seam.install()
    return _host.main(list(args))
