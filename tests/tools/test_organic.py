from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.organic import parse_search
from agentcompass_websearch.tools.wire import Fault, HttpReply

GOOD = {"search_metadata": {"status": "Success"}}


def parsed(body: dict[str, Any]) -> Any:
    return parse_search(HttpReply(200, httpx.Headers(), json.dumps(body).encode()), SearchRequest("x")).value


@pytest.mark.parametrize(
    "said",
    [
        "Google hasn't returned any results for this query.",
        "Bing didn't return any results.",
        "DuckDuckGo has not returned any results",
        "Bing did not return any results",
    ],
)
def test_nothing_found_is_said_as_an_error(said: str) -> None:
    assert parsed({**GOOD, "error": said}) == ()
    assert parsed(GOOD) == ()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({**GOOD, "error": "We could not search. " + "x" * 5000}, ErrorKind.SERVER),
        ({"organic_results": []}, ErrorKind.UNREADABLE),
        ({**GOOD, "organic_results": {"a": 1}}, ErrorKind.UNREADABLE),
    ],
)
def test_any_other_error_is_a_failure(body: dict[str, Any], kind: ErrorKind) -> None:
    with pytest.raises(Fault) as caught:
        parsed(body)
    assert caught.value.kind is kind
    assert len(caught.value.message) < 300


def test_an_error_beside_results_that_is_none() -> None:
    assert len(parsed({**GOOD, "error": None, "organic_results": [{"link": "https://docs.acme.example/a"}]})) == 1
