"""Tells the faults of model servers by status, by words, and by what their client libraries raise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agentcompass_websearch.harnesses.coding_agent.protocols.failures import DETAIL_CHARS, Fault, ModelFailure
from agentcompass_websearch.harnesses.coding_agent.protocols.params import LIMITS

type Tidy = Callable[[str], str]
"""What a server's words go through before they are shown: cleaning, and removal of secrets."""

_QUOTA_WORDS: Final = re.compile(
    r"insufficient_quota|insufficient[_ ](?:credits?|balance|funds)|billing|exceeded your current quota|credit balance",
    re.I,
)
_CREDIT_WORDS: Final = re.compile(r"credit balance is too low|insufficient_quota|insufficient balance", re.I)
_CONTEXT_WORDS: Final = re.compile(
    r"context_?length|context length|context ?window|maximum context|prompt is too long|input is too long"
    r"|too many tokens|exceeds? (?:the )?(?:available )?context|exceeds the maximum number of tokens|reduce the length",
    re.I,
)
# Nothing is too long yet but what the answer may be.
_LIMIT_WORDS: Final = re.compile(r"max_(?:completion_|output_)?tokens\W.{0,40}too large", re.I)
_TOOLS_WORDS: Final = re.compile(
    r"not support tools|tools? (?:use|calling) (?:is|are) not supported|support (?:tool|function) (?:use|calling)"
    r"|unsupported param: tools|not support parameters: \[[^\]]*'tools'|enable-auto-tool-choice|requires --jinja",
    re.I,
)
# Not all servers have a 404 for a model that they do not know.
_MODEL_WORDS: Final = re.compile(
    r"model_not_found|model[_ ]not[_ ](?:exist|found)|invalid_model\b"
    r"|(?:invalid|unknown|no such) model\b(?! (?:param|output|input|response))"
    r"|not a valid model|model identifier is invalid|\u6a21\u578b\u4e0d\u5b58\u5728"
    r"|model [`'\"]?[\w./:@-]+[`'\"]? (?:does not exist|(?:is |was )?not found)",
    re.I,
)
_RATE_WORDS: Final = re.compile(r"rate[_ ]?limit|too many requests|slow down", re.I)
_SERVER_WORDS: Final = re.compile(r"server_error|api_error|overloaded|unavailable|internal[_ ]error|timeout", re.I)
_AUTH_WORDS: Final = re.compile(r"invalid_api_key|authentication|unauthorized|permission", re.I)
_REFUSAL_WORDS: Final = re.compile(r"invalid_prompt|invalid_request|policy", re.I)


_PARAMETER_CHARS: Final = 80


def failure_of_status(status: int, body: str, tidy: Tidy, retry_after_s: float | None = None) -> ModelFailure:
    """Return the failure that an HTTP status outside 2xx means; `body` is the response's text."""
    error = _error_in(body)
    words = f"{error.get('code')} {error.get('type')} {error.get('message') or body[:DETAIL_CHARS]}"
    # Tidied before it is cut, so that no half of a key stays.
    detail = tidy(str(error.get("message") or "")) or _plain(tidy(body)) or "no details"
    parameter = error.get("param")
    return ModelFailure(
        _fault_of(status, words),
        detail,
        status=status,
        retry_after_s=retry_after_s,
        parameter=_one_word(tidy(str(parameter))) if parameter and status in (400, 422) else None,
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
    if status == 400 and _CREDIT_WORDS.search(words):
        return Fault.QUOTA
    if status in (400, 413, 422, 500) and _CONTEXT_WORDS.search(words) and not _LIMIT_WORDS.search(words):
        return Fault.CONTEXT
    if status in (400, 404, 422, 500, 501) and _TOOLS_WORDS.search(words):
        return Fault.NO_TOOLS
    if status in (400, 422) and _MODEL_WORDS.search(words):
        return Fault.NOT_FOUND
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
        (_MODEL_WORDS, Fault.NOT_FOUND),
        (_RATE_WORDS, Fault.RATE_LIMIT),
        (_SERVER_WORDS, Fault.SERVER),
        (_REFUSAL_WORDS, Fault.REFUSED),
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


def is_named(name: str, failure: ModelFailure) -> bool:
    """Whether a server's refusal names the parameter `name`: as such, in quotes, or by a word that is no other's."""
    if re.split(r"[.\[]", failure.parameter or "")[0] == name:
        return True
    word = re.escape(name)
    alone = rf"|\b{word}\b" if "_" in name else ""
    return re.search(rf"[`'\"]{word}[`'\"]|^{word}[.:\[]{alone}", failure.detail) is not None


# What is said, and with what: a refusal that names one of these is not about a setting.
_NO_SETTINGS: Final = frozenset({"model", "messages", "input", "system", "instructions"})


def blamed(failure: ModelFailure, body: Mapping[str, Any]) -> ModelFailure:
    """Return `failure`, as one of a parameter if it is a refusal that names a setting of the request `body`."""
    if failure.fault is not Fault.REFUSED:
        return failure
    name = next((name for name in _settings(body) if is_named(name, failure)), None)
    if name is None:
        return failure
    parameter = failure.parameter or name
    return ModelFailure(Fault.PARAMETER, failure.detail, status=failure.status, parameter=parameter)


def _settings(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the settings in a request, and those that its user, or a gateway, may know them by."""
    yield from (name for name in body if name not in _NO_SETTINGS)
    if any(name in body for name in LIMITS):
        yield from LIMITS
    if any(isinstance(value, Mapping) and "effort" in value for value in body.values()):
        yield "reasoning_effort"


def _error_in(body: str) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, Mapping):
        return {}
    error = data.get("error", data)
    if isinstance(error, Mapping):
        return {"message": error.get("message") or error.get("detail"), **error}
    return {"message": error}


def _one_word(text: str) -> str:
    return "".join(text.split())[:_PARAMETER_CHARS]


def _plain(body: str) -> str:
    return re.sub(r"<[^<>]*>", " ", body[: 10 * DETAIL_CHARS])
