"""What can go wrong between us and a model server, and what follows from it: one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from agentcompass_websearch.errors import WebSearchError
from agentcompass_websearch.text import one_line

DETAIL_CHARS: Final = 300


class Fault(StrEnum):
    """Why a request to the model gave no turn."""

    STOPPED = "stopped"
    UNSENDABLE = "unsendable"
    AUTH = "auth"
    QUOTA = "quota"
    NO_TOOLS = "no_tools"
    NOT_FOUND = "not_found"
    NO_CONNECTION = "no_connection"
    NOT_JSON = "not_json"
    BROKEN = "broken"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    PROVIDER = "provider"
    PARAMETER = "parameter"
    REFUSED = "refused"
    CONTEXT = "context"


Tries = Literal["one", "two", "many"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from a fault: how severe the attempt's issue is, its code, and how often the request is tried.

    `tries`: ``one`` ends it, ``two`` ends it when it comes a second time, ``many`` ends it when patience does.
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
    Fault.UNSENDABLE: Rule("fatal", _REQUEST_FAILED, setup=True),
    Fault.AUTH: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.QUOTA: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.NO_TOOLS: Rule("fatal", ACCESS_FAILED, always_setup=True),
    Fault.NOT_FOUND: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.NO_CONNECTION: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.NOT_JSON: Rule("fatal", _REQUEST_FAILED, "many", setup=True),
    Fault.BROKEN: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.RATE_LIMIT: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.SERVER: Rule("fatal", _REQUEST_FAILED, "many"),
    Fault.TIMEOUT: Rule("error", "model_timeout", "two"),
    Fault.PROVIDER: Rule("fatal", _REQUEST_FAILED),
    Fault.PARAMETER: Rule("error", _INVALID, setup=True),
    Fault.REFUSED: Rule("error", _INVALID),
    Fault.CONTEXT: Rule("error", _INVALID),
}

_ADVICE: Final[Mapping[Fault, str]] = {
    Fault.UNSENDABLE: "check --model-api-key and --model-params",
    Fault.AUTH: "check --model-api-key and what the key may use",
    Fault.QUOTA: "the account has no quota or credit left",
    Fault.NO_TOOLS: "the model cannot call tools there: switch the server's tool parser on, or take another model",
    Fault.NOT_FOUND: "check --model-base-url, --model-api-protocol and the model's name",
    Fault.NO_CONNECTION: "nothing answers there: check --model-base-url",
    Fault.NOT_JSON: "that is no model API: check --model-base-url, which often ends in /v1",
    Fault.PARAMETER: "check --model-params",
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


def _one_line(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= DETAIL_CHARS else f"{line[:DETAIL_CHARS]}..."
