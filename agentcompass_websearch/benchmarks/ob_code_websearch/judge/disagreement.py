"""Names the rule that made the difference where the policies disagree."""

from __future__ import annotations

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.official import MIN_NEEDLE_CHARS
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import Verdict


def decided_by(published: Verdict, official: Verdict) -> str | None:
    """Return the rule by which one policy fails what the other one passes; None if they agree.

    It is ``submission`` (they took different files from the answer), ``compiled``, ``short needle`` (only such needles
    fail, which the official policy does not ask for), ``present``, ``cited`` or ``grounded``: the first one broken.
    """
    if published.passed == official.passed:
        return None
    if published.digest != official.digest:
        return "submission"
    failed = official if published.passed else published
    if not failed.compiled:
        return "compiled"
    if all(len(text) < MIN_NEEDLE_CHARS for text in (*failed.missing, *failed.uncited, *failed.ungrounded)):
        return "short needle"
    return "present" if failed.missing else "cited" if failed.uncited else "grounded"
