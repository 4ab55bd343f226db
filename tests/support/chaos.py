"""A model server and a search vendor that fail in all the ways servers do, and keep ledgers of what was really asked.

What they do follows from a seed and from what they are asked, never from the order in which requests happen to come.
Two things are kept apart. *Choices* are the scripted model's: what it searches and answers, where it leaves a turn
empty, calls more than it may, or gives its calls unusable ids. *Faults* are the weather, at every try of every request:
429 with Retry-After, 500, hanging, half a JSON. A run in good and one in bad weather have the same choices, so they
must come to the same verdicts.

Each conversation gets a number, and the model puts it into what it says, into its queries as a word that no page has,
and into the addresses it fetches as a tracking parameter: so every call at the vendor can be laid at the door of one
attempt.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

from agentcompass_websearch.records import Operation
from agentcompass_websearch.sample.stand_in.conversation import Move, Say, Use
from agentcompass_websearch.sample.stand_in.heard import Heard
from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.policy import next_move
from agentcompass_websearch.tools.testing.faces import all_faces
from agentcompass_websearch.tools.testing.faults import apply
from agentcompass_websearch.tools.testing.library import Library
from agentcompass_websearch.tools.testing.server import LoopbackServer, Reply, Request, json_reply
from tests.support.chaos_wires import CHAOS_WIRES
from tests.support.model_wires import refusal, written_error

SPOKEN: Final = re.compile(r"\(conversation (\d{6})\)")
_IN_CALLS: Final = re.compile(r" zq(\d{6})q|[?&]utm_attempt=(\d{6})")
SHARE: Final = 0.1
"""The chance of each fault, and of each odd choice."""
MORE_CALLS: Final = 3
"""How many calls too many are made at once, where too many are made."""
FAULTS: Final = ("429", "500", "hang", "cut-json")


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
        """Return the fault that the `nth` try of a request meets, ``ok`` for none."""
        place = int(self.chance("fault", nth, *about) / SHARE)
        if not self.faults or place >= len(FAULTS):
            return "ok"
        return f"429:{self.retry_after_s}" if FAULTS[place] == "429" else FAULTS[place]


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
    """One request at the vendor, whatever came of it. `what` is all that it said."""

    conversation: int
    op: Operation
    what: str
    fault: str


@dataclass(slots=True)
class Chosen:
    """What the model does at one turn about a ticket: whether it calls a tool, and what is odd about it, if anything.

    It is the same in all conversations about that ticket.
    """

    calls: bool
    odd: str = ""


class World:
    """Model server and vendor.

    Attributes:
        spoken: the ledger of the model server.
        asked: the ledger of the vendor.
        seen: how many requests met what, such as ``model 429`` or ``vendor ok``.
        chosen: what the model did, by ticket and turn.
        refused: what a strict server would have had against requests to the model.

    Args:
        weather: the faults.
        pages: what the vendor knows, as in ``vendor_options.pages`` of the local vendor.
        protocol: what the model server speaks.
        family: which vendor's API the vendor has.
    """

    def __init__(self, weather: Weather, pages: str, protocol: str, family: str) -> None:
        self.weather = weather
        self.spoken: list[Spoken] = []
        self.asked: list[Asked] = []
        self.seen: Counter[str] = Counter()
        self.chosen: dict[tuple[str, int], Chosen] = {}
        self.refused: list[str] = []
        self._begun: Counter[str] = Counter()
        self._turn_tries: Counter[tuple[object, int]] = Counter()
        self._hung: set[tuple[object, int]] = set()
        self._call_tries: Counter[tuple[int, Operation, str]] = Counter()
        self._wire = CHAOS_WIRES[protocol]
        self._face = all_faces()[family]
        self._library = Library(pages)
        self.model_server = LoopbackServer(self._model)
        self.vendor_server = LoopbackServer(self._vendor)

    @property
    def model_url(self) -> str:
        """The base URL of the model server."""
        return f"{self.model_server.url}{self._wire.base_url}"

    def key_of(self, task: str) -> str:
        """Return the name of a ticket: ten hexadecimal digits of what the model is told of it."""
        return blake2b(task.encode(), digest_size=5).hexdigest()

    def _model(self, request: Request) -> Reply:
        body = request.json()
        if problem := refusal(request.path, body):
            self.refused.append(problem)
        heard = self._wire.read(body)
        ticket = self.key_of(heard.said[0])
        said = SPOKEN.findall(request.body.decode())
        turn, number = len(said), int(said[0]) if said else None
        spoken = None if number is None else self.spoken[number]
        tried: object = ticket if spoken is None else number
        self._turn_tries[tried, turn] += 1
        nth = self._turn_tries[tried, turn]
        fault = self.weather.fault(nth, "model", ticket, spoken.nth if spoken else 0, turn)
        if fault == "hang" and not self._may_hang(spoken, (tried, turn)):
            fault = "ok"
        self.seen[f"model {fault.partition(':')[0]}"] += 1
        if fault == "ok" and spoken is None:
            self._begun[ticket] += 1
            spoken = Spoken(len(self.spoken), ticket, self._begun[ticket])
            self.spoken.append(spoken)
        response = self._turn(body, ticket, turn, spoken.number if spoken else 0)
        if spoken is not None:
            spoken.last_at = time.monotonic()
            if fault == "ok":
                spoken.usage[turn] = self._wire.tokens(response)
        return self._under(fault, lambda: json_reply(response), self._model_error)

    def _may_hang(self, spoken: Spoken | None, request: tuple[object, int]) -> bool:
        """Whether the server may hang at a request: again only in the first conversation about a ticket.

        A model that does not answer twice is given up, and the host tries the attempt again. What it then meets must
        not go on for ever.
        """
        may = request not in self._hung or (spoken is not None and spoken.nth == 1)
        self._hung.add(request)
        return may

    def _turn(self, body: dict[str, Any], ticket: str, turn: int, number: int) -> dict[str, Any]:
        """Return the response of a turn in the conversation `number`."""
        wire = self._wire
        heard = wire.read(json.loads(_IN_CALLS.sub("", json.dumps(body))))
        move = next_move(heard.conversation, Mood(ticket))
        call_id = f"call_{number:06d}_{turn + 1}"
        response: dict[str, Any] = wire.module.write_response(body, _marked(move, number), call_id)
        signature = f"(conversation {number:06d})"
        wire.sign(response, signature)
        chosen = self.chosen[ticket, turn] = Chosen(isinstance(move, Use))
        choice = int(self.weather.chance("choice", ticket, turn) / SHARE)
        if choice == 0:
            wire.empty(response, signature)
            chosen.odd = "empty turn"
        elif choice == 1 and chosen.calls:
            self._spoil_id(wire.call(response), heard, self.weather.chance("id", ticket, turn))
            chosen.odd = "wrong id"
        elif choice == 2 and chosen.calls:
            wire.repeat_call(response, MORE_CALLS)
            chosen.odd = "calls beyond the budget"
        return response

    def _spoil_id(self, call: dict[str, Any], heard: Heard, chance: float) -> None:
        """Give a call no id, an empty one, or that of an earlier call."""
        ids: list[Any] = [None, "", *(made.call_id for made in heard.exchanges[-1:])]
        call[self._wire.id_name] = ids[int(chance * len(ids))]
        if chance < 1 / 8:
            del call[self._wire.id_name]

    def _vendor(self, request: Request) -> Reply:
        text = request.body.decode()
        marks = _IN_CALLS.search(" ".join([*request.query.values(), text]))
        number = int(marks[1] or marks[2]) if marks else -1
        query = {name: _IN_CALLS.sub("", value) for name, value in request.query.items()}
        cleaned = replace(request, query=query, body=_IN_CALLS.sub("", text).encode())
        route = self._face.routes[request.method, request.path]
        what = f"{query} {cleaned.body.decode()}"
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

    def _model_error(self, status: int) -> Reply:
        messages = {429: "rate limit reached", 500: "the server had an error"}
        return json_reply(written_error(status, messages[status], None, None, self._wire.path), status)


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
