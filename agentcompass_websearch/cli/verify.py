"""``agentcompass-websearch verify``: recompute every number of a bundle."""

from __future__ import annotations

from pathlib import Path

from agentcompass_websearch.cli._report import needs_report
from agentcompass_websearch.text import one_line


def verify(bundle: Path) -> int:
    """Check a bundle: the sums of its files, its board computed anew, every attempt judged again.

    Prints what does not agree; exit code 1 if anything does not. For example:

        agentcompass-websearch verify release

    Args:
        bundle: The folder or ZIP file that the command bundle wrote.
    """
    with needs_report():
        from agentcompass_websearch.boards.verify import verify_bundle
    problems = verify_bundle(bundle)
    for problem in problems:
        print(one_line(problem))
    count = f"{len(problems)} disagreement{'s' if len(problems) > 1 else ''}"
    print(f"{bundle}: {count if problems else 'every number and verdict agrees'}")
    return 1 if problems else 0
