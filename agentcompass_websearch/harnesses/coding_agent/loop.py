"""The agent loop: ask the model, run its calls, until it answers or a limit ends it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.harnesses.coding_agent.limits import Deadline, Limits
from agentcompass_websearch.harnesses.coding_agent.protocols.failures import Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.session import ModelSession, Reply, Turn
from agentcompass_websearch.harnesses.coding_agent.toolbox import Toolbox
from agentcompass_websearch.harnesses.coding_agent.transcript import Transcript, now
from agentcompass_websearch.records import Stop, error_observation

ANSWER_NOW: Final = (
    "You can make no more tool calls. Give your complete final answer now, from what you have found so far."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """How the loop ended: the model's last words, and why there are no more."""

    text: str
    stop: Stop


async def run_agent(
    session: ModelSession,
    toolbox: Toolbox,
    limits: Limits,
    *,
    deadline: Deadline,
    transcript: Transcript,
    prompt: str = "",
) -> Answer:
    """Run one attempt to its end and return the answer; `transcript` holds every step as soon as it is made.

    At the last turn, or when time is nearly up, the model is told to answer, and can call no tool. `prompt` is what
    `session` was opened with, for the transcript.

    Raises:
        ModelFailure, VendorUnavailable, CostCapReached: the attempt cannot go on.
    """
    said = prompt
    told = False
    number = 0
    while limits.max_turns is None or number < limits.max_turns:
        if deadline.over:
            return Answer("", "deadline")
        last = number + 1 == limits.max_turns
        answer_by = deadline.answer_by_with([step.turn.seconds for step in transcript.steps])
        answer_now = bool(toolbox.tools) and (last or time.monotonic() >= answer_by)
        if answer_now and not told:
            session.say(ANSWER_NOW)
            said, told = f"{said}\n\n{ANSWER_NOW}".strip(), True
        started_at = now()
        # While there are tools, time for the answer is kept back.
        turn_ends = deadline.end if answer_now or not toolbox.tools else answer_by
        try:
            turn = await session.next_turn(answer_now=answer_now, deadline=turn_ends)
        except ModelFailure as failure:
            if failure.fault is Fault.TIMEOUT and time.monotonic() >= turn_ends:
                continue
            raise
        number += 1
        step = transcript.add(said, turn, started_at)
        said = ""
        if not turn.calls:
            return Answer(turn.text, "answer" if turn.text.strip() else "empty_answer")
        if last or answer_now:
            transcript.close(step, _not_run(turn), None)
            return Answer(turn.text, "max_turns" if last else "deadline")
        began = time.monotonic()
        answered = await toolbox.run(turn.calls, turn=number, deadline=answer_by)
        transcript.close(step, answered.replies, time.monotonic() - began)
        if answered.end:
            raise answered.end
        session.reply(answered.replies)
    return Answer("", "max_turns")


def _not_run(turn: Turn) -> tuple[Reply, ...]:
    message = error_observation("not run: no more tool calls were allowed")
    return tuple(Reply(call.call_id, call.name, message) for call in turn.calls)
