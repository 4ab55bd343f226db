"""A model server and a search vendor that fail in all the ways servers do, and keep ledgers of what was really asked.

What they do follows from a seed and from what they are asked, never from the order in which requests happen to come.
Two things are kept apart. *Choices* are the scripted model's: what it searches and answers, where it leaves a turn
empty, where its calls have unusable ids. *Faults* are the weather: 429 with Retry-After, 500, hanging, half a JSON. A
run in good and one in bad weather have the same choices, so they must come to the same verdicts.

Each conversation gets a number, and the model puts it into what it says, into its queries as a word that no page has,
and into the addresses it fetches as a tracking parameter: so every call at the vendor can be laid at the door of one
attempt.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

from agentcompass_websearch.records import Operation
from agentcompass_websearch.sample.stand_in import openai_chat
from agentcompass_websearch.sample.stand_in.conversation import Move, Say, Use
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.policy import next_move
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.faults import apply
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, json_reply

SPOKEN: Final = re.compile(r"\(conversation (\d{6})\)")
_IN_CALLS: Final = re.compile(r" zq(\d{6})q|[?&]utm_attempt=(\d{6})")
SHARE: Final = 0.1
"""The chance of each fault, and of each odd choice."""


@dataclass(frozen=True, slots=True)
class Weather:
    """Which faults there are. A hanging server breaks off after `hang_s`, if the client has not given up before."""

    seed: int
    faults: bool = True
    hang_s: float = 60.0
    retry_after_s: float = 1.0

    def chance(self, *about: object) -> float:
        """Return a number from 0 to 1 that follows from the seed and from what it is about."""
        name = repr((self.seed, *about)).encode()
        return int.from_bytes(blake2b(name, digest_size=6).digest()) / 2**48

    def fault(self, nth: int, *about: object) -> str:
        """Return the fault that the `nth` try of a request meets, ``ok`` for none. The third one always succeeds."""
        kinds = {1: (f"429:{self.retry_after_s}", "500", "hang", "cut-json"), 2: ("429", "500", "cut")}.get(nth, ())
        place = int(self.chance("fault", nth, *about) / SHARE)
        return kinds[place] if self.faults and place < len(kinds) else "ok"


@dataclass(slots=True)
class Spoken:
    """One conversation as the model server saw it: the tokens of each turn that it sent, and when it was last asked."""

    number: int
    ticket: str
    nth: int
    usage: dict[int, int] = field(default_factory=dict)
    last_at: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of all turns."""
        return sum(self.usage.values())


@dataclass(frozen=True, slots=True)
class Asked:
    """One request at the vendor, whatever came of it. `what` is the query, or the address."""

    conversation: int
    op: Operation
    what: str
    fault: str


class World:
    """Model server and vendor. `seen` counts what they did, faults and odd choices by name.

    Args:
        weather: the faults.
        pages: what the vendor knows, as in ``vendor_options.pages`` of the local vendor.
    """

    def __init__(self, weather: Weather, pages: str) -> None:
        self.weather = weather
        self.spoken: list[Spoken] = []
        self.asked: list[Asked] = []
        self.seen: Counter[str] = Counter()
        self._begun: Counter[str] = Counter()
        self._turn_tries: Counter[tuple[object, int]] = Counter()
        self._call_tries: Counter[tuple[int, Operation, str]] = Counter()
        self._face = all_faces()["exa"]
        self._library = Library(pages)
        self.model_server = LoopbackServer(self._model)
        self.vendor_server = LoopbackServer(self._vendor)

    def key_of(self, task: str) -> str:
        """Return the name of a ticket: ten hexadecimal digits of what the model is told of it."""
        return blake2b(task.encode(), digest_size=5).hexdigest()

    def _model(self, request: Request) -> Reply:
        body = request.json()
        said = [m for m in body["messages"] if m["role"] == "assistant"]
        turn = len(said)
        ticket = self.key_of(next(m["content"] for m in body["messages"] if m["role"] == "user"))
        number = next((int(found[1]) for m in said if (found := SPOKEN.search(m["content"] or ""))), None)
        spoken = None if number is None else self.spoken[number]
        tried: object = ticket if spoken is None else number
        self._turn_tries[tried, turn] += 1
        nth = self._turn_tries[tried, turn]
        fault = self.weather.fault(nth, "model", ticket, spoken.nth if spoken else 0, turn)
        if spoken is None and fault == "hang":
            # First requests are counted by ticket, so a conversation might meet a second one at its second try.
            fault = "500"
        self.seen[f"model {fault.partition(':')[0]}"] += 1
        if fault == "ok" and spoken is None:
            self._begun[ticket] += 1
            spoken = Spoken(len(self.spoken), ticket, self._begun[ticket])
            self.spoken.append(spoken)
        if spoken is not None:
            spoken.last_at = time.monotonic()
        return self._under(fault, lambda: json_reply(self._turn(body, spoken, turn)), _model_error)

    def _turn(self, body: dict[str, Any], spoken: Spoken | None, turn: int) -> dict[str, Any]:
        """Return the completion of a turn; with `spoken` None it is one that will not arrive as a whole."""
        whole = json.loads(_IN_CALLS.sub("", json.dumps(body)))
        ticket = self.key_of(next(m["content"] for m in body["messages"] if m["role"] == "user"))
        number = spoken.number if spoken else 0
        move = next_move(openai_chat.read_request(whole).conversation, Mood(ticket))
        response = openai_chat.write_response(body, _marked(move, number), f"call_{number:06d}_{turn + 1}")
        message = response["choices"][0]["message"]
        message["content"] = f"{message['content'] or ''}\n(conversation {number:06d})".strip()
        choice = int(self.weather.chance("choice", ticket, turn) / SHARE)
        if choice == 0:
            message.update({"content": "", "tool_calls": None, "reasoning_content": message["content"].split("\n")[-1]})
            response["choices"][0]["finish_reason"] = "stop"
            self.seen["model empty turn"] += 1
        elif choice == 1 and message.get("tool_calls"):
            self.seen["model odd id"] += 1
            self._with_odd_id(message["tool_calls"][0], body, self.weather.chance("id", ticket, turn))
        if spoken is not None:
            spoken.usage[turn] = response["usage"]["total_tokens"]
        return response

    def _with_odd_id(self, call: dict[str, Any], body: Mapping[str, Any], chance: float) -> None:
        """Give a call no id, an empty one, or that of an earlier call."""
        earlier = [made["id"] for m in body["messages"] for made in m.get("tool_calls") or ()]
        ids: list[Any] = [None, "", *earlier[-1:]]
        call["id"] = ids[int(chance * len(ids))]
        if chance < 1 / 8:
            del call["id"]

    def _vendor(self, request: Request) -> Reply:
        text = request.body.decode()
        marks = _IN_CALLS.search(text)
        number = int(marks[1] or marks[2]) if marks else -1
        cleaned = replace(request, body=_IN_CALLS.sub("", text).encode())
        route = self._face.routes[request.method, request.path]
        asked = cleaned.json()
        what = asked["query"] if route.op == "search" else asked["urls"][0]
        self._call_tries[number, route.op, what] += 1
        spoken = self.spoken[number]
        nth = self._call_tries[number, route.op, what]
        fault = self.weather.fault(nth, "vendor", spoken.ticket, spoken.nth, route.op, what)
        self.seen[f"vendor {fault.partition(':')[0]}"] += 1
        self.asked.append(Asked(number, route.op, what, fault))
        return self._under(fault, lambda: route.answer(cleaned, self._library), self._face.error)

    def _under(self, fault: str, good: Any, error: Any) -> Reply:
        if fault == "hang":
            return replace(apply("ok", good, error), wait_s=self.weather.hang_s, cut=0)
        return apply(fault, good, error)


def _marked(move: Move, number: int) -> Move:
    """Return a move whose query or address bears the number of its conversation."""
    if isinstance(move, Say):
        return move
    arguments = dict(move.arguments)
    if "query" in arguments:
        arguments["query"] += f" zq{number:06d}q"
    if "url" in arguments:
        arguments["url"] += f"{'&' if '?' in arguments['url'] else '?'}utm_attempt={number:06d}"
    return Use(move.name, arguments)


def _model_error(status: int) -> Reply:
    messages = {429: "rate limit reached", 500: "the server had an error"}
    return json_reply({"error": {"message": messages.get(status, "no"), "type": "error", "code": None}}, status)
