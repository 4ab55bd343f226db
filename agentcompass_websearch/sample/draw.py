"""Draws from a named seed: the same name gives the same draws on every Python version and machine."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

CONSONANTS = "bcdfghjklmnpqrstvwxz"


class Draw:
    """Choices from one seed, built on `Random.random` alone, whose sequence Python promises to keep."""

    def __init__(self, *name: object) -> None:
        self._unit = Random(":".join(map(str, name))).random
        self._used: set[str] = set()

    def below(self, bound: int) -> int:
        """Return an integer from 0 up to, not including, `bound`."""
        return int(self._unit() * bound)

    def chance(self, share: float) -> bool:
        """Return True in `share` of the cases."""
        return self._unit() < share

    def one[T](self, items: Sequence[T]) -> T:
        """Return one of `items`."""
        return items[self.below(len(items))]

    def some[T](self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different ones of `items` (all, if there are fewer), in drawn order."""
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(min(count, len(pool)))]

    def excerpt[T](self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different ones of `items`, in the order of `items`."""
        return [items[place] for place in sorted(self.some(range(len(items)), count))]

    def shuffled[T](self, items: Sequence[T]) -> list[T]:
        """Return all `items` in drawn order."""
        return self.some(items, len(items))

    def letters(self) -> str:
        """Return three consonants that this draw has not returned before."""
        while True:
            letters = "".join(self.one(CONSONANTS) for _ in range(3))
            if letters not in self._used:
                self._used.add(letters)
                return letters
