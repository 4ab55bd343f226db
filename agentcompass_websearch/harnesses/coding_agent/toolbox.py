"""Runs the calls of a turn: arguments, then budget, then vendor, then caps; each call gets exactly one reply."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from agentcompass_websearch.errors import WebSearchError
from agentcompass_websearch.harnesses.coding_agent import observations
from agentcompass_websearch.harnesses.coding_agent.arm import Arm
from agentcompass_websearch.harnesses.coding_agent.breaker import Breaker
from agentcompass_websearch.harnesses.coding_agent.budget import CostCap, CostCapReached
from agentcompass_websearch.harnesses.coding_agent.limits import Limits
from agentcompass_websearch.harnesses.coding_agent.requests import BadArguments, Request, read_request
from agentcompass_websearch.harnesses.coding_agent.session import Reply, ToolCall
from agentcompass_websearch.harnesses.coding_agent.tool_schemas import OPERATION_OF_TOOL
from agentcompass_websearch.records import CallRecord, Operation, Page, error_observation
from agentcompass_websearch.tools.contract import ErrorKind, Outcome, SearchRequest, VendorClient, VendorError
from agentcompass_websearch.tools.errors import POLICY, explain

BAD_ARGUMENTS: Final = "bad_arguments"
OVER_BUDGET: Final = "over_budget"
# A client ends its calls by the deadline; one that does not is not waited for much longer.
_GRACE_S: Final = 1.0
_NOT_SENT: Final[Outcome[Any]] = Outcome()


class VendorUnavailable(WebSearchError):
    """The vendor cannot serve this attempt: it refuses us, or still failed after patient retries."""


type End = VendorUnavailable | CostCapReached


@dataclass(frozen=True, slots=True)
class Round:
    """The replies to the calls of one turn, in their order; and what ends the attempt, if anything does."""

    replies: tuple[Reply, ...]
    end: End | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    """A call that may go to the vendor: `n` counts its operation in the attempt, `left` what is left after it."""

    call: ToolCall
    place: tuple[int, int]
    op: Operation
    request: Request
    n: int
    left: int | None

    @property
    def url(self) -> str | None:
        return None if isinstance(self.request, SearchRequest) else self.request.url


@dataclass(frozen=True, slots=True)
class _Done:
    """A call that is answered: what the model reads, and what the vendor's part in it was."""

    content: str
    outcome: Outcome[Any] = _NOT_SENT
    end: End | None = None


class Toolbox:
    """The tools of one attempt.

    Args:
        arm: vendor, tools, caps and prices.
        client: the vendor's client, shared by the run.
        limits: how many searches and fetches the attempt has.
        tidy: what each text of the vendor goes through: cleaning, and removal of secrets.
        breaker: what the run knows of the vendor.
        cap: the cost cap of the run.
        on_call: told of each call right after it is done.
        model_breaker: what the run knows of the model server: no reply is paid for that no model will read.
    """

    def __init__(
        self,
        arm: Arm,
        client: VendorClient,
        limits: Limits,
        *,
        tidy: Callable[[str], str],
        breaker: Breaker,
        cap: CostCap,
        on_call: Callable[[CallRecord], None],
        model_breaker: Breaker | None = None,
    ) -> None:
        self._arm = arm
        self._client = client
        self._tidy = tidy
        self._breaker = breaker
        self._model_breaker = model_breaker or Breaker()
        self._cap = cap
        self._on_call = on_call
        self._operations: Mapping[str, Operation] = {
            arm.tool_names.get(tool, tool): OPERATION_OF_TOOL[tool] for tool in arm.tools
        }
        self._most: Mapping[Operation, int | None] = {"search": limits.max_searches, "fetch": limits.max_fetches}
        self._used: dict[Operation, int] = {"search": 0, "fetch": 0}
        self._records: dict[tuple[int, int], CallRecord] = {}
        self.failures: list[VendorError] = []
        self.queue_s = 0.0

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the model is offered."""
        return self._arm.tools

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """All calls of known tools so far, in the order in which the model made them."""
        return tuple(self._records[place] for place in sorted(self._records))

    async def run(self, calls: Sequence[ToolCall], *, turn: int, deadline: float) -> Round:
        """Answer the calls of one turn; those that go to the vendor run at the same time. Never raises.

        A call that reaches the vendor uses one unit of its budget, whatever comes of it; no other does. `deadline` is a
        value of ``time.monotonic()`` by which all are answered.
        """
        items = [self._admit(call, (turn, number)) for number, call in enumerate(calls)]
        done = await asyncio.gather(*(self._answer(item, deadline) for item in items))
        self.queue_s += _wait_s([item.outcome for item in done])
        replies = tuple(Reply(call.call_id, call.name, item.content) for call, item in zip(calls, done, strict=True))
        return Round(replies, next((item.end for item in done if item.end), None))

    def _admit(self, call: ToolCall, place: tuple[int, int]) -> _Job | _Done:
        """Take one unit of the budget for a call, in call order, or answer it without the vendor."""
        op = self._operations.get(call.name)
        if op is None:
            there_is = ", ".join(self._operations) or "none"
            return _Done(error_observation(f"there is no tool {call.name!r}; tools: {there_is}"))
        try:
            request = read_request(op, call.arguments, self._arm.caps.max_results)
        except BadArguments as error:
            return self._turn_away(call, place, op, BAD_ARGUMENTS, str(error), error.url)
        most, used = self._most[op], self._used[op]
        if most is not None and used >= most:
            message = f"no {call.name} is left ({used} of {most} used): answer from what you have"
            return self._turn_away(call, place, op, OVER_BUDGET, message)
        self._used[op] = used + 1
        return _Job(call, place, op, request, used + 1, None if most is None else most - used - 1)

    def _turn_away(
        self, call: ToolCall, place: tuple[int, int], op: Operation, kind: str, message: str, url: str | None = None
    ) -> _Done:
        content = error_observation(self._tidy(message), url=url)
        record = CallRecord(
            call_id=call.call_id,
            op=op,
            vendor_id=self._arm.vendor_id_of(op),
            turn=place[0],
            n=0,
            ok=False,
            error_kind=kind,
            chars=len(content),
            list_usd=0.0,
            billed=False,
        )
        self._record(record, place)
        return _Done(content)

    async def _answer(self, item: _Job | _Done, deadline: float) -> _Done:
        if isinstance(item, _Done):
            return item
        if self._model_breaker.is_open:
            return _Done(error_observation("not run: the model is not asked again", url=item.url))
        price = self._arm.prices.get(item.op)
        waited_s = await self._cap.room(price, deadline, turn=item.place[0])
        try:
            with self._cap.hold(price) as hold:
                if self._breaker.is_open:
                    hold.actual_usd = 0.0
                    raise VendorUnavailable(f"vendor {self._breaker.message}")
                outcome = await self._ask(item, deadline)
                outcome = replace(outcome, queue_s=outcome.queue_s + waited_s)
                hold.actual_usd = usd = _list_usd(outcome, price)
        except (VendorUnavailable, CostCapReached) as end:
            return _Done(error_observation("not run: the attempt ends here", url=item.url), end=end)
        if not outcome.tries:
            self._used[item.op] -= 1
        done = self._failed(item, outcome, outcome.error) if outcome.error else self._succeeded(item, outcome)
        request_id = self._tidy(outcome.request_id) if outcome.request_id else None
        outcome = replace(outcome, request_id=request_id, reported_usd=_known_usd(outcome.reported_usd))
        self._record(
            _call_record(item, replace(done, outcome=outcome), self._arm.vendor_id_of(item.op), usd), item.place
        )
        return done

    async def _ask(self, job: _Job, deadline: float) -> Outcome[Any]:
        vendor_id = self._arm.vendor_id_of(job.op)
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic()) + _GRACE_S):
                if isinstance(job.request, SearchRequest):
                    return await self._client.search(job.request, deadline=deadline)
                return _page_read(await self._client.fetch(job.request, deadline=deadline), vendor_id)
        except TimeoutError:
            return Outcome(error=VendorError(ErrorKind.DEADLINE, vendor_id, "no answer by the deadline"), tries=1)
        except Exception as error:  # noqa: BLE001 - a vendor plugin's bug is that vendor's failure
            message = f"its client failed: {type(error).__name__}: {error}"
            return Outcome(error=VendorError(ErrorKind.SERVER, vendor_id, message), tries=1)

    def _failed(self, job: _Job, outcome: Outcome[Any], error: VendorError) -> _Done:
        content = error_observation(self._tidy(explain(error)), url=job.url)
        fatal = POLICY[error.kind].fatal
        message = self._tidy(f"vendor {error.vendor_id}: {error.message}{self._key_to_check(job, error)}")
        if fatal == "at_once":
            self._breaker.open(message)
        elif fatal == "after_retries":
            self.failures.append(error)
        if fatal == "at_once" or (fatal == "after_retries" and self._arm.on_failure == "fatal"):
            return _Done(content, outcome, VendorUnavailable(message))
        return _Done(content, outcome)

    def _key_to_check(self, job: _Job, error: VendorError) -> str:
        reader = self._arm.reader if job.op == "fetch" else None
        names = (reader or self._arm).vendor.key_vars
        if error.kind is not ErrorKind.AUTH or not names:
            return ""
        return f"; check {'fetch_api_key' if reader else 'vendor_api_key'}, or {' or '.join(names)}"

    def _succeeded(self, job: _Job, outcome: Outcome[Any]) -> _Done:
        notes = tuple(map(self._tidy, outcome.notes))
        if isinstance(job.request, SearchRequest):
            content = observations.of_search(
                job.request.query, outcome.value or (), self._arm.caps, self._tidy, left=job.left, notes=notes
            )
        else:
            content = observations.of_fetch(
                job.request.url, outcome.value or Page(""), self._arm.caps, self._tidy, left=job.left, notes=notes
            )
        return _Done(content, outcome)

    def _record(self, record: CallRecord, place: tuple[int, int]) -> None:
        self._records[place] = record
        self._on_call(record)


def _call_record(job: _Job, done: _Done, vendor_id: str, list_usd: float | None) -> CallRecord:
    outcome = done.outcome
    value = outcome.value
    return CallRecord(
        call_id=job.call.call_id,
        op=job.op,
        vendor_id=vendor_id,
        turn=job.place[0],
        n=job.n if outcome.tries else 0,
        ok=outcome.error is None,
        error_kind=outcome.error.kind.value if outcome.error else None,
        status=outcome.status,
        service_s=outcome.service_s,
        queue_s=outcome.queue_s,
        backoff_s=outcome.backoff_s,
        tries=outcome.tries,
        n_hits=len(value) if job.op == "search" and value else 0,
        chars=len(done.content),
        list_usd=list_usd,
        reported_usd=outcome.reported_usd,
        billed=outcome.billed if outcome.tries else False,
        request_id=outcome.request_id,
    )


def _page_read(outcome: Outcome[Page], vendor_id: str) -> Outcome[Page]:
    """Return `outcome` with an error where the page that came back is the one of an error status."""
    status = outcome.value.status if outcome.value else None
    if status is None or 200 <= status < 300:
        return outcome
    error = VendorError(ErrorKind.TARGET, vendor_id, f"the page answered with HTTP {status}", status=status)
    return replace(outcome, value=None, error=error)


def _known_usd(usd: float | None) -> float | None:
    """Return what a vendor says that a call cost, if that can be an amount."""
    try:
        return usd if usd is not None and math.isfinite(usd) and usd >= 0 else None
    except (OverflowError, TypeError):
        return None


def _list_usd(outcome: Outcome[Any], price: float | None) -> float | None:
    """Return what a call costs by list price: nothing if it was not sent or the vendor says that it did not charge."""
    return 0.0 if not outcome.tries or outcome.billed is False else price


def _wait_s(outcomes: Sequence[Outcome[Any]]) -> float:
    """Return by how much our own limiter made a round of calls longer that ran at the same time."""
    whole = [o.queue_s + o.backoff_s + (o.service_s or 0.0) for o in outcomes]
    working = [o.backoff_s + (o.service_s or 0.0) for o in outcomes]
    return max(whole, default=0.0) - max(working, default=0.0)
