"""The rule that made the difference where the policies disagree."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    decided_by,
    extract_official,
    extract_published,
    judge_official,
    judge_published,
)
from agentcompass_websearch.records import Evidence
from tests.benchmarks.judge.support import DOCS, OTHER, hits

CITED = f"# source: {DOCS}\nx = 'needle'\n"


def rule(answer: str, *needles: str, evidence: Evidence | None = None) -> str | None:
    wanted = [Needle(text) for text in needles or ("needle",)]
    found = hits(DOCS) if evidence is None else evidence
    one = judge_published(extract_published(answer, "client.py"), wanted, found, outfile="client.py")
    other = judge_official(extract_official(answer), wanted, found, outfile="client.py")
    return decided_by(one, other)


@pytest.mark.parametrize(
    ("answer", "decided"),
    [
        (CITED, None),
        ("x = 1", None),
        ("x = (", None),
        (f"```python\n{CITED}\n\n```", None),
        (f"```python\n{CITED}```\nRun:\n```bash\npython client.py\n```", "submission"),
        (f"# source: {DOCS}\nx = 'needles'", "present"),
        (f"# source: {DOCS}\nx = 'nee' 'dle'", "present"),
        (f"# {DOCS}\nx = 'needle'", "cited"),
        (f"x = 'needle'  # source: {DOCS}", "cited"),
        (f"# source: {DOCS}/more\nx = 'needle'", "grounded"),
        (f"{CITED}\n# source: {OTHER}\ny = 'needle'", "grounded"),
    ],
)
def test_the_rule_is_named(answer: str, decided: str | None) -> None:
    assert rule(answer) == decided


def test_compiled() -> None:
    comments = f"# source: {DOCS}\n# x\n"
    assert rule(comments, "x") == "compiled"


def test_short_needle() -> None:
    assert rule(CITED, "needle", "MRP") == "short needle"
    assert rule(f"{CITED}\n\ny = 'MRP'", "needle", "MRP") == "short needle"


def test_a_ticket_without_needles() -> None:
    verdicts = [judge(CITED, [], hits(DOCS), outfile="client.py") for judge in (judge_published, judge_official)]
    assert [verdict.passed for verdict in verdicts] == [False, True]
    assert decided_by(*verdicts) == "short needle"
