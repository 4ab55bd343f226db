"""When the stand-in misbehaves: by seed and request, with the share asked for, and told in its ledger."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from agentcompass_websearch.sample.stand_in.mischief import Mischief
from agentcompass_websearch.sample.stand_in.server import StandInServer
from tests.sample.wires import Chat, Messages, Responses, Wire

TASK = 'In Parcel Post we want to stop a parcel.\n\n```python\nclient.post("/parcels", json={"a": 1})\n```\n'
TOOLS = {"web_search": ["query"], "web_fetch": ["url", "objective"]}
EACH_WIRE = pytest.mark.parametrize("wire", [Chat, Responses, Messages])


@contextmanager
def serving(*tricks: str, share: float = 1.0) -> Iterator[httpx.Client]:
    with StandInServer(mischief=Mischief(tricks, share=share)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with httpx.Client(base_url=server.base_url.removesuffix("/v1")) as client:
            yield client
        server.shutdown()
        thread.join()


def drawn(mischief: Mischief, requests: int, times: int = 1) -> list[str]:
    tricks = [mischief.draw({"n": n}) for n in range(requests) for _ in range(times)]
    return [trick.name if trick else "" for trick in tricks]


def test_each_trick_has_its_share() -> None:
    counts = Counter(drawn(Mischief(["429", "empty", "hang:2"], share=0.2), 4000))
    assert {name: round(count / 4000, 1) for name, count in counts.items()} == {
        "429": 0.2,
        "empty": 0.2,
        "hang": 0.2,
        "": 0.4,
    }
    assert set(drawn(Mischief(["ids"], share=1), 50)) == {"ids"}
    assert set(drawn(Mischief(), 50)) == {""}


def test_seed_and_request_decide_and_a_second_try_is_decided_anew() -> None:
    first = drawn(Mischief(["500"], share=0.5, seed=1), 200, times=2)
    assert first == drawn(Mischief(["500"], share=0.5, seed=1), 200, times=2)
    assert first != drawn(Mischief(["500"], share=0.5, seed=2), 200, times=2)
    assert first[::2] != first[1::2]


@pytest.mark.parametrize(
    ("tricks", "share", "words"),
    [
        (["hnag"], 0.1, "no trick 'hnag'. Did you mean 'hang'"),
        ([""], 0.1, "Known: 429"),
        (["hang:soon"], 0.1, "'hang:soon': soon is not a number of seconds"),
        (["429:-1"], 0.1, "seconds from 0"),
        (["empty:3"], 0.1, "'empty' takes nothing after a colon"),
        (["500:3"], 0.1, "takes nothing"),
        (["ids", "empty"], 0.6, "more than all"),
        (["ids"], 0.0, "allowed: more than 0"),
    ],
)
def test_what_cannot_be_done_is_refused(tricks: list[str], share: float, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        Mischief(tricks, share=share)


@EACH_WIRE
def test_errors_have_the_form_of_their_wire(wire: type[Wire]) -> None:
    with serving("429:7") as client:
        reply = client.post(wire.path, json=wire(TASK, TOOLS).body)
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "7")
    assert reply.json()["error"]["type"] == "rate_limit_error"
    assert (reply.json().get("type") == "error") == (wire is Messages)


@EACH_WIRE
def test_a_parameter_is_refused_only_where_it_stands(wire: type[Wire]) -> None:
    with serving("refuse:top_k") as client:
        talk = wire(TASK, TOOLS)
        assert client.post(wire.path, json=talk.body).status_code == 200
        refused = client.post(wire.path, json=talk.body | {"top_k": 4})
        ledger = client.get("/ledger").json()
    assert refused.status_code == 400
    assert "'top_k'" in refused.json()["error"]["message"]
    assert (ledger["requests"], ledger["answers"], ledger["tricks"]) == (2, 1, {"refuse": 1})


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ({"role": "assistant", "content": None}, {}),
        ({"role": "assistant"}, {}),
        ({"role": "developer", "content": "x"}, {}),
        ({"role": "assistant", "content": "", "reasoning_content": "x"}, {}),
        ({"role": "assistant", "content": ""}, {"tool_choice": "auto"}),
    ],
)
def test_a_narrow_server_takes_few_messages(message: dict[str, object], more: dict[str, object]) -> None:
    with serving("narrow") as client:
        body = Chat(TASK, {}).body
        assert client.post(Chat.path, json=body).status_code == 200
        assert client.post(Chat.path, json=body | {"messages": [*body["messages"], message], **more}).status_code == 500


@EACH_WIRE
@pytest.mark.parametrize("trick", ["hang:0.01", "drop", "cut"])
def test_a_connection_may_end_early(wire: type[Wire], trick: str) -> None:
    with serving(trick) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(wire.path, json=wire(TASK, TOOLS).body)
        assert client.get("/ledger").json()["answers"] == 0


def test_a_client_that_has_gone_is_not_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    told = []
    for error in (ConnectionResetError("gone"), BrokenPipeError("gone"), KeyError("a fault of ours")):
        with StandInServer() as server:
            try:
                raise error
            except type(error):
                server.handle_error(None, ("127.0.0.1", 1))
        told.append("Error" in capfd.readouterr().err)
    assert told == [False, False, True]


def test_a_hanging_server_can_be_closed() -> None:
    with serving("hang") as client, pytest.raises(httpx.ReadTimeout):
        client.post(Chat.path, json=Chat(TASK, TOOLS).body, timeout=0.05)


@EACH_WIRE
def test_the_ledger_has_the_tokens_of_the_usage(wire: type[Wire]) -> None:
    with serving("thinking") as client:
        bodies = [client.post(wire.path, json=wire(TASK, tools).body).json() for tools in (TOOLS, {})]
        ledger = client.get("/ledger").json()
    usage = [body["usage"] for body in bodies]
    assert ledger["output_tokens"] == sum(u.get("completion_tokens") or u["output_tokens"] for u in usage)
    assert ledger["input_tokens"] == sum(u.get("prompt_tokens") or u["input_tokens"] for u in usage)
    assert 0 < ledger["reasoning_tokens"] < ledger["output_tokens"]


@pytest.mark.parametrize("wire", [Responses, Messages])
def test_reasoning_that_was_changed_is_refused(wire: type[Wire]) -> None:
    with serving("thinking") as client:
        talk = wire(TASK, TOOLS)
        said = client.post(wire.path, json=talk.body).json()
        items = said["output"] if wire is Responses else said["content"]
        whole, changed = (
            {**talk.body, "input": [*talk.body["input"], *items]}
            if wire is Responses
            else {**talk.body, "messages": [*talk.body["messages"], {"role": "assistant", "content": items}]}
            for items in (items, json.loads(json.dumps(items).replace("no thoughts", "many thoughts")))
        )
        assert client.post(wire.path, json=whole).status_code == 200
        refused = client.post(wire.path, json=changed)
    assert refused.status_code == 400
    assert "as it was" in refused.text
