"""Results with holes: whatever a vendor leaves out of one result, the others are kept, in their order."""

from __future__ import annotations

import importlib
import json
from typing import Any

import httpx
import pytest

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools.contract import SearchRequest
from agentcompass_websearch.tools.wire import HttpReply

A, B = "https://docs.acme.example/a", "https://docs.acme.example/b"
TITLED = {"linkup": "name"}
SNIPPETS = {
    "brave": "snippets",
    "exa": "highlights",
    "firecrawl": "description",
    "jina": "description",
    "linkup": "content",
    "nimble": "description",
    "parallel": "excerpts",
    "perplexity": "snippet",
    "searxng": "content",
    "serper": "snippet",
    "string": "snippet",
    "tavily": "content",
    "tinyfish": "snippet",
    "valyu": "description",
    "you": "snippets",
}


def body_of(family: str, rows: list[Any]) -> dict[str, Any]:
    if family == "brave":
        return {"grounding": {"generic": rows}}
    if family == "firecrawl":
        return {"success": True, "data": {"web": rows}}
    if family == "jina":
        return {"code": 200, "data": rows}
    if family == "serper":
        return {"searchParameters": {}, "organic": [*map(as_link, rows)]}
    return {"results": {"web": rows, "news": None} if family == "you" else rows}


def as_link(row: Any) -> Any:
    return {"link" if name == "url" else name: value for name, value in row.items()} if isinstance(row, dict) else row


@pytest.mark.parametrize(("family", "snippet"), SNIPPETS.items())
@pytest.mark.parametrize("empty", [None, [], {}, [None], 7.5, True, {"a": 1}])
def test_results_with_holes(family: str, snippet: str, empty: Any) -> None:
    vendor = importlib.import_module(f"agentcompass_websearch.tools.vendors.{family}")
    title = TITLED.get(family, "title")
    rows = [
        {title: "A", "url": A},
        {title: None, "url": B, snippet: None},
        {title: "no url", snippet: "x"},
        None,
        "text",
        {"url": 5},
        {"url": f" {A}/2 ", title: empty, snippet: empty},
        {"url": "javascript:alert(1)", title: "x"},
    ]
    reply = HttpReply(200, httpx.Headers(), json.dumps(body_of(family, rows)).encode())
    first, second, third = vendor.parse_search(reply, SearchRequest("x")).value
    assert (first, second) == (Hit(A, "A", ""), Hit(B, "", ""))
    assert third.url == f"{A}/2"
    assert {third.title, third.snippet} <= {"", "7.5"}
