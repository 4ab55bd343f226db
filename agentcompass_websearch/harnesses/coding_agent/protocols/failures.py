"""What can go wrong between us and a model server, and what follows from it: one table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from agentcompass_websearch.errors import WebSearchError
from agentcompass_websearch.text import clean

DETAIL_CHARS: Final = 300


class Fault(StrEnum):
    """Why a request to the model gave no turn."""

    STOPPED = "stopped"
    UNSENDABLE = "unsendable"
    AUTH = "auth"
    QUOTA = "quota"
    NOT_FOUND = "not_found"
    NO_CONNECTION = "no_connection"
    NOT_JSON = "not_json"
    BROKEN = "broken"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    PROVIDER = "provider"
    REFUSED = "refused"
    CONTEXT = "context"


Tries = Literal["one", "two", "many"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from a fault: how severe the attempt's issue is, its code, and how often the request is tried.

    `setup`: while no request of the run has been answered yet, the fault is one of configuration:
    ``model_access_failed``, tried once, and no further call in this run. With `always_setup` it is so at any time.
    """

    severity: Literal["fatal", "error"]
    code: str
    tries: Tries = "one"
    setup: bool = False
    always_setup: bool = False


ACCESS_FAILED: Final = "model_access_failed"
_REQUEST_FAILED: Final = "model_request_failed"
_INVALID: Final = "model_invalid_output"

RULES: Final[Mapping[Fault, Rule]] = {
    Fault.STOPPED: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.UNSENDABLE: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.AUTH: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.QUOTA: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.NOT_FOUND: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.NO_CONNECTION: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.NOT_JSON: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.BROKEN: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.RATE_LIMIT: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.SERVER: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.TIMEOUT: Rule("error", "model_timeout", "two"),
    Fault.PROVIDER: Rule("fatal", _REQUEST_FAILED),
    Fault.REFUSED: Rule("error", _INVALID),
    Fault.CONTEXT: Rule("error", _INVALID),
}

_ADVICE: Final[Mapping[Fault, str]] = {
    Fault.UNSENDABLE: "check --model-api-key and --model-params",
    Fault.AUTH: "check --model-api-key and what the key may use",
    Fault.QUOTA: "the account has no quota or credit left",
    Fault.NOT_FOUND: "check --model-base-url and the model's name",
    Fault.NO_CONNECTION: "nothing answers there: check --model-base-url",
    Fault.NOT_JSON: "that is no model API: check --model-base-url, which often ends in /v1",
    Fault.CONTEXT: "the conversation is longer than the model's context",
}


class ModelFailure(WebSearchError):
    """A request to the model gave no turn. `detail` is what the server said; neither text holds a secret."""

    def __init__(
        self,
        fault: Fault,
        detail: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        parameter: str | None = None,
    ) -> None:
        self.fault = fault
        self.detail = _one_line(detail)
        self.status = status
        self.retry_after_s = retry_after_s
        self.parameter = parameter
        self.access = RULES[fault].always_setup
        self.where = ""
        super().__init__(self.detail)

    @property
    def code(self) -> str:
        """The issue code that the host gets."""
        return ACCESS_FAILED if self.access else RULES[self.fault].code

    @property
    def severity(self) -> Literal["fatal", "error"]:
        """The issue severity that the host gets."""
        return "fatal" if self.access else RULES[self.fault].severity

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status else ""
        parameter = f"parameter {self.parameter!r} refused: " if self.parameter else ""
        advice = f"; {_ADVICE[self.fault]}" if self.fault in _ADVICE else ""
        return f"model server{self.where}{status}: {parameter}{self.detail}{advice}"


_QUOTA_WORDS: Final = re.compile(
    r"insufficient_quota|insufficient[_ ](?:credits?|balance|funds)|billing|exceeded your current quota|credit balance",
    re.I,
)
_CONTEXT_WORDS: Final = re.compile(
    r"context_length|context length|context window|maximum context|prompt is too long|input is too long|too many tokens"
    r"|exceeds? the (?:available )?context|reduce the length",
    re.I,
)
_RATE_WORDS: Final = re.compile(r"rate[_ ]?limit|too many requests|slow down", re.I)
_SERVER_WORDS: Final = re.compile(r"server_error|overloaded|unavailable|internal[_ ]error|timeout", re.I)
_AUTH_WORDS: Final = re.compile(r"invalid_api_key|authentication|unauthorized|permission", re.I)


type Tidy = Callable[[str], str]
"""What a server's words go through before they are shown: cleaning, and removal of secrets."""


def failure_of_status(status: int, body: str, tidy: Tidy, retry_after_s: float | None = None) -> ModelFailure:
    """Return the failure that an HTTP status outside 2xx means; `body` is the response's text."""
    error = _error_in(body)
    words = f"{error.get('code')} {error.get('type')} {error.get('message') or body[:DETAIL_CHARS]}"
    detail = str(error.get("message") or _plain(body) or "no details")
    parameter = error.get("param")
    return ModelFailure(
        _fault_of(status, words),
        tidy(detail),
        status=status,
        retry_after_s=retry_after_s,
        parameter=str(parameter) if parameter and status in (400, 422) else None,
    )


def failure_of_error_object(error: object, tidy: Tidy) -> ModelFailure:
    """Return the failure that an error object in a 200 response means."""
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {"message": error}
    code = fields.get("code") or fields.get("status")
    words = f"{code} {fields.get('type')} {fields.get('message')}"
    detail = tidy(str(fields.get("message") or json.dumps(fields, default=str)))
    try:
        status = int(str(code))
    except ValueError:
        return ModelFailure(_fault_of_words(words), detail)
    return ModelFailure(_fault_of(status, words), detail, status=status)


def _fault_of(status: int, words: str) -> Fault:
    if status in (402, 403, 429) and _QUOTA_WORDS.search(words):
        return Fault.QUOTA
    if status in (400, 413, 422, 500) and _CONTEXT_WORDS.search(words):
        return Fault.CONTEXT
    match status:
        case 401 | 403 | 407:
            return Fault.AUTH
        case 402:
            return Fault.QUOTA
        case 404 | 405 | 410:
            return Fault.NOT_FOUND
        case 429:
            return Fault.RATE_LIMIT
        case 408 | 409 | 425:
            return Fault.SERVER
    if status >= 500:
        return Fault.SERVER
    return Fault.REFUSED if status >= 400 else Fault.NOT_JSON


def _fault_of_words(words: str) -> Fault:
    for pattern, fault in (
        (_QUOTA_WORDS, Fault.QUOTA),
        (_AUTH_WORDS, Fault.AUTH),
        (_CONTEXT_WORDS, Fault.CONTEXT),
        (_RATE_WORDS, Fault.RATE_LIMIT),
        (_SERVER_WORDS, Fault.SERVER),
    ):
        if pattern.search(words):
            return fault
    return Fault.PROVIDER


_NEVER_CONNECTED: Final = frozenset(
    {
        "ConnectError",
        "gaierror",
        "SSLError",
        "SSLCertVerificationError",
        "ProxyError",
        "UnsupportedProtocol",
        "InvalidURL",
    }
)


def failure_of_exception(error: BaseException, tidy: Tidy) -> ModelFailure:
    """Return the failure that an exception of a client library without a response means.

    The libraries wrap the errors of their own copy of httpx, so the classes are told by name along the chain.
    """
    names = [type(link).__name__ for link in _chain(error)]
    detail = tidy(f"{names[-1]}: {list(_chain(error))[-1]}")
    if any("Timeout" in name for name in names):
        return ModelFailure(Fault.TIMEOUT, "no answer in time")
    if not _NEVER_CONNECTED.isdisjoint(names):
        return ModelFailure(Fault.NO_CONNECTION, detail)
    return ModelFailure(Fault.BROKEN, detail)


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__


def _error_in(body: str) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, Mapping):
        return {}
    error = data.get("error", data)
    if isinstance(error, Mapping):
        return {"message": error.get("message") or error.get("detail"), **error}
    return {"message": error}


def _plain(body: str) -> str:
    return re.sub(r"<[^<>]*>", " ", body[: 10 * DETAIL_CHARS])


def _one_line(text: str) -> str:
    line = " ".join(clean(text).split())
    return line if len(line) <= DETAIL_CHARS else f"{line[:DETAIL_CHARS]}..."
