"""The stand-in over HTTP: the shape of chat completions, its name everywhere, clear refusals, many callers at once."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import httpx
import openai
import pytest

from agentcompass_websearch.sample.stand_in.server import MAX_BODY_BYTES, StandInServer

TASK = 'In Parcel Post we want to stop a parcel.\n\n```python\nclient.post("/parcels", json={"a": 1})\n```\n'
MESSAGES: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": TASK}]
SEARCH = {
    "type": "function",
    "function": {"name": "web_search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
}


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
    with httpx.Client(base_url=server.base_url) as client:
        yield client


def body(**more: Any) -> dict[str, Any]:
    return {"model": "scripted-stand-in", "messages": MESSAGES, **more}


def test_the_model_list_says_what_it_is(client: httpx.Client) -> None:
    (model,) = client.get("models").raise_for_status().json()["data"]
    assert model["id"] == "scripted-stand-in"
    assert "not a language model" in model["owned_by"]


def test_the_openai_client_understands_it(server: StandInServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="any", http_client=cast(Any, httpx.Client())) as client:
        tools: Any = [SEARCH]
        completion = client.chat.completions.create(**body(), tools=tools)
    (choice,) = completion.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    assert choice.message.tool_calls
    assert json.loads(choice.message.tool_calls[0].function.arguments)["query"]
    assert completion.model == "scripted-stand-in"
    assert "not a language model" in (completion.system_fingerprint or "")


def test_a_later_turn_reads_what_was_said(client: httpx.Client) -> None:
    first = client.post("chat/completions", json=body(tools=[SEARCH])).json()["choices"][0]["message"]
    url = "https://docs.parcel.example/stop"
    hit = {"url": url, "title": "Stop a parcel", "snippet": "Send `POST /parcels/qqx`."}
    reply = {"query": "q", "results": [hit], "searches_left": 0}
    said = [
        *MESSAGES,
        first,
        {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": json.dumps(reply)},
    ]
    answer = client.post("chat/completions", json=body(messages=said, tools=[SEARCH])).json()["choices"][0]
    assert answer["finish_reason"] == "stop"
    assert f'# source: {url}\nclient.post("/parcels/qqx"' in answer["message"]["content"]


def test_equal_requests_have_equal_answers(client: httpx.Client) -> None:
    answers = [client.post("chat/completions", json=body(tools=[SEARCH])).json()["choices"] for _ in range(2)]
    assert answers[0] == answers[1]


def test_usage_is_four_characters_a_token(client: httpx.Client) -> None:
    long = [{"role": "user", "content": "x" * 4000}]
    few, many = (client.post("chat/completions", json=body(messages=m)).json()["usage"] for m in (MESSAGES, long))
    assert 1000 <= many["prompt_tokens"] < 1050
    assert many["total_tokens"] == many["prompt_tokens"] + many["completion_tokens"]
    assert 0 < few["prompt_tokens"] < 100


def test_content_parts_and_refused_tools_are_understood(client: httpx.Client) -> None:
    parts = [{"role": "user", "content": [{"type": "text", "text": TASK}]}]
    asked = body(messages=parts, tools=[SEARCH], tool_choice="none")
    message = client.post("chat/completions", json=asked).json()["choices"][0]["message"]
    assert "guess" in message["content"]
    assert "tool_calls" not in message


def test_a_further_user_message_asks_for_the_answer(client: httpx.Client) -> None:
    said = [*MESSAGES, {"role": "user", "content": "Answer now."}]
    choice = client.post("chat/completions", json=body(messages=said, tools=[SEARCH])).json()["choices"][0]
    assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"{", 400, "not JSON"),
        (b"[" * 200_000, 400, "not JSON"),
        (b"[]", 400, "JSON object"),
        (json.dumps({"model": "gpt-5", "messages": MESSAGES}).encode(), 404, "no model 'gpt-5'"),
        (json.dumps({"model": "scripted-stand-in"}).encode(), 400, "messages"),
        (json.dumps(body(messages=[])).encode(), 400, "messages"),
        (json.dumps(body(messages=["hi"])).encode(), 400, "messages"),
        (json.dumps(body(stream=True)).encode(), 400, "stream"),
        (json.dumps(body(tools=[{"type": "function"}])).encode(), 400, "tools"),
    ],
)
def test_what_cannot_be_answered_is_refused(client: httpx.Client, content: bytes, status: int, said: str) -> None:
    response = client.post("chat/completions", content=content)
    assert response.status_code == status
    assert said in response.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path"), [("GET", "x"), ("POST", "embeddings"), ("GET", "chat/completions")])
def test_unknown_paths_are_refused(client: httpx.Client, method: str, path: str) -> None:
    assert client.request(method, path, json={} if method == "POST" else None).status_code == 404


@pytest.mark.parametrize("length", [None, "many", "-1", str(MAX_BODY_BYTES + 1)])
def test_a_body_of_unknown_or_absurd_length_is_not_read(server: StandInServer, length: str | None) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.putrequest("POST", "/v1/chat/completions")
    if length is not None:
        connection.putheader("Content-Length", length)
    connection.endheaders()
    assert connection.getresponse().status in (411, 413)
    connection.close()


def test_odd_messages_never_break_the_server(client: httpx.Client) -> None:
    odd: list[dict[str, Any]] = [
        {"role": "user"},
        {"role": "user", "content": 5},
        {"role": "assistant", "tool_calls": [{"id": 5}, "x", {"function": {"arguments": "{"}}, {"function": 3}]},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "[]"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "\ud800"},
        {},
    ]
    response = client.post("chat/completions", content=json.dumps(body(messages=odd)).encode())
    assert response.status_code == 200


def test_many_callers_are_served_at_once(server: StandInServer) -> None:
    start = threading.Barrier(32)

    def ask(number: int) -> set[str]:
        task = [{"role": "user", "content": TASK.replace("stop", f"stop{number} now{number}")}]
        with httpx.Client(base_url=server.base_url, timeout=20) as client:
            start.wait()
            answers = [client.post("chat/completions", json=body(messages=task)) for _ in range(5)]
        return {a.raise_for_status().json()["choices"][0]["message"]["content"] for a in answers}

    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(ask, range(32)))
    assert all(len(own) == 1 for own in answers)
    assert len(set().union(*answers)) == 32


def test_a_lost_caller_harms_no_other(server: StandInServer, client: httpx.Client) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request("POST", "/v1/chat/completions", json.dumps(body()))
    connection.close()
    assert client.get("models").status_code == 200
