"""When the stand-in plays which trick: decided by a seed and by the request, not by the order of requests."""

from __future__ import annotations

import difflib
import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from agentcompass_websearch.sample.stand_in.mood import Mood
from agentcompass_websearch.sample.stand_in.tricks import CHANGES, NAMES, REFUSALS, SPOILS, Reply
from agentcompass_websearch.sample.stand_in.utterance import Utterance
from agentcompass_websearch.sample.stand_in.wire import BadRequest


@dataclass(frozen=True, slots=True)
class Trick:
    """One trick, with the detail that it was asked for with."""

    name: str
    detail: str = ""

    def refusal(self, body: dict[str, Any]) -> BadRequest | None:
        """Return the refusal of request `body`, if this trick is one and applies."""
        return REFUSALS[self.name][1](self.detail, body) if self.name in REFUSALS else None

    def changed(self, said: Utterance) -> Utterance:
        """Return what is said in place of `said`."""
        return CHANGES[self.name][1](said) if self.name in CHANGES else said

    def spoiled(self, reply: Reply) -> Reply:
        """Return what is sent in place of `reply`."""
        return SPOILS[self.name][1](self.detail, reply) if self.name in SPOILS else reply


class Mischief:
    """The tricks of a server. Each is played with the chance `share`, at most one a request.

    A request that is sent again meets a new decision, so what fails once may pass the next time; the same requests in
    the same number meet the same tricks at every run with the same seed.

    Args:
        tricks: names of tricks, each with a detail after a colon where it has one: ``hang:5``.
        share: the chance of each.
        seed: what decides when.

    Raises:
        ValueError: an unknown name, a detail that it cannot have, or chances that add up to more than 1.
    """

    def __init__(self, tricks: Sequence[str] = (), *, share: float = 0.1, seed: int = 0) -> None:
        self._tricks = [_trick(asked) for asked in tricks]
        if not 0 < share <= 1:
            raise ValueError(f"the share is {share:g}; allowed: more than 0, at most 1")
        if share * len(self._tricks) > 1 + 1e-9:
            raise ValueError(f"{len(self._tricks)} tricks of {share:g} each are more than all: lower the share")
        self._share = share
        self._seed = seed
        self._asked: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def draw(self, body: dict[str, Any]) -> Trick | None:
        """Return the trick to play on request `body`, None for none."""
        if not self._tricks:
            return None
        key = blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=16).digest()
        with self._lock:
            self._asked[key] += 1
            nth = self._asked[key]
        place = int(Mood(f"{self._seed}:{key.hex()}:{nth}").number("trick") / self._share)
        return self._tricks[place] if place < len(self._tricks) else None


def _trick(asked: str) -> Trick:
    name, colon, detail = asked.strip().partition(":")
    if name not in NAMES:
        near = difflib.get_close_matches(name, NAMES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no trick {name!r}.{hint} Known: {', '.join(NAMES)}")
    trick = Trick(name, detail)
    if colon and (name in CHANGES or name not in _WITH_DETAIL):
        raise ValueError(f"the trick {name!r} takes nothing after a colon")
    try:
        trick.refusal({})
        trick.spoiled(Reply(200, b"", {}))
    except ValueError as error:
        raise ValueError(f"the trick {asked!r}: {error}") from None
    return trick


_WITH_DETAIL = ("429", "refuse", "hang", "slow")
