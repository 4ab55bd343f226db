"""The stand-in's moves on hand-made conversations."""

from __future__ import annotations

import json
from typing import Any

from agentcompass_websearch.sample.stand_in.conversation import Conversation, Exchange, Move, Say, Tool, Use
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.policy import next_move

SEARCH = Tool("find", frozenset({"query"}))
FETCH = Tool("open", frozenset({"url", "objective"}))
STARTER = (
    'import httpx\n\n\ndef pause_parcel(client, number):\n    return client.post("/parcels", json={"number": number})\n'
)
TICKET = "In Parcel Post we want to stop a parcel on its way. Our depot is in Ghent. Do not copy what Bruges does."
TASK = f"{TICKET}\n\nThe current file, client.py:\n\n```python\n{STARTER}```\n"
GHENT, BRUGES = "https://docs.parcel.example/pause/ghent", "https://docs.parcel.example/pause/bruges"


def page(city: str, path: str) -> str:
    return f"Applies to depots of one region ({city}, Nowhere). Send `POST {path}`."


def searched(query: str, *hits: tuple[str, str], left: int = 4) -> Exchange:
    results = [{"url": url, "title": "Pausing a parcel", "snippet": snippet} for url, snippet in hits]
    return Exchange("c1", "find", {"query": query}, json.dumps({"results": results, "searches_left": left}))


def fetched(url: str, content: str, left: int = 4) -> Exchange:
    reply = {"url": url, "title": "Pausing a parcel", "content": content, "fetches_left": left}
    return Exchange("c2", "open", {"url": url}, json.dumps(reply))


def move(*exchanges: Exchange, tools: tuple[Tool, ...] = (SEARCH,), **more: Any) -> Move:
    return next_move(Conversation(TASK, tools, exchanges, **more), Mood("a"))


BOTH = (GHENT, page("Ghent", "/parcels/qqx")), (BRUGES, page("Bruges", "/parcels/qqz"))


def test_it_begins_with_the_words_of_the_ticket() -> None:
    first = move()
    assert isinstance(first, Use)
    assert first.name == "find"
    assert first.arguments["query"].startswith("Parcel Post")
    assert "client.py" not in first.arguments["query"]


def test_its_second_query_is_another_one() -> None:
    first, second = move(), move(searched("q", *BOTH))
    assert isinstance(first, Use)
    assert isinstance(second, Use)
    assert "pause" in second.arguments["query"]
    assert second.arguments != first.arguments


def test_it_follows_the_page_that_fits_the_stated_circumstances_and_cites_it() -> None:
    for hits in (BOTH, BOTH[::-1]):
        last = move(searched("q", *hits), searched("r", *hits))
        assert isinstance(last, Say)
        assert f'# source: {GHENT}\n    return client.post("/parcels/qqx"' in last.text


def test_it_opens_a_page_whose_snippet_says_too_little() -> None:
    silent = [(url, "") for url, _ in BOTH]
    tools = (SEARCH, FETCH)
    opened = move(searched("q", *silent), searched("r", *silent), tools=tools)
    assert isinstance(opened, Use)
    assert opened.name == "open"
    first = opened.arguments["url"]
    content = dict(BOTH)[first]
    then = move(searched("q", *silent), searched("r", *silent), fetched(first, content), tools=tools)
    if first == BRUGES:
        assert isinstance(then, Use)
        assert then.arguments["url"] == GHENT
    else:
        assert isinstance(then, Say)


def test_it_follows_links_of_a_page_it_has_read() -> None:
    overview = "https://docs.parcel.example/pause"
    content = f"How to pause.\n\n| Ghent | [Guide]({GHENT}) |\n| Bruges | [Guide]({BRUGES}) |\n"
    exchanges = (searched("q", (overview, "")), searched("r", (overview, "")), fetched(overview, content))
    then = move(*exchanges, tools=(SEARCH, FETCH))
    assert isinstance(then, Use)
    assert then.arguments["url"] == GHENT


def test_it_stops_when_no_calls_are_left() -> None:
    assert isinstance(move(searched("q", *BOTH, left=0)), Say)
    silent = searched("q", (GHENT, ""), left=0)
    assert isinstance(move(silent, fetched(BRUGES, "nothing", left=0), tools=(SEARCH, FETCH)), Say)


def test_it_answers_at_once_when_hurried() -> None:
    assert isinstance(move(hurry=True), Say)
    assert isinstance(move(searched("q", *BOTH), hurry=True), Say)


def test_without_tools_it_guesses_and_cites_nothing() -> None:
    answer = move(tools=())
    assert isinstance(answer, Say)
    assert "guess" in answer.text
    assert "source:" not in answer.text
    assert 'client.post("/parcels/' in answer.text


def test_every_answer_says_first_that_it_is_a_script_and_holds_one_block() -> None:
    for answer in (move(tools=()), move(searched("q", *BOTH), hurry=True)):
        assert isinstance(answer, Say)
        assert answer.text.startswith("Written by scripted-stand-in, a scripted program and not a language model.")
        assert answer.text.count("```") == 2
        assert answer.text.endswith("\n```\n")


def test_broken_replies_are_no_results() -> None:
    for reply in (
        "",
        "[" * 100_000,
        "<html>",
        "[1]",
        '"x"',
        '{"results": [3, {"url": 5}], "searches_left": "many"}',
        "null",
    ):
        exchange = Exchange("c", "find", {"query": "q"}, reply)
        assert isinstance(move(exchange), Use)
    assert isinstance(move(Exchange("c", "open", {"url": 7}, "{}")), Use)


def test_a_page_that_cannot_be_read_is_not_tried_again() -> None:
    failed = Exchange("c", "open", {"url": GHENT}, json.dumps({"error": "gone", "url": GHENT}))
    then = move(searched("q", *BOTH), searched("r", *BOTH), failed, tools=(SEARCH, FETCH))
    assert isinstance(then, Use)
    assert then.arguments["url"] == BRUGES


def test_backticks_in_the_file_do_not_end_its_block() -> None:
    task = f"{TICKET}\n\n````python\n# ```\n{STARTER}````\n"
    answer = next_move(Conversation(task), Mood("a"))
    assert isinstance(answer, Say)
    assert answer.text.count("````") == 2
    assert "# ```\n" in answer.text


def test_a_task_without_code_is_answered_all_the_same() -> None:
    answer = next_move(Conversation("Hello?"), Mood("a"))
    assert isinstance(answer, Say)
    assert "no code" in answer.text
