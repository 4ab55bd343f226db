"""The judge: takes the file from an answer and decides whether it passes, by the published and the official policy.

Pure: no host, no I/O, no clock. Nothing here raises for anything that an answer, a page or a ticket holds.
"""

from __future__ import annotations

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.disagreement import decided_by
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.extract import extract_official, extract_published
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.gold import kind_in_gold
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.official import judge_official
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.published import judge_published
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import (
    RULES_VERSION,
    Grounding,
    Needle,
    NeedleKind,
    NeedleVerdict,
    Submission,
    Verdict,
)

__all__ = [
    "RULES_VERSION",
    "Grounding",
    "Needle",
    "NeedleKind",
    "NeedleVerdict",
    "Submission",
    "Verdict",
    "decided_by",
    "extract_official",
    "extract_published",
    "judge_official",
    "judge_published",
    "kind_in_gold",
]
