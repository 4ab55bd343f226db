"""The client of every HTTP vendor: checks, limits, retries and reads the calls of an `HttpApi`; errors are outcomes."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx

from agentcompass_websearch.records import Hit, Operation, Page
from agentcompass_websearch.text import Redactor, clean
from agentcompass_websearch.tools import base_urls
from agentcompass_websearch.tools.classify import error_words, refusal, says_out_of_credit
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    Facts,
    FetchRequest,
    Outcome,
    SearchRequest,
    VendorError,
    VendorSettings,
)
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.errors import POLICY
from agentcompass_websearch.tools.hints import hints
from agentcompass_websearch.tools.http_api import Endpoint, HttpApi
from agentcompass_websearch.tools.results import distinct, shorten_query
from agentcompass_websearch.tools.retry import persist
from agentcompass_websearch.tools.safety import why_not_public
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.tries import one_try
from agentcompass_websearch.tools.wire import Answer, Fault, HttpReply, HttpRequest, in_short

_log: Final = logging.getLogger("agentcompass.plugins.websearch.vendors")
_NETWORK: Final = Network()
_LOOKUP_S: Final = 2.0
_LARGE_BYTES: Final = 512 * 1024
"""Replies longer than this are read beside the event loop, which they would keep for dozens of milliseconds."""
_NO_SUCH_ENDPOINT: Final = frozenset({*range(300, 400), 404, 405, 410, 501})
_REFUSED: Final = frozenset({ErrorKind.BAD_REQUEST, ErrorKind.MISCONFIGURED, ErrorKind.SERVER})


@dataclass(frozen=True, slots=True)
class _Plan[Value]:
    """One call, ready to be sent: nothing in it changes from try to try. `asked` is its query or URL."""

    op: Operation
    asked: str
    request: HttpRequest
    read: Callable[[HttpReply], Answer[Value]]
    nothing: Value | None
    own_address: bool
    in_thread: bool
    refused_before: VendorError | None


class HttpClient:
    """A vendor over HTTP, shared by all attempts of a run. It remembers two things of the API.

    *Whether it has ever answered well.* As long as it never has, an answer that no API gives (a web page, 404, with an
    address of the user's own also no connection) is taken for a wrong address: a few tries, then MISCONFIGURED with a
    message that says what to set.

    *That it refused us* (key, credits, address). Calls that wait in the queue or between two tries at that moment are
    not sent, and end with the same error. Whether to begin new ones is for the caller to decide.
    """

    def __init__(self, api: HttpApi, family: str, facts: Facts, settings: VendorSettings, transport: Transport) -> None:
        self._api = api
        self._facts = facts
        self._settings = settings
        self._transport = transport
        self._vendor_id = settings.vendor_id
        self._redactor = Redactor(_secrets(settings))
        key_digest = hashlib.sha256(settings.api_key.encode("utf-8", "replace")).hexdigest()
        self._gate = transport.gates.of((family, key_digest), settings.concurrency, _rate_per_s(settings))
        self._env_proxies = settings.options.get(base_urls.ENV_PROXIES) is not False
        # A server of the user's own, which reads pages from inside the user's network.
        reader_url = base_urls.user_base_url(settings.options, "fetch")
        self._reader_is_here = bool(reader_url and why_not_public(reader_url))
        self._has_answered = False
        self._refusal: VendorError | None = None

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Nothing: a live vendor's results hang on its id and options alone."""
        return {}

    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        """Search; at most `max_results` hits, distinct by their normalised URLs."""
        query = clean(request.query).strip()
        asked = shorten_query(query, self._facts.max_query_chars, self._facts.max_query_words)
        if not asked or request.max_results < 1:
            return self._failed(Fault(ErrorKind.BAD_REQUEST, "the query is empty"))
        objective = clean(request.objective) if request.objective else None
        outcome = await self._call(
            "search", self._api.search, replace(request, query=asked, objective=objective), asked, deadline, nothing=()
        )
        notes = outcome.notes
        if asked != query:
            notes = (f"The query was shortened to {len(asked)} characters.", *notes)
        if outcome.value is None:
            return replace(outcome, notes=notes)
        return replace(outcome, value=distinct(map(self._scrub_hit, outcome.value), request.max_results), notes=notes)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        """Fetch a page; an address that is not public is refused without asking the vendor."""
        url = clean(request.url).strip()
        reason = why_not_public(url)
        if not reason and self._reader_is_here:
            wait_s = _LOOKUP_S if deadline is None else min(_LOOKUP_S, deadline - time.monotonic())
            if await _NETWORK.leads_inside(urlsplit(url).hostname or "", wait_s):
                reason = "the host has an address that is not public"
        if reason:
            return self._failed(Fault(ErrorKind.NOT_PUBLIC, reason))
        objective = clean(request.objective) if request.objective else None
        outcome = await self._call(
            "fetch", self._api.fetch, replace(request, url=url, objective=objective), url, deadline, nothing=None
        )
        return replace(outcome, value=self._scrub_page(outcome.value)) if outcome.value is not None else outcome

    async def aclose(self) -> None:
        """Nothing to close: the transport belongs to its event loop."""

    # One call

    async def _call[Request, Value](
        self,
        op: Operation,
        endpoint: Endpoint[Request, Value] | None,
        request: Request,
        asked: str,
        deadline: float | None,
        *,
        nothing: Value | None,
    ) -> Outcome[Value]:
        if endpoint is None or op not in self._settings.mode.operations:
            return self._failed(Fault(ErrorKind.BAD_REQUEST, f"this vendor has no {op}"))
        own_url = base_urls.user_base_url(self._settings.options, op)
        try:
            built = endpoint.build(request, self._settings)
            built = self._api.auth.sign(built, self._settings.api_key)
        except Fault as fault:
            return self._failed(fault)
        except Exception as error:  # noqa: BLE001 - a vendor file's bug fails its calls, not the run
            return self._failed(Fault(ErrorKind.MISCONFIGURED, f"cannot build the request: {_bug(error)}"))
        plan: _Plan[Value] = _Plan(
            op,
            asked,
            replace(built, url=(own_url or endpoint.base_url.rstrip("/")) + built.url),
            lambda reply: endpoint.parse(reply, request),
            nothing,
            own_url is not None,
            endpoint.in_thread,
            self._refusal,
        )
        outcome = await persist(
            lambda: one_try(self._gate, deadline, lambda left_s: self._exchange(plan, left_s), self._failed),
            self._transport.patience,
            deadline=deadline,
            doubtful=lambda error: self._in_doubt(plan, error),
        )
        failure = outcome.error
        if failure is not None and failure is not self._refusal and self._in_doubt(plan, failure):
            self._refusal = self._wrong_address(plan, failure)
            return replace(outcome, error=self._refusal)
        return outcome

    async def _exchange[Value](self, plan: _Plan[Value], left_s: float | None) -> Outcome[Value]:
        """Send and read; the time at the vendor ends with the last byte, before parsing."""
        if self._refusal is not plan.refused_before:
            return Outcome(error=self._refusal)
        started = time.monotonic()
        try:
            reply = await self._transport.exchange(plan.request, timeout_s=left_s, env_proxies=self._env_proxies)
        except Fault as fault:
            if fault.kind is ErrorKind.TIMEOUT and left_s is not None and left_s < plan.request.timeout_s:
                fault = Fault(ErrorKind.DEADLINE, f"no answer in the {left_s:.1f} s that were left")
            return replace(self._failed(fault), service_s=time.monotonic() - started, tries=1)
        service_s = time.monotonic() - started
        beside = plan.in_thread or len(reply.body) > _LARGE_BYTES
        outcome = await asyncio.to_thread(self._outcome, plan, reply) if beside else self._outcome(plan, reply)
        return replace(outcome, service_s=service_s, tries=1)

    def _outcome[Value](self, plan: _Plan[Value], reply: HttpReply) -> Outcome[Value]:
        """Read a reply, without the key wherever a server echoes it, into an outcome that knows no times yet."""
        reply = self._without_secrets(reply)
        outcome: Outcome[Value]
        try:
            answer = self._read(plan, reply)
        except Fault as fault:
            error = self._error(fault)
            outcome = self._failed(fault, error)
            self._has_answered |= fault.kind is ErrorKind.TARGET
            if POLICY[error.kind].fatal == "at_once" and not self._in_doubt(plan, error):
                self._refusal = error
        else:
            notes = tuple(map(self._redactor.scrub, answer.notes))
            outcome = Outcome(answer.value, reported_usd=answer.reported_usd, billed=answer.billed, notes=notes)
            self._has_answered = True
        for hint in hints(reply.json_or_none):
            _log.info("%s to developers: %s", self._vendor_id, self._redactor.scrub(hint))
        request_id = self._redactor.scrub(reply.request_id) if reply.request_id else None
        return replace(outcome, status=reply.status, request_id=request_id)

    def _without_secrets(self, reply: HttpReply) -> HttpReply:
        """Remove what a server echoes of the key before anything is cut: half a key would pass later."""
        headers = [(name, self._redactor.scrub(value)) for name, value in reply.headers.multi_items()]
        return replace(reply, headers=httpx.Headers(headers), body=self._redactor.scrub_bytes(reply.body))

    def _read[Value](self, plan: _Plan[Value], reply: HttpReply) -> Answer[Value]:
        if not 200 <= reply.status < 300:
            fault = refusal(reply, self._api.rules_of(plan.op), asked=plan.asked)
            if fault is not None:
                raise fault
            if plan.nothing is None:
                raise Fault(ErrorKind.TARGET, "the vendor found no such page", status=reply.status)
            return Answer(plan.nothing)
        try:
            answer: Answer[Value] = plan.read(reply)
        except Exception as error:
            said = error_words(reply.json_or_none)
            if says_out_of_credit(said, asked=plan.asked):
                raise Fault(ErrorKind.QUOTA, f"HTTP {reply.status}: {in_short(said)}", status=reply.status) from error
            if isinstance(error, Fault):
                raise
            message = f"HTTP {reply.status}: unexpected form ({_bug(error)}): {reply.preview}"
            raise Fault(ErrorKind.UNREADABLE, message, status=reply.status) from error
        return answer

    # Doubt about the address

    def _in_doubt[Value](self, plan: _Plan[Value], error: VendorError) -> bool:
        if self._has_answered:
            return False
        if error.kind is ErrorKind.CONNECT:
            return plan.own_address
        if error.kind is ErrorKind.UNREADABLE:
            return True
        return error.kind in _REFUSED and error.status in _NO_SUCH_ENDPOINT

    def _wrong_address[Value](self, plan: _Plan[Value], error: VendorError) -> VendorError:
        host = urlsplit(plan.request.url).netloc.rpartition("@")[2]
        advice = (
            f"check vendor_options.base_url (it leads to {host})"
            if plan.own_address
            else f"check what stands between here and {host} (proxy, captive portal), or set vendor_options.base_url"
        )
        message = f"{error.message}; no {plan.op} of {self._vendor_id} has succeeded so far: {advice}"
        return self._error(Fault(ErrorKind.MISCONFIGURED, message, status=error.status))

    # Outcomes

    def _failed(self, fault: Fault, error: VendorError | None = None) -> Outcome[Any]:
        """Return the outcome of a fault; `error` is its error, if that has been made."""
        return Outcome(
            error=error or self._error(fault), status=fault.status, reported_usd=fault.reported_usd, billed=fault.billed
        )

    def _error(self, fault: Fault) -> VendorError:
        return VendorError(
            fault.kind,
            self._vendor_id,
            self._redactor.scrub(clean(fault.message)),
            status=fault.status,
            retry_after_s=fault.retry_after_s,
            billed=fault.billed,
        )

    def _scrub_hit(self, hit: Hit) -> Hit:
        scrub = self._redactor.scrub
        return Hit(scrub(hit.url), scrub(hit.title), scrub(hit.snippet))

    def _scrub_page(self, page: Page) -> Page:
        scrub = self._redactor.scrub
        return Page(scrub(page.url), scrub(page.final_url), scrub(page.title), scrub(page.content), page.status)


def _rate_per_s(settings: VendorSettings) -> float | None:
    """Return the user's limit, else the documented one, which is that of the vendor's own address only."""
    if settings.rate_per_s is not None:
        return settings.rate_per_s
    elsewhere = any(base_urls.user_base_url(settings.options, op) for op in settings.mode.operations)
    return None if elsewhere else settings.mode.rate_per_s


def _secrets(settings: VendorSettings) -> list[str]:
    """Return the key, and the secret part of credentials in base URLs as they are, and as headers have it."""
    secrets = [settings.api_key]
    for name in ("base_url", "search_base_url", "fetch_base_url"):
        parts = urlsplit(str(settings.options.get(name) or ""))
        user, password = parts.username or "", parts.password or ""
        if secret := password or user:
            whole = f"{unquote(user)}:{unquote(password)}"
            secrets += [secret, unquote(secret), base64.b64encode(whole.encode()).decode()]
    return secrets


def _bug(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:100]}"
