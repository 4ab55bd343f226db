from __future__ import annotations

import pytest

from agentcompass_websearch.tools.contract import ErrorKind, VendorError
from agentcompass_websearch.tools.errors import POLICY, explain


def test_every_kind_has_a_policy() -> None:
    assert set(POLICY) == set(ErrorKind)


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_a_policy_makes_sense(kind: ErrorKind) -> None:
    policy = POLICY[kind]
    assert policy.retry == (policy.fatal == "after_retries"), "only what is retried can be fatal after retries"
    assert policy.for_model.endswith(".")


def test_the_model_reads_details_only_where_they_help_it() -> None:
    refused = explain(VendorError(ErrorKind.BAD_REQUEST, "acme", "HTTP 400: query too long"))
    assert refused == "The web tool refused this request; put it in other words. (HTTP 400: query too long)"
    assert "upgrade" not in explain(VendorError(ErrorKind.QUOTA, "acme", "HTTP 402: upgrade at https://acme.example"))
