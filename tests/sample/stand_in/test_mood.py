"""Chance follows from names: repeatable as a whole, different from repeat to repeat where that is wanted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from agentcompass_websearch.sample.stand_in.mood import Mood, Moods
from agentcompass_websearch.sample.stand_in.wire import call_id, mood_of_call


def test_numbers_follow_from_name_and_decision() -> None:
    assert Mood("a").number("x") == Mood("a").number("x")
    assert len({Mood(n).number(d) for n in "ab" for d in "xy"}) == 4
    numbers = [Mood("a").number(str(i)) for i in range(2000)]
    assert 0 <= min(numbers) < 0.01
    assert 0.99 < max(numbers) < 1
    assert abs(sum(numbers) / 2000 - 0.5) < 0.03


def test_equal_requests_begin_equal_conversations() -> None:
    moods = Moods()
    assert moods.begin("r").name == moods.begin("r").name != moods.begin("s").name


def test_with_variation_repeats_differ_and_the_set_of_them_is_repeatable() -> None:
    def names(seed: int) -> set[str]:
        moods = Moods(seed)
        with ThreadPoolExecutor(8) as pool:
            return {mood.name for mood in pool.map(moods.begin, ["r"] * 40)}

    assert len(names(1)) == 40
    assert names(1) == names(1)
    assert not names(1) & names(2)


def test_calls_carry_the_name_of_their_conversation() -> None:
    mood = Moods(3).begin("r")
    found = mood_of_call(call_id(mood, 4))
    assert found is not None
    assert found.name == mood.name
    for foreign in ("call_1", "", None, 5, f"{call_id(mood, 0)}x"):
        assert mood_of_call(foreign) is None
