"""The agent loop on a session in memory: it knows turns, calls and limits, and no wire protocol."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from agentcompass_websearch.harnesses.coding_agent.arguments import read_arguments
from agentcompass_websearch.harnesses.coding_agent.breaker import Breaker
from agentcompass_websearch.harnesses.coding_agent.budget import CostCap
from agentcompass_websearch.harnesses.coding_agent.limits import Deadline, Limits
from agentcompass_websearch.harnesses.coding_agent.loop import ANSWER_NOW, Answer, run_agent
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.session import Reply, ToolCall, Turn
from agentcompass_websearch.harnesses.coding_agent.toolbox import Toolbox, VendorUnavailable
from agentcompass_websearch.harnesses.coding_agent.transcript import Transcript
from agentcompass_websearch.tools.contract import ErrorKind
from tests.support.fake_vendor import FakeClient, acme_arm, failing

type Moment = Turn | ModelFailure | Callable[[], Turn | ModelFailure]


@dataclass
class FakeSession:
    """A `ModelSession` that gives turns from a list, the last one again and again, and notes what it was told."""

    turns: list[Moment]
    told: list[str] = field(default_factory=list)
    replies: list[tuple[Reply, ...]] = field(default_factory=list)
    asked: list[tuple[bool, float]] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.told.append(text)

    def reply(self, replies: Sequence[Reply]) -> None:
        self.replies.append(tuple(replies))

    async def next_turn(self, *, answer_now: bool, deadline: float) -> Turn:
        self.asked.append((answer_now, deadline))
        moment = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        result = moment() if callable(moment) else moment
        if isinstance(result, ModelFailure):
            raise result
        return result


SEARCHES = Turn("", (ToolCall("c1", "web_search", read_arguments({"query": "acme"})),), stop="tool_calls")
ANSWERS = Turn("the answer", stop="stop")
DEFAULT_LIMITS = Limits()
NO_LIMIT = Deadline(math.inf, math.inf)


class Agent:
    """One run of the loop, with all that it left behind."""

    def __init__(self, *turns: Moment, client: FakeClient | None = None, **arm: Any) -> None:
        self.session = FakeSession(list(turns))
        self.transcript = Transcript()
        self.client = client or FakeClient()
        self.arm = acme_arm(self.client, **arm)

    async def run(self, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_LIMIT) -> Answer:
        toolbox = Toolbox(
            self.arm,
            self.client,
            limits,
            tidy=lambda text: text,
            breaker=Breaker(),
            cap=CostCap(),
            on_call=lambda call: None,
        )
        return await run_agent(
            self.session, toolbox, limits, deadline=deadline, transcript=self.transcript, prompt="Do it."
        )


async def test_an_answer_ends_it() -> None:
    agent = Agent(ANSWERS)
    assert await agent.run() == Answer("the answer", "answer")
    assert agent.session.told == []
    assert [(s.number, s.said, s.tools_s, s.replies) for s in agent.transcript.steps] == [(1, "Do it.", None, ())]


@pytest.mark.parametrize("text", ["", " \n"])
async def test_an_empty_answer_ends_it_too(text: str) -> None:
    assert await Agent(Turn(text, stop="tool_calls")).run() == Answer(text, "empty_answer")


async def test_calls_are_answered_and_the_model_asked_again() -> None:
    agent = Agent(SEARCHES, SEARCHES, ANSWERS)
    assert (await agent.run()).stop == "answer"
    assert [[r.call_id for r in replies] for replies in agent.session.replies] == [["c1"], ["c1"]]
    assert [s.said for s in agent.transcript.steps] == ["Do it.", "", ""]
    assert [len(s.replies) for s in agent.transcript.steps] == [1, 1, 0]
    assert [s.tools_s is None for s in agent.transcript.steps] == [False, False, True]
    assert [answer_now for answer_now, _ in agent.session.asked] == [False, False, False]


async def test_at_the_last_turn_the_model_is_told_to_answer() -> None:
    agent = Agent(SEARCHES, SEARCHES, ANSWERS)
    assert await agent.run(Limits(max_turns=3)) == Answer("the answer", "answer")
    assert agent.session.told == [ANSWER_NOW]
    assert [answer_now for answer_now, _ in agent.session.asked] == [False, False, True]
    assert agent.transcript.steps[2].said == ANSWER_NOW


async def test_calls_at_the_last_turn_are_not_run_but_answered() -> None:
    agent = Agent(SEARCHES, Turn("let me look", SEARCHES.calls, stop="tool_calls"))
    assert await agent.run(Limits(max_turns=2)) == Answer("let me look", "max_turns")
    assert len(agent.client.asked) == 1
    last = agent.transcript.steps[-1]
    assert [r.call_id for r in last.replies] == ["c1"]
    assert "not run" in json.loads(last.replies[0].content)["error"]
    assert last.tools_s is None


async def test_one_turn_is_the_last_turn() -> None:
    agent = Agent(ANSWERS)
    await agent.run(Limits(max_turns=1))
    assert agent.session.asked[0][0]
    assert agent.transcript.steps[0].said == f"Do it.\n\n{ANSWER_NOW}"


async def test_no_turns_are_no_turns() -> None:
    agent = Agent(ANSWERS)
    assert await agent.run(Limits(max_turns=0)) == Answer("", "max_turns")
    assert agent.session.asked == []


async def test_without_a_limit_it_goes_on() -> None:
    agent = Agent(*[SEARCHES] * 50, ANSWERS)
    assert (await agent.run(Limits(None, None, None))).stop == "answer"
    assert len(agent.transcript.steps) == 51


async def test_without_tools_the_model_is_never_told_to_stop_searching() -> None:
    agent = Agent(SEARCHES, SEARCHES, tools=())
    assert await agent.run(Limits(2, 0, 0), Deadline(0.0, math.inf)) == Answer("", "max_turns")
    assert agent.session.told == []
    assert [answer_now for answer_now, _ in agent.session.asked] == [False, False]
    assert "there is no tool" in agent.session.replies[0][0].content
    assert agent.client.asked == []


async def test_when_time_is_nearly_up_the_model_is_told_to_answer() -> None:
    agent = Agent(SEARCHES, ANSWERS)
    end = time.monotonic() + 60
    assert await agent.run(deadline=Deadline(0.0, end)) == Answer("", "deadline")
    assert agent.session.asked == [(True, end)]
    assert agent.session.told == [ANSWER_NOW]


async def test_a_turn_that_eats_the_time_for_searching_leaves_the_time_for_the_answer() -> None:
    answer_by = time.monotonic() + 0.05

    def too_slow() -> ModelFailure:
        time.sleep(max(0.0, answer_by - time.monotonic()))
        return ModelFailure(Fault.TIMEOUT, "no answer in time")

    agent = Agent(SEARCHES, too_slow, ANSWERS)
    end = time.monotonic() + 60
    assert await agent.run(Limits(max_turns=3), Deadline(answer_by, end)) == Answer("the answer", "answer")
    assert agent.session.asked == [(False, answer_by), (False, answer_by), (True, end)]
    assert len(agent.transcript.steps) == 2


async def test_a_slow_model_is_told_to_answer_while_it_still_can() -> None:
    slow = replace(SEARCHES, seconds=30.0)
    agent = Agent(slow, slow, ANSWERS)
    now = time.monotonic()
    assert await agent.run(deadline=Deadline(now + 48, now + 60)) == Answer("the answer", "answer")
    assert agent.session.asked == [(False, now + 48), (False, now + 48), (True, now + 60)]
    assert agent.session.told == [ANSWER_NOW]


async def test_no_answer_in_time_is_the_deadline() -> None:
    def too_slow() -> ModelFailure:
        return ModelFailure(Fault.TIMEOUT, "no answer in time")

    now = time.monotonic()
    agent = Agent(SEARCHES, too_slow)
    assert await agent.run(deadline=Deadline(now - 1, now)) == Answer("", "deadline")
    assert agent.session.asked == []


async def test_a_model_that_is_slow_while_there_is_time_is_a_model_failure() -> None:
    agent = Agent(SEARCHES, ModelFailure(Fault.TIMEOUT, "no answer within 600 s"))
    with pytest.raises(ModelFailure):
        await agent.run()
    assert len(agent.transcript.steps) == 1


async def test_a_vendor_that_is_not_available_ends_it_with_all_replies_kept() -> None:
    agent = Agent(SEARCHES, client=FakeClient(failing(ErrorKind.AUTH)))
    with pytest.raises(VendorUnavailable):
        await agent.run()
    assert agent.session.replies == []
    assert len(agent.transcript.steps[0].replies) == 1


async def test_notes_of_turns_are_kept_once() -> None:
    noted = Turn("", SEARCHES.calls, notes=("output limit reached",))
    agent = Agent(noted, noted, ANSWERS)
    await agent.run()
    assert agent.transcript.notes == ["output limit reached"]
