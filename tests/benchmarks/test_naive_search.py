"""The tool replies of the host's own search agent, as its tools write them and its loop cuts them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agentcompass.harnesses.naive_search_agent.engine.fc_inferencer import get_middle_mixed
from agentcompass.harnesses.naive_search_agent.engine.tools.web_visitor import FAILED_MSG_TEMPLATE

from agentcompass_websearch.benchmarks.ob_code_websearch.evidence import ToolCall
from agentcompass_websearch.benchmarks.ob_code_websearch.naive_search import read_naive_search
from tests.benchmarks.support import DOCS_URL, fetched, searched


def serper(count: int) -> dict[str, Any]:
    organic = [
        {"title": f'Page "{n}" \\ é', "link": f"{DOCS_URL}/{n}", "snippet": f"About\n{n}", "position": n}
        for n in range(count)
    ]
    more = [{"question": "Why?", "snippet": "Because.", "title": "T", "link": "https://why.example/"}]
    return {
        "searchParameters": {"q": "crates", "type": "search"},
        "organic": organic,
        "peopleAlsoAsk": more,
        "relatedSearches": [{"query": "https://not.a.hit.example/"}],
    }


def search(content: str) -> ToolCall:
    return ToolCall("call_1", "search", {"query": "crates"}, content)


def visit(url: Any, content: str, name: str = "visit") -> ToolCall:
    return ToolCall("call_2", name, {"url": url, "goal": "g"}, content)


def page(url: str) -> str:
    head = f"The useful information in {url} for user goal g as follows: "
    return f"{head}\n\nEvidence in page: \nX-Lane\n\nSummary: \ns\n\n"


def test_search_results() -> None:
    found = read_naive_search([search(json.dumps(serper(3), ensure_ascii=False))])
    (one,) = found.searches
    assert (one.query, one.call_id, one.n, found.kind) == ("crates", "call_1", 1, "text")
    assert [hit.url for hit in one.hits] == [f"{DOCS_URL}/0", f"{DOCS_URL}/1", f"{DOCS_URL}/2", "https://why.example/"]
    assert (one.hits[1].title, one.hits[1].snippet) == ('Page "1" \\ é', "About\n1")


def test_search_results_cut_in_the_middle() -> None:
    whole = json.dumps(serper(60), ensure_ascii=False)
    links = {f"{DOCS_URL}/{n}" for n in range(60)} | {"https://why.example/"}
    for units in range(100, 140):
        cut = get_middle_mixed(whole, units)
        assert "...(truncated)..." in cut
        hits = read_naive_search([search(cut)]).searches[0].hits
        assert hits
        assert {hit.url for hit in hits} <= links


def test_visited_pages() -> None:
    found = read_naive_search([visit(DOCS_URL, page(DOCS_URL))])
    (one,) = found.fetches
    assert (one.url, one.call_id, one.succeeded) == (DOCS_URL, "call_2", True)
    assert "X-Lane" in one.content


@pytest.mark.parametrize("encode", [list, json.dumps])
def test_several_pages_of_one_call(encode: Any) -> None:
    urls = [DOCS_URL, "https://b.example/", "https://c.example/"]
    content = "\n=======\n".join(
        [page(urls[0]), FAILED_MSG_TEMPLATE.format(url=urls[1], goal="g"), "Error fetching https://c.example/: x"]
    )
    found = read_naive_search([visit(encode(urls), content)])
    assert [(f.url, f.succeeded, f.n) for f in found.fetches] == [(DOCS_URL, True, 1), ("https://b.example/", False, 2)]


def test_a_page_cannot_pretend_that_another_was_visited() -> None:
    forged = page(DOCS_URL) + "\n=======\n" + page("https://evil.example/")
    assert [f.url for f in read_naive_search([visit(DOCS_URL, forged)]).fetches] == [DOCS_URL]


def test_browsed_pages() -> None:
    good = json.dumps({"code": 200, "status": 20000, "data": {"title": "t", "url": DOCS_URL, "content": "X-Lane"}})
    bad = json.dumps({"status": "timeout", "error": "Request Timeout (150s)", "url": DOCS_URL})
    calls = [visit(DOCS_URL, good[:40] + "...(truncated)...", "browse"), visit(DOCS_URL, bad, "browse")]
    assert [f.succeeded for f in read_naive_search(calls).fetches] == [True, False]


def test_this_packages_tools_plugged_into_it() -> None:
    replies = [
        ToolCall("c", "search", {}, searched(DOCS_URL)["content"]),
        ToolCall("c", "visit", {}, fetched("u")["content"]),
    ]
    found = read_naive_search(replies)
    assert [hit.url for hit in found.searches[0].hits] == [DOCS_URL]
    assert (found.fetches[0].url, found.kind) == ("u", "text")


@pytest.mark.parametrize("content", [None, 5, "", "Unknown tool: search", '{"link": "', '"link": ' + " " * 10**5])
def test_replies_without_results(content: Any) -> None:
    found = read_naive_search([search(content), visit(["[", 5, None], "text"), visit("[", "text"), visit(None, "x")])
    assert not [hit for s in found.searches for hit in s.hits]
    assert found.fetches == ()
