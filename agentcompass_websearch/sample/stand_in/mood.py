"""The part of chance in a run: numbers that follow from one conversation's name, so that a repeat can differ."""

from __future__ import annotations

import threading
from hashlib import blake2b


class Mood:
    """Numbers from 0 to 1, one for each thing to decide, all following from `name`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def number(self, about: str) -> float:
        """Return the number for the decision `about`; asking again gives it again."""
        return int.from_bytes(blake2b(f"{self.name}:{about}".encode(), digest_size=6).digest()) / 2**48


class Moods:
    """Names a conversation when it begins.

    Without `variation`, equal requests begin equal conversations. With it, the name also depends on how often the same
    request has begun one, as far as this process has seen: repeats differ from each other, and the set of them is the
    same at every run. The wire carries the name in the ids of tool calls, so later turns know it without any memory.
    """

    def __init__(self, variation: int | None = None) -> None:
        self._variation = variation
        self._begun: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def begin(self, request: str) -> Mood:
        """Return the mood of a conversation that begins with `request`."""
        key = blake2b(request.encode("utf-8", "replace"), digest_size=8).digest()
        if self._variation is None:
            return Mood(key.hex()[:10])
        with self._lock:
            times = self._begun[key] = self._begun.get(key, 0) + 1
        return Mood(blake2b(key + f"{self._variation}:{times}".encode(), digest_size=5).hexdigest())
