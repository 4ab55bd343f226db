"""From an answer to metrics and the record that explains them, under both policies."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.metrics import BINARY
from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import Policy, Score, score
from agentcompass_websearch.records import Evidence, evidence_from_observations
from tests.benchmarks.support import DOCS_URL, GOLD, HEADER, PATH, answer, fetched, searched, ticket

FOUND = evidence_from_observations([searched("https://other.example/", DOCS_URL)])
ALL = set(BINARY) - {"needle_in_query"}


@pytest.fixture
def scored(tmp_path: Path) -> Any:
    """Return a function that scores an answer to the ticket."""

    def scored(
        text: str, evidence: Evidence = FOUND, queries: tuple[str, ...] = (), policy: Policy = "published", **row: Any
    ) -> Score:
        return score(ticket(tmp_path, **row), text, evidence, queries, policy)

    return scored


def true_of(one: Score) -> set[str]:
    metrics = one.metrics()
    assert set(metrics) == set(BINARY)
    assert all(type(value) is bool for value in metrics.values())
    return {name for name, value in metrics.items() if value}


UNCITED = GOLD.replace("    # source:", "    # see:").replace("# see: https://docs", "# see docs")
STEPS = {"compiled", "needles_present", "recovered"}


@pytest.mark.parametrize(
    ("code", "true"),
    [
        (GOLD, ALL),
        (GOLD.replace(DOCS_URL, "https://elsewhere.example/"), STEPS | {"cited"}),
        (UNCITED, STEPS),
        (GOLD.replace(HEADER, "X-Guess"), {"compiled"}),
        (GOLD + ")", set()),
        ("", set()),
    ],
)
def test_each_step_has_a_metric(scored: Any, code: str, true: set[str]) -> None:
    assert true_of(scored(answer(code))) == true


@pytest.mark.parametrize("text", ["", "   ", "I cannot help with that.", "Done"])
def test_an_answer_without_a_file_is_scored_as_false(scored: Any, text: str) -> None:
    assert true_of(scored(text)) <= {"compiled"}


def test_a_page_that_was_read_grounds_too(scored: Any) -> None:
    assert true_of(scored(answer(GOLD), evidence_from_observations([fetched(DOCS_URL)]))) == ALL


def test_the_policy_decides_which_verdict_is_correct(scored: Any) -> None:
    # On the statement's own line: cited by the published policy, not by the official one.
    code = GOLD.replace(f"    # source: {DOCS_URL}\n", "").replace('"bulk"})', f'"bulk"}})  # source: {DOCS_URL}')
    published, official = scored(answer(code)), scored(answer(code), policy="official")
    assert published.metrics()["correct"] is True
    assert official.metrics()["correct"] is False
    for one in (published, official):
        assert (one.metrics()["correct_published"], one.metrics()["correct_official"]) == (True, False)
        assert one.record(dataset={}, fingerprint_parts={})["decided_by"]


def test_without_search_nothing_is_correct_but_it_may_be_recovered(scored: Any) -> None:
    nothing = Evidence(kind="none")
    assert true_of(scored(answer(GOLD), nothing)) == STEPS | {"cited"}
    free = scored(answer(GOLD), nothing, cite_urls=False)
    assert not {"correct", "correct_published", "correct_official", "grounded"} & true_of(free)
    assert "correct" in true_of(scored(answer(UNCITED), FOUND, cite_urls=False))


@pytest.mark.parametrize(
    ("queries", "held"),
    [
        ((), False),
        (("tolvane bulk", f"what is {PATH.upper()}?"), True),
        (("x-tolvane-lane",), True),
        (("lane",), False),
    ],
)
def test_a_needle_in_a_query_is_flagged(scored: Any, queries: tuple[str, ...], held: bool) -> None:
    one = scored(answer(GOLD), queries=queries)
    assert one.metrics()["needle_in_query"] is held
    assert one.metrics()["correct"] is True


def test_the_record_explains_every_needle_and_lets_the_verdict_be_computed_again(scored: Any) -> None:
    code = GOLD.replace(HEADER, "X-Guess")
    one = scored(answer(code))
    record = one.record(dataset={"source": "file:rows.jsonl", "revision": None}, fingerprint_parts={"ticket": "t"})
    assert json.loads(json.dumps(record)) == record
    present, missing = record["needles"]
    line = code.split("\n").index(next(x for x in code.split("\n") if PATH in x)) + 1
    assert (present["needle"], present["kind"], present["present"], present["line"]) == (PATH, "path", True, line)
    assert present["urls"] == [DOCS_URL]
    assert present["grounded_by"] == {"call_id": "call_1", "rank": 2}
    assert (missing["needle"], missing["present"], missing["grounded_by"]) == (HEADER, False, None)
    assert record["published"]["missing"] == [HEADER]
    assert record["submission_sha"] == hashlib.sha256(one.submission.text.encode()).hexdigest()
    assert record["dataset"]["ticket_sha"] == one.ticket.sha
    assert {"evaluation_status", "python", "prompt_hash", "fingerprint", "gold_cites", "outfile", "evidence"} <= set(
        record
    )


def test_needles_are_never_names_of_fields(scored: Any) -> None:
    def names(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {name for item in value.values() for name in names(item)}
        return {name for item in value for name in names(item)} if isinstance(value, list) else set()

    record = scored(answer(GOLD)).record(dataset={}, fingerprint_parts={})
    assert not {PATH, HEADER} & names(record)
    assert not [name for name in names(record) if name.endswith(("_token", "_key"))]
