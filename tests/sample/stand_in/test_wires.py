"""The stand-in over each of its wires: the same model, in the form of the protocol, refusals included."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any, cast

import anthropic
import httpx
import openai
import pytest

from agentcompass_websearch import sample
from agentcompass_websearch.sample.stand_in.server import StandInServer
from tests.sample.engine import FETCH_CHARS, index_of
from tests.sample.wires import MODEL, Chat, Messages, Responses, Wire

TASK = 'In Parcel Post we want to stop a parcel.\n\n```python\nclient.post("/parcels", json={"a": 1})\n```\n'
NOW = "Answer now."
TOOLS = {"web_search": ["query"], "web_fetch": ["url", "objective"]}

WIRES = (Chat, Responses, Messages)
EACH_WIRE = pytest.mark.parametrize("wire", WIRES)


@pytest.fixture(scope="module")
def server() -> Iterator[StandInServer]:
    with StandInServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(server: StandInServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.base_url.removesuffix("/v1")) as client:
        yield client


def asked(client: httpx.Client, wire: Wire) -> tuple[str, str, dict[str, Any]] | str:
    return wire.move(client.post(wire.path, json=wire.body).raise_for_status().json())


def attempt(client: httpx.Client, wire: Wire, index: Any) -> list[Any]:
    """Run one attempt; return all moves, the answer last."""
    moves: list[Any] = []
    while not isinstance(move := asked(client, wire), str):
        call_id, name, arguments = move
        moves.append(move)
        if name == "web_search":
            hits = index.search(arguments["query"], 8, "page")
            reply: dict[str, Any] = {
                "results": [{"url": hit.url, "title": hit.title, "snippet": hit.snippet} for hit in hits]
            }
        else:
            page = index.page(arguments["url"])
            reply = {"title": page.title, "content": page.text[:FETCH_CHARS]} if page else {"error": "not found"}
        wire.reply(call_id, json.dumps(reply))
    return [*moves, move]


def test_every_wire_has_the_same_moves_and_answers(client: httpx.Client) -> None:
    index = index_of(sample.pages())
    rows = list(sample.rows())[:6]
    for row in rows:
        task = f"{row['ticket']}\n\n```python\n{row['starter_code']}```\n"
        first, *others = (attempt(client, wire(task, TOOLS), index) for wire in WIRES)
        assert len(first) >= 3
        assert others == [first, first]


def test_repeats_vary_alike_over_every_wire() -> None:
    def queries(wire: type[Wire]) -> list[str]:
        with StandInServer(variation=3) as server:
            moves = [server.answer(wire.path, wire(TASK, TOOLS).body) for _ in range(8)]
        return [cast(Any, wire(TASK, TOOLS).move(response))[2]["query"] for response in moves]

    chat = queries(Chat)
    assert len(set(chat)) > 1
    assert queries(Responses) == queries(Messages) == chat


@EACH_WIRE
def test_a_later_turn_reads_what_was_said(client: httpx.Client, wire: type[Wire]) -> None:
    talk = wire(TASK, {"web_search": ["query"]})
    call_id, name, arguments = cast(Any, asked(client, talk))
    assert (name, set(arguments)) == ("web_search", {"query"})
    url = "https://docs.parcel.example/stop"
    hit = {"url": url, "title": "Stop a parcel", "snippet": "Send `POST /parcels/qqx`."}
    talk.reply(call_id, json.dumps({"query": "q", "results": [hit], "searches_left": 0}))
    assert f'# source: {url}\nclient.post("/parcels/qqx"' in str(asked(client, talk))


@EACH_WIRE
def test_further_words_and_forbidden_calls_ask_for_the_answer(client: httpx.Client, wire: type[Wire]) -> None:
    talk = wire(TASK, TOOLS)
    call_id, _, _ = cast(Any, asked(client, talk))
    talk.reply(call_id, "{}")
    talk.say(NOW)
    assert "guess" in str(asked(client, talk))
    forbidden = wire(TASK, TOOLS)
    forbidden.body["tool_choice"] = {"type": "none"} if wire is Messages else "none"
    assert "guess" in str(asked(client, forbidden))


@EACH_WIRE
def test_it_says_what_it_is_in_each_response(client: httpx.Client, wire: type[Wire]) -> None:
    response = client.post(wire.path, json=wire(TASK, {}).body).json()
    assert response["model"] == MODEL
    assert "not a language model" in response["system_fingerprint"]


@EACH_WIRE
def test_usage_is_four_characters_a_token(client: httpx.Client, wire: type[Wire]) -> None:
    few, many = (client.post(wire.path, json=wire(text, {}).body).json()["usage"] for text in ("x", "x" * 4000))
    name = "prompt_tokens" if wire is Chat else "input_tokens"
    assert many[name] - few[name] in (999, 1000)
    if wire is not Messages:
        assert many["total_tokens"] - few["total_tokens"] == many[name] - few[name]


@EACH_WIRE
@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"model": "gpt-5"}, 404, "no model 'gpt-5'"),
        ({"stream": True}, 400, "stream"),
        ({"tools": [{"type": "function", "function": {}}]}, 400, "'tools'"),
        ({"messages": [], "input": []}, 400, "must be a list of at least one"),
        ({"messages": ["hi"], "input": ["hi"]}, 400, "must be a list of at least one"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_the_wires_own_form(
    client: httpx.Client, wire: type[Wire], change: dict[str, Any], status: int, said: str
) -> None:
    response = client.post(wire.path, json=wire(TASK, {}).body | change)
    assert response.status_code == status
    body = response.json()
    assert said in body["error"]["message"]
    if wire is Messages:
        assert (body["type"], body["error"]["type"].endswith("_error")) == ("error", True)


@EACH_WIRE
def test_odd_parts_never_break_it(client: httpx.Client, wire: type[Wire]) -> None:
    odd: list[dict[str, Any]] = [
        {"role": "user"},
        {"role": "user", "content": 5},
        {"role": "user", "content": [5, {"type": "tool_result", "tool_use_id": 5, "content": [{"text": None}]}]},
        {"role": "assistant", "content": [{"type": "tool_use", "input": "x"}, 3], "tool_calls": [{"function": 3}, 4]},
        {"type": "function_call", "arguments": 5},
        {"type": "function_call", "call_id": "c", "arguments": "[]"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "\ud800"}]},
        {"type": "reasoning", "summary": []},
        {},
    ]
    body = wire(TASK, {}).body | {"messages": odd, "input": odd, "system": 5, "instructions": 5, "tools": 5}
    assert client.post(wire.path, content=json.dumps(body).encode()).status_code == 200


def test_the_clients_of_both_makers_understand_it(server: StandInServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="any") as of_openai:
        responses: Any = of_openai.responses
        response = responses.create(**Responses(TASK, {}).body)
        assert "guess" in response.output_text
        assert response.status == "completed"
        assert response.usage.output_tokens > 0
        (call,) = responses.create(**Responses(TASK, TOOLS).body).output
        assert (call.type, call.name) == ("function_call", "web_search")
    with anthropic.Anthropic(base_url=server.base_url.removesuffix("/v1"), api_key="any") as of_anthropic:
        messages: Any = of_anthropic.messages
        message = messages.create(**Messages(TASK, {}).body)
        assert "guess" in message.content[0].text
        assert (message.stop_reason, message.usage.output_tokens > 0) == ("end_turn", True)
        (block,) = messages.create(**Messages(TASK, TOOLS).body).content
        assert (block.type, block.name, set(block.input)) == ("tool_use", "web_search", {"query"})


def test_a_server_that_keeps_nothing_says_so(client: httpx.Client) -> None:
    body = Responses(TASK, {}).body | {"previous_response_id": "resp_1"}
    response = client.post(Responses.path, json=body)
    assert response.status_code == 400
    assert "keeps nothing" in response.json()["error"]["message"]


def test_input_may_be_mere_text(client: httpx.Client) -> None:
    response = client.post(Responses.path, json={"model": MODEL, "input": TASK}).json()
    assert "guess" in response["output"][0]["content"][0]["text"]


def test_messages_need_an_output_limit(client: httpx.Client) -> None:
    body = Messages(TASK, {}).body
    del body["max_tokens"]
    response = client.post(Messages.path, json=body)
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "max_tokens: Field required"
