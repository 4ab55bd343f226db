"""Why an attempt failed: every reason, told from the score, the record and the tools' replies of an attempt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.loss import Loss, _stands_in, loss_of
from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import Policy, score
from agentcompass_websearch.records import AttemptTelemetry, Evidence, evidence_from_observations
from tests.benchmarks.support import (
    DOCS_URL,
    GOLD,
    HEADER,
    PATH,
    STARTER,
    answer,
    fetched,
    searched,
    telemetry,
    ticket,
)

UNCITED = GOLD.replace("# source:", "# see")
NO_CALLS = telemetry(calls=())
FOUND = evidence_from_observations([searched(DOCS_URL)])
READ = evidence_from_observations([searched(DOCS_URL), fetched(DOCS_URL, f"Send {PATH.upper()} and {HEADER.lower()}.")])
HALF_READ = evidence_from_observations([searched(DOCS_URL), fetched(DOCS_URL, f"Send {PATH}.")])
ELSEWHERE = evidence_from_observations([searched("https://elsewhere.example/")])


@pytest.fixture
def lost(tmp_path: Path) -> Any:
    """Return a function that scores an answer and asks why it failed."""

    def lost(
        text: str,
        evidence: Evidence = FOUND,
        record: AttemptTelemetry | None = None,
        *,
        policy: Policy = "published",
        **row: Any,
    ) -> Loss:
        scored = score(ticket(tmp_path, **row), text, evidence, (), policy)
        whole = scored.record(dataset={}, fingerprint_parts={})
        return loss_of(_stored(whole), record or telemetry(), evidence, fatal=False)

    return lost


def _stored(value: Any) -> Any:
    """Return a record as the host keeps it: without what is empty."""
    if not isinstance(value, Mapping):
        return value
    kept = {name: _stored(item) for name, item in value.items()}
    return {name: item for name, item in kept.items() if item not in (None, "", [], {}, ())}


@pytest.mark.parametrize(
    ("text", "evidence", "record", "reason"),
    [
        (answer(GOLD), FOUND, telemetry(), "passed"),
        (answer(GOLD), FOUND, telemetry(stop="max_turns"), "passed"),
        (answer(STARTER), FOUND, telemetry(stop="max_turns"), "out_of_turns"),
        ("", FOUND, telemetry(stop="max_turns"), "out_of_turns"),
        ("", FOUND, telemetry(stop="empty_answer"), "no_answer"),
        ("", FOUND, telemetry(stop="deadline"), "no_answer"),
        (answer("def x(:\n"), FOUND, telemetry(), "not_compiled"),
        (answer("def x(:\n"), Evidence(), NO_CALLS, "not_compiled"),
        (answer(STARTER), Evidence(), NO_CALLS, "never_searched"),
        (answer(GOLD), Evidence(), NO_CALLS, "never_searched"),
        (answer(STARTER), Evidence(), telemetry(), "not_retrieved"),
        (answer(STARTER), FOUND, telemetry(), "not_retrieved"),
        (answer(STARTER), HALF_READ, telemetry(), "not_retrieved"),
        (answer(STARTER), READ, telemetry(), "retrieved_unused"),
        (answer(UNCITED), READ, telemetry(), "uncited"),
        (answer(GOLD), ELSEWHERE, telemetry(), "ungrounded"),
        (answer(GOLD), Evidence(kind="none"), NO_CALLS, "passed"),
        (answer(STARTER), Evidence(kind="none"), NO_CALLS, "not_recovered"),
    ],
)
def test_the_first_thing_that_went_wrong(
    lost: Any, text: str, evidence: Evidence, record: AttemptTelemetry, reason: str
) -> None:
    assert lost(text, evidence, record).reason == reason


def test_the_needles_that_say_so_are_named(lost: Any) -> None:
    assert lost(answer(STARTER), HALF_READ) == Loss(
        "not_retrieved", searches=1, fetches=1, not_retrieved=(HEADER,), retrieved_unused=(PATH,)
    )
    assert lost(answer(GOLD), ELSEWHERE).ungrounded == (PATH, HEADER)
    assert lost(answer(UNCITED), READ).uncited == (PATH, HEADER)


def test_the_policy_that_decides_decides(lost: Any) -> None:
    """A page beside the cited one grounds by the official policy, which takes URLs that begin alike for one."""
    beside = evidence_from_observations([searched(f"{DOCS_URL}/more")])
    assert lost(answer(GOLD), beside).reason == "ungrounded"
    assert lost(answer(GOLD), beside, policy="official").reason == "passed"


@pytest.mark.parametrize("scoring", [{}, {"evaluation_status": "error", "message": "m"}])
def test_what_could_not_be_scored_failed_by_infrastructure(scoring: dict[str, Any]) -> None:
    assert loss_of(scoring, None, Evidence(), fatal=False).reason == "infrastructure"
    assert loss_of({"evaluation_status": "completed"}, None, Evidence(), fatal=True).reason == "infrastructure"


@pytest.mark.parametrize(
    ("needle", "text", "stands"),
    [
        ("X-Acme-Lane", "send x-acme-lane: 1", True),
        ("/v3/orders/{}/hold", "POST /v3/orders/{orderId}/hold", True),
        ("/v3/orders/:id/hold", "POST https://api.acme.example/v3/orders/17/hold", True),
        ("/v3/orders/{}/hold", "POST /v3/orders/hold", False),
        ("a.b", "a-b", False),
        ("f(", "call f(x)", True),
    ],
)
def test_where_a_needle_stands(needle: str, text: str, stands: bool) -> None:
    assert _stands_in(needle, text.casefold()) is stands
